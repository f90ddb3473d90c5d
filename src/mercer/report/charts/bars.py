"""A bar, or a dot, with its whisker: one row of a table each, as wide as its cell becomes.

The drawing is stretched across, so that it has lines only, whose strokes keep their width; a dot is a line of no length
with round ends.
"""

from __future__ import annotations

import math

from mercer.report.charts.axis import Axis
from mercer.report.markup import Markup, join, tag

__all__ = ["bar", "mark"]

_WIDTH, _MIDDLE = 200.0, 10.0


def bar(axis: Axis, value: float, error: float | None = None) -> Markup:
    """A bar from zero to a value, its whisker a standard error to both sides."""
    parts = [_line(axis, 0.0, value, "bar")] if math.isfinite(value) and value else []
    return _drawing(*parts, _whisker(axis, value, error), _zero(axis))


def mark(axis: Axis, value: float, error: float | None = None, *, is_own: bool = False) -> Markup:
    """A dot at a value between its whiskers; `is_own` where it is the machine's."""
    own = " own" if is_own else ""
    parts = [_line(axis, axis.low, axis.high, "track"), _whisker(axis, value, error, own)]
    if math.isfinite(value):
        parts.append(_line(axis, value, value, f"stop{own}"))
    return _drawing(*parts)


def _drawing(*parts: Markup) -> Markup:
    # What it shows stands in the cells beside it.
    return tag(
        "svg",
        join(parts),
        viewBox=f"0 0 {_WIDTH:.0f} {2 * _MIDDLE:.0f}",
        preserveAspectRatio="none",
        class_="bars",
        aria_hidden="true",
    )


def _line(axis: Axis, start: float, end: float, class_: str) -> Markup:
    return tag("line", x1=_across(axis, start), x2=_across(axis, end), y1=_MIDDLE, y2=_MIDDLE, class_=class_)


def _whisker(axis: Axis, value: float, error: float | None, own: str = "") -> Markup:
    if error is None or not math.isfinite(error) or not math.isfinite(value):
        return join(())
    return _line(axis, value - error, value + error, f"spread{own}")


def _zero(axis: Axis) -> Markup:
    across = _across(axis, 0.0)
    return tag("line", x1=across, x2=across, y1=0, y2=2 * _MIDDLE, class_="zero")


def _across(axis: Axis, value: float) -> float:
    # A little room at both ends, so that dots and strokes are not cut.
    return 4 + axis.place(value) * (_WIDTH - 8)
