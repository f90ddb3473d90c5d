"""What a report says: one file a section, from findings to blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mercer.report.blocks import Section
from mercer.report.limits import Limits
from mercer.report.sections import (
    baselines,
    checks,
    choice,
    data,
    definitions,
    evaluation,
    importance,
    machine,
    rows,
    summary,
    usage,
    versions,
)

if TYPE_CHECKING:
    from mercer.training.findings import Findings

__all__ = ["sections_of"]

_ORDER = (
    summary,
    checks,
    data,
    choice,
    machine,
    evaluation,
    baselines,
    importance,
    rows,
    definitions,
    usage,
    versions,
)


def sections_of(findings: Findings, limits: Limits) -> list[Section]:
    """All sections that have something to say, in the order of the report."""
    made = [module.section(findings, limits) for module in _ORDER]
    return [section for section in made if section.blocks]
