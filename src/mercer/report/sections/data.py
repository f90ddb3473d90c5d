"""The data as they were understood: the file, its columns, its classes, and what became of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mercer.report.blocks import Block, Drawing, Head, Items, Paragraph, Quoted, Section, Table, Words
from mercer.report.charts import Axis, bar
from mercer.report.digits import count, share
from mercer.report.limits import Limits
from mercer.report.sections.prose import sentence

if TYPE_CHECKING:
    from mercer.training.findings import ColumnFound, DataFound, Findings

__all__ = ["section"]

_HEADS = (
    Head("Column"),
    Head("Kind"),
    Head("Role"),
    Head("Missing", "number"),
    Head("Distinct", "number"),
    Head("Features", "number"),
    Head("Values"),
)
_ROLES = ("target", "feature", "left out")


def section(findings: Findings, limits: Limits) -> Section:
    """The data."""
    data = findings.data
    blocks: list[Block] = [Paragraph(_rows(data))]
    if data.told:
        blocks.append(Items(tuple(data.told[: limits.sentences])))
    if findings.classes:
        blocks.append(_classes(findings.classes, limits))
    blocks.append(_columns(data, limits))
    return Section("data", "The data as understood", tuple(blocks))


def _rows(data: DataFound) -> Words:
    split = data.split.rstrip(".")
    words = f" was read as {data.format}: {count(data.rows)} rows and {count(len(data.columns))} columns. "
    if data.dropped:
        words += f"{count(data.dropped)} of its rows have no target and were left out. "
    words += f"{count(data.train_rows)} rows were learnt from and {count(data.test_rows)} kept for the test"
    return (Quoted(data.source), words + (f": {split}." if split else "."))


def _classes(classes: dict[str, int], limits: Limits) -> Table:
    total, largest = sum(classes.values()), max(classes.values())
    axis = Axis("rows", 0.0, float(max(1, largest)))
    shown = sorted(classes.items(), key=lambda each: -each[1])[: limits.classes]
    rows = tuple(
        (Quoted(name, is_value=True), Drawing(bar(axis, rows)), count(rows), share(rows, total)) for name, rows in shown
    )
    heads = (Head("Class"), Head("", "drawing"), Head("Rows", "number"), Head("Share", "number"))
    return Table("Classes", heads, rows, more=len(classes) - len(rows))


def _columns(data: DataFound, limits: Limits) -> Table:
    ordered = sorted(
        data.columns, key=lambda column: _ROLES.index(column.role) if column.role in _ROLES else len(_ROLES)
    )
    shown = ordered[: limits.columns]
    rows = tuple(_column(column, data.rows) for column in shown)
    notes = tuple(sentence(column.note) for column in shown)
    return Table("Columns", _HEADS, rows, notes if any(notes) else (), more=len(data.columns) - len(rows))


def _column(column: ColumnFound, n_rows: int) -> tuple[Words, ...]:
    missing = f"{count(column.missing)} ({share(column.missing, n_rows)})" if column.missing else "0"
    features = count(column.features) if column.role == "feature" else "—"
    summary: Words = Quoted(column.summary, is_value=True) if column.summary else "—"
    return (Quoted(column.name), column.kind, column.role, missing, count(column.distinct), features, summary)
