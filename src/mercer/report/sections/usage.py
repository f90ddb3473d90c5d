"""How to use the model that the report is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mercer.report.blocks import Code, Mono, Paragraph, Quoted, Section
from mercer.report.limits import Limits

if TYPE_CHECKING:
    from mercer.training.findings import Findings

__all__ = ["section"]


def section(findings: Findings, limits: Limits) -> Section:
    """The commands."""
    words = (
        Mono("MODEL"),
        " is the model file that was written with this report, ",
        Mono("TABLE"),
        " a table with the same columns; for predictions it needs no ",
        Quoted(findings.target),
        ". Every command says more with ",
        Mono("--help"),
        ".",
    )
    lines = (
        ("mercer predict MODEL TABLE", "predictions for each row of a table of any size"),
        ("mercer inspect MODEL", "what the file holds: columns, parameters, score, certificate"),
        ("mercer certify MODEL TABLE", "compute the certificate anew, from the model and the table it was fitted to"),
    )
    return Section("usage", "How to use the model", (Paragraph(words), Code(lines)))
