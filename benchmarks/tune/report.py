"""The report in Markdown: a section for each letter that was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.tune.record import Entry
from benchmarks.tune.sections import SECTIONS

INTRODUCTION = """\
Searches take turns, each after one of a few rows that is not timed; a time is the median, and what takes long is run \
once. All have the same cells, folds, `tol` and cores. Where only some rows of a set are taken, they are from all over \
it. Sections are measured apart, and each says with what; one that is missing was not run."""


def render(entries: Iterable[Entry]) -> str:
    """The report of entries measured under the same conditions."""
    found = list(entries)
    conditions = found[0].conditions
    parts = ["# Parameter search", f"- Machine: {conditions.machine}\n- Threads: {conditions.threads}", INTRODUCTION]
    for letter, section in SECTIONS.items():
        if own := _of_section(letter, found):
            parts += [f"## {letter}. {section.title}", _origin(own), section.told, section.tables(own)]
    return "\n\n".join(parts) + "\n"


def _of_section(letter: str, entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.problem.section == letter]


def _origin(entries: Sequence[Entry]) -> str:
    parts = [
        _distinct(entry.versions for entry in entries),
        f"Mercer at {_distinct(entry.origin.commit for entry in entries)}",
        _distinct(entry.origin.software for entry in entries),
    ]
    return f"*{'; '.join(parts)}*"


def _distinct(values: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(values))
