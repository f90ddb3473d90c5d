"""Rows worth a look: those the machine leans on most, and those it gets most wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mercer.report.blocks import Block, Head, Paragraph, Piece, Quoted, Section, Subtitle, Table, Words
from mercer.report.digits import count, number
from mercer.report.limits import Limits
from mercer.report.sections.prose import sentence

if TYPE_CHECKING:
    from mercer.training.findings import Findings, RowFound

__all__ = ["section"]

_INFLUENTIAL = (
    "Training rows with the largest coefficients: without them the machine would be another. An error in the data "
    "that matters is often among them."
)
_MISTAKES = (
    "Test rows on which the machine is most wrong: a wrong label, a rare case, or something that the columns do not "
    "tell."
)


def section(findings: Findings, limits: Limits) -> Section:
    """The rows."""
    order = [each.column for each in sorted(findings.importance, key=lambda each: -each.loss)]
    blocks: list[Block] = []
    parts = (
        ("Most influential rows", _INFLUENTIAL, "coefficients", "Coefficient", findings.influential),
        ("Rows it gets most wrong", _MISTAKES, "errors", "How wrong", findings.mistakes),
    )
    for title, words, largest, figure, found in parts:
        if found:
            blocks += [
                Subtitle(title),
                Paragraph(words),
                *_table(f"The largest {largest}", figure, found, order, limits),
            ]
    if blocks:
        blocks.insert(0, Paragraph("Rows are numbered as in the file, the first row of data being 1."))
    return Section("rows", "Rows worth a look", tuple(blocks))


def _table(title: str, figure: str, found: Sequence[RowFound], order: list[str], limits: Limits) -> Iterator[Block]:
    shown = found[: limits.rows]
    has_values = any(row.truth or row.predicted or row.values for row in shown)
    if not has_values:
        rows = tuple((count(row.row), number(row.figure)) for row in shown)
        yield Table(title, (Head("Row"), Head(figure, "number")), rows, more=len(found) - len(shown))
        yield Paragraph("Values of the data were left out of this report.", "small")
        return
    heads = (Head("Row"), Head("Truth"), Head("Predicted"), Head(figure, "number"))
    cells = tuple(
        (count(row.row), Quoted(row.truth, is_value=True), Quoted(row.predicted, is_value=True), number(row.figure))
        for row in shown
    )
    details = tuple(_details(row, order, limits) for row in shown)
    yield Table(title, heads, cells, details if any(details) else (), more=len(found) - len(shown))


def _details(row: RowFound, order: list[str], limits: Limits) -> Words:
    """What is known of a row, and its values, those of the columns that count most first."""
    places = {name: place for place, name in enumerate(order)}
    named = sorted(row.values.items(), key=lambda each: places.get(each[0], len(places)))
    pieces: list[Piece] = [sentence(row.words), " "] if row.words else []
    for place, (name, value) in enumerate(named[: limits.values]):
        pieces += ["\N{NO-BREAK SPACE}· " if place else "", Quoted(name), ": ", Quoted(value, is_value=True)]
    if len(named) > limits.values:
        pieces.append(f" · and {len(named) - limits.values} more columns")
    return tuple(pieces)
