"""How far predictions of a number are from the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mercer.report.blocks import Beside, Block, Figure, Head, Table
from mercer.report.charts import Axis, scatter
from mercer.report.digits import count, number
from mercer.report.limits import Limits

if TYPE_CHECKING:
    from mercer.training.findings import Residuals

__all__ = ["residuals"]


def residuals(target: str, found: Residuals, limits: Limits) -> Iterator[Block]:
    """Predictions beside the truth, what is left, and its quantiles."""
    pairs = list(zip(found.predicted, found.truth, strict=True))
    if pairs:
        yield Beside((_beside_truth(pairs, limits), _left(pairs, limits)))
    if found.quantiles:
        rows = tuple((name, number(value)) for name, value in found.quantiles.items())
        yield Table(
            f"Quantiles of truth − prediction of {target}", (Head("Quantile"), Head("Residual", "number")), rows
        )


def _beside_truth(pairs: list[tuple[float, float]], limits: Limits) -> Figure:
    both = Axis.close("", [value for pair in pairs for value in pair])
    x, y = (Axis(title, both.low, both.high, n_ticks=5) for title in ("predicted", "truth"))
    label = f"Truth by prediction of {count(len(pairs))} test rows."
    chart = scatter(label, x, y, pairs, most_points=limits.points, diagonal=True)
    return Figure(
        "Prediction and truth", chart, f"{count(len(pairs))} test rows; on the dashed line, the prediction is right."
    )


def _left(pairs: list[tuple[float, float]], limits: Limits) -> Figure:
    points = [(predicted, truth - predicted) for predicted, truth in pairs]
    x = Axis.close("predicted", [point[0] for point in points], n_ticks=5)
    y = Axis.close("truth − prediction", [0.0, *(point[1] for point in points)])
    label = f"Residual by prediction of {count(len(pairs))} test rows."
    caption = "A pattern here, such as a bend or a fan, is something that the machine has not learnt."
    return Figure("Residuals", scatter(label, x, y, points, most_points=limits.points, level=0.0), caption)
