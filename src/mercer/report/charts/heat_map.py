"""The map of a search over two parameters: a cell for each pair, coloured by its score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mercer.report.charts.frame import FONT, picture
from mercer.report.digits import number
from mercer.report.legible import width_of
from mercer.report.markup import Markup, tag
from mercer.report.palette import HEAT_STEPS

__all__ = ["Searched", "heat_map"]

_HEIGHT = 26.0
# Cells narrower than this have no room for a score; it stands in their title.
_NARROW, _WIDE = 22.0, 46.0
_MOST_WITH_SCORES = 14


@dataclass(frozen=True)
class Searched:
    """The cells of a search: `scores[i][j]` is of the i-th row and the j-th column, None where it was not finished.

    Attributes
    ----------
    near : set of (int, int)
        Cells that cannot be told from the best one.
    """

    row_name: str
    column_name: str
    rows: Sequence[float]
    columns: Sequence[float]
    scores: Sequence[Sequence[float | None]]
    chosen: tuple[int, int]
    near: frozenset[tuple[int, int]]


def heat_map(label: str, searched: Searched) -> Markup:
    """The map, its largest row value on top; the choice has a ring, and those near to the best an outline."""
    side = _WIDE if len(searched.columns) <= _MOST_WITH_SCORES else _NARROW
    row_labels = [number(value, 3) for value in searched.rows]
    column_labels = [number(value, 3) for value in searched.columns]
    left = 8 + max(width_of(text, FONT) for text in row_labels)
    top = 2.2 * FONT
    bottom = top + _HEIGHT * len(row_labels)
    turned = max(width_of(text, FONT) for text in column_labels) > side - 4
    foot = (max(width_of(text, FONT) for text in column_labels) if turned else FONT) + 2.2 * FONT
    width = max(left + side * len(column_labels) + 3, left + width_of(searched.column_name, FONT) + 3)
    marks = [tag("text", searched.row_name, x=0, y=FONT, class_="title")]
    outlines = []
    span = _span(searched)
    for i, text in enumerate(row_labels):
        y = bottom - _HEIGHT * (i + 1)
        marks.append(tag("text", text, x=left - 6, y=y + _HEIGHT / 2 + 0.35 * FONT, class_="tick end"))
        for j in range(len(column_labels)):
            x = left + side * j
            marks += _cell(searched, (i, j), (x, y, side), span)
            if (i, j) in searched.near:
                outlines.append(_box(x, y, side, f"near edge-{_step(span, searched.scores[i][j] or 0.0)}", 3.0))
            if (i, j) == tuple(searched.chosen):
                outlines.append(_box(x, y, side, "chosen", 0.0))
    for j, text in enumerate(column_labels):
        marks.append(_foot(text, left + side * (j + 0.5), bottom, turned))
    end = left + side * len(column_labels)
    marks.append(tag("text", searched.column_name, x=max(end, width - 3), y=bottom + foot, class_="title end"))
    return picture(width, bottom + foot + 5, label, *marks, *outlines)


def _cell(
    searched: Searched, cell: tuple[int, int], place: tuple[float, float, float], span: tuple[float, float]
) -> list[Markup]:
    (i, j), (x, y, side) = cell, place
    score = searched.scores[i][j]
    words = f"{searched.row_name} {number(searched.rows[i])}, {searched.column_name} {number(searched.columns[j])}: "
    if score is None or not math.isfinite(score):
        title = tag("title", words + "not finished")
        return [tag("rect", title, x=x + 1, y=y + 1, width=side - 2, height=_HEIGHT - 2, rx=3, class_="unknown")]
    step = _step(span, score)
    title = tag("title", words + number(score, 5))
    box = tag("rect", title, x=x + 1, y=y + 1, width=side - 2, height=_HEIGHT - 2, rx=3, class_=f"heat-{step}")
    if side < _WIDE:
        return [box]
    return [box, tag("text", _short(score), x=x + side / 2, y=y + _HEIGHT / 2 + 4, class_=f"middle on-{step}")]


def _step(span: tuple[float, float], score: float) -> int:
    """The colour of a score: most of them for the better half, where the choice is."""
    low, high = span
    place = 1.0 if high == low else ((score - low) / (high - low)) ** 2
    return min(HEAT_STEPS - 1, int(place * HEAT_STEPS))


def _span(searched: Searched) -> tuple[float, float]:
    known = [each for row in searched.scores for each in row if each is not None and math.isfinite(each)]
    return min(known, default=0.0), max(known, default=1.0)


def _short(score: float) -> str:
    """A score in at most five letters or so."""
    return f"{score:.3f}".replace("0.", ".", 1).replace("-", "−") if abs(score) < 1 else number(score, 3)


def _box(x: float, y: float, side: float, class_: str, inset: float) -> Markup:
    return tag(
        "rect",
        x=x + inset,
        y=y + inset,
        width=side - 2 * inset,
        height=_HEIGHT - 2 * inset,
        rx=3.5,
        fill="none",
        class_=class_,
    )


def _foot(text: str, x: float, bottom: float, turned: bool) -> Markup:
    if not turned:
        return tag("text", text, x=x, y=bottom + 1.4 * FONT, class_="tick middle")
    y = bottom + 6
    return tag("text", text, x=x + 4, y=y, class_="tick end", transform=f"rotate(-90 {x + 4:.1f} {y:.1f})")
