"""Points in a plane."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mercer.report.charts.axis import Axis
from mercer.report.charts.frame import Frame
from mercer.report.markup import Markup, tag

__all__ = ["scatter"]


def scatter(
    label: str,
    x: Axis,
    y: Axis,
    points: Sequence[tuple[float, float]],
    *,
    most_points: int,
    diagonal: bool = False,
    level: float | None = None,
) -> Markup:
    """A chart of points; x = y, or one value of y, is dashed where asked for. Too many points are thinned evenly."""
    frame = Frame(x, y)
    finite = [point for point in points if all(map(math.isfinite, point))]
    finite = finite[:: max(1, math.ceil(len(finite) / most_points))]
    marks = []
    for place in finite:
        across, height = frame.at(*place)
        marks.append(tag("circle", cx=across, cy=height, r=2.6, class_="point"))
    if diagonal or level is not None:
        (x1, y1) = frame.at(x.low, x.low if level is None else level)
        (x2, y2) = frame.at(x.high, x.high if level is None else level)
        marks.append(tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_="reference"))
    return frame.draw(label, marks)
