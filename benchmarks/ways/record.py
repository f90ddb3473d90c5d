"""The record: one entry for each problem of a section, in a JSON file, replaced as a whole when measured again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.machine import Origin
from benchmarks.record import warm, write_lines


class Seconds(NamedTuple):
    """What one repetition took: to make a memory of the rows, and to answer by it."""

    fit: float
    ask: float


@dataclass(frozen=True)
class Conditions:
    """What must agree for figures to stand in one report."""

    machine: str
    threads: int


@dataclass(frozen=True)
class Showing:
    """One way: seconds of each repetition, the first one cold; the share of the queries; and figures by name."""

    way: str
    seconds: list[Seconds]
    share: float = 1.0
    figures: dict[str, float | str] = field(default_factory=dict)

    @property
    def time(self) -> float:
        """For all queries: median over the repetitions, asking divided by the share of the queries."""
        return warm([one.fit + one.ask / self.share for one in self.seconds])

    def figure(self, name: str) -> float | None:
        """A figure that is a number, if there is one of that name."""
        found = self.figures.get(name)
        return None if found is None or isinstance(found, str) else found


@dataclass(frozen=True)
class Entry:
    """A problem of a section and the ways it was answered, which took turns."""

    section: str
    problem: str
    size: str
    conditions: Conditions
    origin: Origin
    versions: str
    showings: tuple[Showing, ...]

    def of(self, way: str) -> Showing | None:
        """A way's showing, if it was run."""
        return next((showing for showing in self.showings if showing.way == way), None)

    def ratio(self, way: str, other: str) -> float | None:
        """The time of one way over that of another, if both were run."""
        top, bottom = self.of(way), self.of(other)
        return None if top is None or bottom is None else top.time / bottom.time


def read(path: Path) -> list[Entry]:
    """The entries of a record, none if there is no such file."""
    if not path.exists():
        return []
    return [_entry(values) for values in json.loads(path.read_text(encoding="utf-8"))]


def write(path: Path, entries: Iterable[Entry]) -> None:
    """Write a record."""
    write_lines(path, (asdict(entry) for entry in entries))


def merged(old: Iterable[Entry], new: Entry) -> list[Entry]:
    """Old entries with the new one in the place of that which it repeats."""
    entries = {(entry.conditions, entry.section, entry.problem): entry for entry in [*old, new]}
    return list(entries.values())


def _entry(values: dict[str, Any]) -> Entry:
    showings = (one | {"seconds": [Seconds(*pair) for pair in one["seconds"]]} for one in values["showings"])
    return Entry(
        **values
        | {
            "conditions": Conditions(**values["conditions"]),
            "origin": Origin(**values["origin"]),
            "showings": tuple(Showing(**one) for one in showings),
        }
    )
