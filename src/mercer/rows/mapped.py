"""Rows under an explicit map: features whose dot products are the values of a kernel."""

from __future__ import annotations

from mercer.kernels import Linear
from mercer.rows.linear import LinearRows
from mercer.rows.rows import Rows

__all__ = ["mapped_rows"]


def mapped_rows(rows: Rows) -> LinearRows:
    """The rows under the map of their kernel; those of the linear kernel are their own."""
    if isinstance(rows, LinearRows):
        return rows
    return LinearRows(Linear(), rows.kernel.map_rows(rows.X), rows.deadline)
