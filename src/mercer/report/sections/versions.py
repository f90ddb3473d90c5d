"""What it takes to do the same again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mercer.report.blocks import Head, Section, Table
from mercer.report.digits import duration
from mercer.report.limits import Limits
from mercer.report.sections.prose import moment

if TYPE_CHECKING:
    from mercer.training.findings import Findings

__all__ = ["section"]


def section(findings: Findings, limits: Limits) -> Section:
    """Version, time and seed."""
    rows = (
        ("Mercer", findings.mercer),
        ("Created", moment(findings.created)),
        ("Seed", str(findings.seed)),
        ("Time of the whole run", duration(findings.seconds)),
    )
    return Section("versions", "Versions and seed", (Table("This run", (Head("What"), Head("Value")), rows),))
