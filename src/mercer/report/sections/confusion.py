"""Which classes are taken for which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mercer.report.blocks import Beside, Block, Figure, Head, Paragraph, Quoted, Table, Words
from mercer.report.charts import confusion_matrix
from mercer.report.digits import count, share
from mercer.report.limits import Limits

if TYPE_CHECKING:
    from mercer.training.findings import Confusion

__all__ = ["confusion"]

_MOST_PAIRS = 8
# A larger matrix takes the width of the page.
_MOST_BESIDE = 4
_OTHERS = "(all others)"


def confusion(found: Confusion, limits: Limits) -> Iterator[Block]:
    """The matrix, what each class is recognised by, and the pairs that are confused most."""
    total = sum(map(sum, found.counts))
    right = sum(found.counts[i][i] for i in range(len(found.labels)))
    labels, counts = _pooled(found, limits.classes)
    caption = (
        "Rows are the truth, columns what the machine says; colours are shares of a row, and the diagonal is right."
    )
    if len(labels) < len(found.labels):
        caption += (
            f" The {len(labels) - 1} largest of {len(found.labels)} classes; all others are pooled, and what is "
            "confused among them stands on the diagonal too."
        )
    label = f"Confusion matrix of {len(labels)} classes: {count(right)} of {count(total)} rows are right."
    chart = confusion_matrix(label, labels, counts)
    matrix = Figure("Confusion matrix", chart, caption, numbers=_matrix(labels, counts))
    tables = [_by_class(found, limits), *(_pairs(found) if len(found.labels) > 2 else ())]
    if len(labels) <= _MOST_BESIDE:
        yield Beside((matrix, tables[0]))
        yield from tables[1:]
    else:
        yield matrix
        yield Beside(tuple(tables))
    if total == right:
        yield Paragraph("No test row was confused.", "small")


def _matrix(labels: list[str], counts: list[list[int]]) -> Table:
    heads = (Head("truth ↓ predicted →"), *(Head(Quoted(label, is_value=True), "number") for label in labels))
    rows: list[tuple[Words, ...]] = []
    for label, row in zip(labels, counts, strict=True):
        rows.append((Quoted(label, is_value=True), *map(count, row)))
    return Table("Counts of test rows", heads, tuple(rows))


def _by_class(found: Confusion, limits: Limits) -> Table:
    order = sorted(range(len(found.labels)), key=lambda i: found.counts[i][i] / max(1, sum(found.counts[i])))
    rows: list[tuple[Words, ...]] = []
    for i in order[: limits.classes]:
        truth, said, right = sum(found.counts[i]), sum(row[i] for row in found.counts), found.counts[i][i]
        rows.append(
            (Quoted(found.labels[i], is_value=True), count(truth), count(said), share(right, truth), share(right, said))
        )
    heads = (
        Head("Class"),
        Head("Test rows", "number"),
        Head("Predicted", "number"),
        Head("Recall", "number"),
        Head("Precision", "number"),
    )
    return Table("By class, the least found first", heads, tuple(rows), more=len(found.labels) - len(rows))


def _pairs(found: Confusion) -> Iterator[Table]:
    n = len(found.labels)
    wrong = sorted(
        ((found.counts[i][j], i, j) for i in range(n) for j in range(n) if i != j and found.counts[i][j]), reverse=True
    )
    if not wrong:
        return
    rows = tuple(
        (
            Quoted(found.labels[i], is_value=True),
            Quoted(found.labels[j], is_value=True),
            count(rows),
            share(rows, sum(found.counts[i])),
        )
        for rows, i, j in wrong[:_MOST_PAIRS]
    )
    heads = (Head("Truth"), Head("Taken for"), Head("Test rows", "number"), Head("Share of the class", "number"))
    yield Table("Confused most often", heads, rows)


def _pooled(found: Confusion, most: int) -> tuple[list[str], list[list[int]]]:
    """Labels and counts of the largest classes in their own order, the others pooled behind them."""
    n = len(found.labels)
    if n <= most:
        return found.labels, found.counts
    sizes = [sum(found.counts[i]) for i in range(n)]
    kept = sorted(sorted(range(n), key=lambda i: -sizes[i])[: most - 1])
    groups = [[i] for i in kept] + [[i for i in range(n) if i not in set(kept)]]
    counts = [[sum(found.counts[i][j] for i in rows for j in columns) for columns in groups] for rows in groups]
    return [*(found.labels[i] for i in kept), _OTHERS], counts
