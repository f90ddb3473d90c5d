"""Lines through points, with marks and whiskers where the points are few."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mercer.report.charts.axis import Axis
from mercer.report.charts.frame import FONT, Frame
from mercer.report.markup import Markup, tag

__all__ = ["Line", "line_chart"]

# Points nearer to the last one than this, in pixels, cannot be told from it.
_NEAR = 0.8


@dataclass(frozen=True)
class Line:
    """Points of a line, and the class of the style sheet that colours it.

    Attributes
    ----------
    errors : sequence of float
        Standard errors of the y; whiskers of one standard error are drawn where there are any.
    has_marks : bool
        Whether each point has a dot.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    style: str = "line-0"
    errors: Sequence[float] = ()
    has_marks: bool = False

    @property
    def points(self) -> list[tuple[float, float]]:
        return [(x, y) for x, y in zip(self.x, self.y, strict=True) if math.isfinite(x) and math.isfinite(y)]


def line_chart(
    label: str,
    x: Axis,
    y: Axis,
    lines: Sequence[Line],
    *,
    most_points: int,
    diagonal: bool = False,
    level: tuple[float, str] | None = None,
) -> Markup:
    """A chart of lines, the first of them on top.

    Parameters
    ----------
    diagonal : bool
        Whether x = y is dashed.
    level : (float, str), optional
        A value of y that is dashed across, and what it is.
    """
    frame = Frame(x, y)
    marks = [_between(frame, (x.low, x.low), (x.high, x.high))] if diagonal else []
    if level is not None:
        marks.append(_between(frame, (x.low, level[0]), (x.high, level[0])))
        _, height = frame.at(x.low, level[0])
        marks.append(tag("text", level[1], x=frame.left + 4, y=height - 0.4 * FONT, class_="tick"))
    for line in reversed(lines):
        marks += _marks(frame, line, most_points)
    return frame.draw(label, marks)


def _between(frame: Frame, start: tuple[float, float], end: tuple[float, float]) -> Markup:
    (x1, y1), (x2, y2) = frame.at(*start), frame.at(*end)
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_="reference")


def _marks(frame: Frame, line: Line, most_points: int) -> Iterator[Markup]:
    places = _thinned([frame.at(x, y) for x, y in line.points], most_points)
    if len(places) > 1:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield tag("polyline", tag("title", line.name), points=path, class_=f"line {line.style}")
    for x, y, error in zip(line.x, line.y, line.errors, strict=False):
        if math.isfinite(x) and math.isfinite(y) and math.isfinite(error):
            across, low = frame.at(x, y - error)
            yield tag(
                "line", x1=across, x2=across, y1=low, y2=frame.at(x, y + error)[1], class_=f"whisker {line.style}"
            )
    if line.has_marks or len(places) == 1:
        for x, y in places:
            yield tag("circle", cx=x, cy=y, r=3, class_=f"dot {line.style}")


def _thinned(places: list[tuple[float, float]], most: int) -> list[tuple[float, float]]:
    """The places that can be told apart, at most so many; both ends stay."""
    kept: list[tuple[float, float]] = []
    for place in places[:-1]:
        if not kept or math.dist(place, kept[-1]) >= _NEAR:
            kept.append(place)
    kept += places[-1:]
    every = math.ceil(len(kept) / most)
    return kept if every <= 1 else [*kept[:-1:every], kept[-1]]
