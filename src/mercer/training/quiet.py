"""Warnings that become checks of the findings, and are not to be heard twice."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_warnings"]


@contextmanager
def without_warnings(*kinds: type[Warning]) -> Iterator[None]:
    """What its body does raises no warnings of these kinds."""
    with warnings.catch_warnings():
        for kind in kinds:
            warnings.simplefilter("ignore", kind)
        yield
