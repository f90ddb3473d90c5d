"""Findings without the values of rows, for reports that others may read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mercer.training.findings import ColumnFound, Findings, RowFound

__all__ = ["without_values"]

_LEFT_OUT = "left out"


def without_values(findings: Findings) -> Findings:
    """The same findings; what rows hold is gone, and so are summaries and sentences on columns that may quote it.

    What stays: numbers of rows with their figures, names of columns, and the names of the classes, which the model
    itself has to say.
    """
    residuals = findings.evaluation.residuals
    if residuals is not None:
        residuals = replace(residuals, predicted=[], truth=[])
    names = [column.name for column in findings.data.columns]
    told = [one for one in findings.data.told if not any(repr(name) in one for name in names)]
    reason = findings.reason
    if findings.task == "regression":
        reason = f"Regression, because {findings.target} holds numbers."
    return replace(
        findings,
        reason=reason,
        data=replace(findings.data, told=told, columns=[_column(column) for column in findings.data.columns]),
        evaluation=replace(findings.evaluation, residuals=residuals),
        influential=[_row(row) for row in findings.influential],
        mistakes=[_row(row) for row in findings.mistakes],
    )


def _column(column: ColumnFound) -> ColumnFound:
    return replace(column, summary=_LEFT_OUT) if column.holds_values else column


def _row(row: RowFound) -> RowFound:
    return replace(row, truth="", predicted="", words="", values={})
