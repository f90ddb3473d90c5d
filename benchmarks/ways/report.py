"""The report in Markdown: a section for each letter that was measured, its times and its bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.markdown import NONE, number, seconds, table, times
from benchmarks.ways.bars import Bar
from benchmarks.ways.book import Book
from benchmarks.ways.record import Entry, Showing
from benchmarks.ways.section import Section

INTRODUCTION = """\
Ways take turns; a time is the median of the repetitions after the first, which is the cold one, and what takes long \
is run once. *queries*: the share of them that a way was asked where all would take too long; its seconds of asking \
are divided by that. *÷*: a way's time divided by that of the first way of its problem. A peer that is not installed \
is left out, and the line under the title says so. Sections are measured apart; one that is missing was not run."""


def render(book: Book, entries: Iterable[Entry]) -> str:
    """The report of entries measured under the same conditions."""
    found = list(entries)
    conditions = found[0].conditions
    head = f"- Machine: {conditions.machine}\n- Threads: {conditions.threads}"
    parts = [f"# {book.title}", head, INTRODUCTION]
    for letter, section in book.sections.items():
        if own := _in_order(section, [entry for entry in found if entry.section == letter]):
            parts += [f"## {letter}. {section.title}", _origin(own), section.told, _times(own)]
            if section.bars:
                parts.append(_bars(section.bars, own))
    return "\n\n".join(parts) + "\n"


def _in_order(section: Section, entries: Sequence[Entry]) -> list[Entry]:
    places = list(section.problems)
    return sorted((one for one in entries if one.problem in places), key=lambda one: places.index(one.problem))


def _origin(entries: Sequence[Entry]) -> str:
    parts = [
        _distinct(entry.versions for entry in entries),
        f"Mercer at {_distinct(entry.origin.commit for entry in entries)}",
        _distinct(entry.origin.software for entry in entries),
    ]
    return f"*{'; '.join(parts)}*"


def _distinct(values: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(values))


def _times(entries: Sequence[Entry]) -> str:
    named = list(dict.fromkeys(name for entry in entries for one in entry.showings for name in one.figures))
    head = ["problem", "way", "queries", "time", "÷", *named]
    rows = []
    for entry in entries:
        for place, showing in enumerate(entry.showings):
            problem = f"{entry.problem}: {entry.size}" if place == 0 else ""
            rows.append([problem, *_told(showing, entry.showings[0]), *(_figure(showing, name) for name in named)])
    return table(head, rows)


def _told(showing: Showing, first: Showing) -> list[str]:
    share = "all" if showing.share == 1 else f"{showing.share:.2g}"
    return [showing.way, share, seconds(showing.time), times(showing.time / first.time)]


def _figure(showing: Showing, name: str) -> str:
    value = showing.figures.get(name, NONE)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _bars(bars: Sequence[Bar], entries: Sequence[Entry]) -> str:
    rows = []
    for entry in entries:
        for bar in (bar for bar in bars if bar.problem == entry.problem):
            value = bar.figure(entry)
            limit = f"{'≥' if bar.is_least else '≤'} {number(bar.limit)}"
            verdict = "not run" if value is None else "yes" if bar.is_met(value) else "**no**"
            rows.append([entry.problem, bar.words, limit, NONE if value is None else f"{value:.3g}", verdict])
    return table(["problem", "bar", "asked", "found", "met"], rows)
