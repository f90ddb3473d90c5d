"""What was looked at, warnings first, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mercer.report.blocks import Block, Head, Items, Mono, Notice, Paragraph, Section, Subtitle, Table
from mercer.report.limits import Limits

if TYPE_CHECKING:
    from mercer.training.findings import Findings

__all__ = ["section"]

_LEVELS = ("warning", "note")


def section(findings: Findings, limits: Limits) -> Section:
    """The checks, and what to look at next."""
    blocks: list[Block] = []
    found = [check for level in _LEVELS for check in findings.checks if check.level == level]
    shown = found[: limits.checks]
    blocks += [Notice(check.level, check.code, check.title, check.words, check.todo) for check in shown]
    if len(found) > len(shown):
        blocks.append(Paragraph(f"{len(found) - len(shown)} more are in report.json.", "small"))
    fine = [check for check in findings.checks if check.level not in _LEVELS]
    if fine:
        rows = tuple((Mono(check.code), check.title, check.words) for check in fine[: limits.checks])
        heads = (Head("Code"), Head("Looked at"), Head("Found"))
        blocks.append(Table("In order", heads, rows, more=len(fine) - len(rows)))
    if findings.checks and not found:
        blocks.insert(0, Paragraph("Nothing that was looked at calls for a warning."))
    if findings.next_steps:
        blocks += [Subtitle("What to look at next"), Items(tuple(findings.next_steps[: limits.sentences]))]
    return Section("checks", "Checks", tuple(blocks))
