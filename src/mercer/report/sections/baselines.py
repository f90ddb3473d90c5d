"""What simpler and other models reach on the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mercer.report.blocks import Paragraph, Section
from mercer.report.limits import Limits
from mercer.report.sections.prose import in_sentence
from mercer.report.sections.scores import direction, leaderboard

if TYPE_CHECKING:
    from mercer.training.findings import Findings

__all__ = ["section"]


def section(findings: Findings, limits: Limits) -> Section:
    """The baselines."""
    if not findings.baselines:
        return Section("baselines", "Baselines")
    metric = findings.evaluation.metrics[0]
    words = (
        "A score means something beside others. Each model was fitted to the same training rows and judged by "
        f"{in_sentence(metric.name)} ({direction(metric.larger_is_better)}) on the same test rows; whiskers are one "
        "standard error."
    )
    return Section("baselines", "Baselines", (Paragraph(words), leaderboard(findings, is_short=False)))
