"""What to look at next: a few sentences, the most useful first."""

from __future__ import annotations

from mercer.training.findings import Check
from mercer.training.outcome import Outcome

__all__ = ["next_steps"]

_MOST = 4
# Checks whose advice is good for a next step, the most urgent first.
_ORDER = (
    "M202",
    "M201",
    "M401",
    "M402",
    "M501",
    "M503",
    "M502",
    "M504",
    "M110",
    "M107",
    "M301",
    "M106",
    "M203",
    "M109",
    "M105",
)


def next_steps(outcome: Outcome, checks: list[Check]) -> list[str]:
    """The advice of the checks that found something, and a way on where none did."""
    found = {check.code: check for check in checks if check.todo and check.level != "fine"}
    warned = [code for code in _ORDER if code in found and found[code].level == "warning"]
    noted = [code for code in _ORDER if code in found and found[code].level == "note"]
    steps = [f"{found[code].title} ({code}): {found[code].todo}" for code in [*warned, *noted]][: _MOST - 1]
    if outcome.data.target.task == "classification":
        steps.append("Look at the test rows with a wrong label: are their labels right?")
    else:
        steps.append("Look at the test rows that are farthest off: are their values right?")
    return steps
