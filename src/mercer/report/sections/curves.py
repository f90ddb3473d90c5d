"""Curves of one class against the rest: ROC, precision and recall, and how probabilities compare with what happened."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mercer.report.blocks import Figure, Head, Legend, Quoted, Table, Words
from mercer.report.charts import Axis, Line, line_chart
from mercer.report.digits import count, number
from mercer.report.limits import Limits

if TYPE_CHECKING:
    from mercer.training.findings import CalibrationCurve, Curve

__all__ = ["calibration", "curves"]

# So many lines can be told apart by colour; of more, some stand out and the others are pale.
_COLOURS = 5
_STAND_OUT = 3


def curves(title: str, x: str, y: str, found: Sequence[Curve], limits: Limits, *, diagonal: bool) -> Figure:
    """A curve for each class; where they are many, those with the least area stand out."""
    ordered = list(found) if len(found) <= _COLOURS else sorted(found, key=lambda curve: _area(curve.area))
    shown = ordered[: limits.curves]
    styles = _styles(len(shown))
    lines = [Line(curve.label, curve.x, curve.y, style) for curve, style in zip(shown, styles, strict=True)]
    legend = [
        Legend(style, _named(curve.label, f": area {number(curve.area, 3)}"))
        for curve, style in zip(shown, styles, strict=True)
        if style != "pale"
    ]
    if len(legend) < len(shown):
        legend.append(Legend("pale", f"{len(shown) - len(legend)} other classes, each with a larger area"))
    areas = ", ".join(f"{curve.label} {number(curve.area, 3)}" for curve in shown[:_COLOURS])
    chart = line_chart(
        f"{title}: {y} by {x}. Area: {areas}.",
        Axis(x, 0.0, 1.0),
        Axis(y, 0.0, 1.0),
        lines,
        most_points=limits.points,
        diagonal=diagonal,
    )
    rows = tuple((Quoted(curve.label, is_value=True), number(curve.area, 4)) for curve in shown)
    numbers = Table(
        f"{title}: area by class", (Head("Class"), Head("Area", "number")), rows, more=len(found) - len(rows)
    )
    caption = "Dashed: a guess." if diagonal else ""
    return Figure(title, chart, caption, tuple(legend), numbers)


def calibration(found: Sequence[CalibrationCurve], limits: Limits) -> Figure:
    """What happened where the machine gave some probability."""
    shown = list(found)[: limits.curves]
    styles = _styles(len(shown))
    is_few = len(shown) <= _COLOURS
    lines = [
        Line(
            curve.label,
            curve.predicted,
            curve.observed,
            style,
            _errors(curve) if len(shown) == 1 else (),
            has_marks=is_few,
        )
        for curve, style in zip(shown, styles, strict=True)
    ]
    legend = [Legend(style, _named(curve.label)) for curve, style in zip(shown, styles, strict=True) if style != "pale"]
    if len(legend) < len(shown):
        legend.append(Legend("pale", f"{len(shown) - len(legend)} other classes"))
    label = f"Observed share by predicted probability of {len(shown)} {'class' if len(shown) == 1 else 'classes'}."
    chart = line_chart(
        label,
        Axis("predicted probability", 0.0, 1.0),
        Axis("observed share", 0.0, 1.0),
        lines,
        most_points=limits.points,
        diagonal=True,
    )
    caption = "On the dashed line, probabilities are what they say: of rows with 0.8, eight in ten belong to the class."
    if len(shown) == 1:
        caption += " Whiskers are one standard error."
    rows = tuple(
        (Quoted(curve.label, is_value=True), number(predicted, 3), number(observed, 3), count(rows))
        for curve in shown[:_COLOURS]
        for predicted, observed, rows in zip(curve.predicted, curve.observed, curve.counts, strict=True)
    )
    heads = (Head("Class"), Head("Predicted", "number"), Head("Observed", "number"), Head("Test rows", "number"))
    return Figure("Calibration", chart, caption, tuple(legend), Table("Calibration by bins", heads, rows))


def _styles(n: int) -> list[str]:
    if n <= _COLOURS:
        return [f"line-{place}" for place in range(n)]
    return [f"line-{place}" if place < _STAND_OUT else "pale" for place in range(n)]


def _errors(curve: CalibrationCurve) -> list[float]:
    return [
        math.sqrt(max(0.0, p * (1 - p)) / n) if n else math.nan
        for p, n in zip(curve.observed, curve.counts, strict=True)
    ]


def _area(area: float) -> float:
    return area if math.isfinite(area) else math.inf


def _named(label: str, after: str = "") -> Words:
    return (Quoted(label, is_value=True), after)
