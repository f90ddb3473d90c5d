"""The record: one entry for each problem, in a JSON file; a library that is measured again is replaced in its entry."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.linear.tasks import Rung, Task
from benchmarks.machine import Origin
from benchmarks.record import write_lines


@dataclass(frozen=True)
class Facts:
    """A problem as it was raced."""

    name: str
    source: str
    rows: int
    features: int
    classes: int
    storage: str
    scaling: str
    task: Task


@dataclass(frozen=True)
class Conditions:
    """What must agree for figures to stand in one report."""

    machine: str
    threads: int


@dataclass
class Run:
    """Fits of one library at one setting.

    Attributes
    ----------
    rung : Rung
        The setting.
    seconds : list of float
        The whole call of fit, warm, once for each repetition.
    primal : float, optional
        Objective of the machine, in float64; None where no fit ended.
    violation : float, optional
        Of a kernel machine, by ``mercer.certify``.
    peak_mb : float, optional
        Most resident memory in the first fit, above that with the data loaded.
    killed_after : float, optional
        Seconds after which it was killed.
    """

    rung: Rung
    seconds: list[float] = field(default_factory=list)
    primal: float | None = None
    violation: float | None = None
    peak_mb: float | None = None
    killed_after: float | None = None

    @property
    def time(self) -> float:
        """Median over the repetitions."""
        return median(self.seconds)

    def reaches(self, value: float) -> bool:
        """Whether its machine has at most this objective."""
        return self.primal is not None and self.primal <= value


@dataclass
class Showing:
    """All runs of one library on one problem."""

    library: str
    version: str
    origin: Origin
    runs: list[Run] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Bound:
    """What Mercer's certificate proves of the optimum.

    Attributes
    ----------
    dual : float
        No machine has an objective below.
    gap : float
        How far above it, as a share of it, the machine of the certificate is.
    """

    dual: float
    gap: float

    def above(self, share: float) -> float:
        """The primal value that is this share above the bound."""
        return self.dual + share * abs(self.dual)

    def suboptimality(self, primal: float) -> float:
        """How far a primal value is above the bound, as a share of it."""
        return (primal - self.dual) / abs(self.dual)


@dataclass(frozen=True)
class Entry:
    """A problem, the bound of its optimum, and who raced on it; a kernel machine has no bound here."""

    problem: Facts
    conditions: Conditions
    bound: Bound | None
    showings: tuple[Showing, ...]

    def of(self, library: str) -> Showing | None:
        """A library's showing, if it raced."""
        return next((showing for showing in self.showings if showing.library == library), None)


def read(path: Path) -> list[Entry]:
    """The entries of a record, none if there is no such file."""
    if not path.exists():
        return []
    return [_entry(values) for values in json.loads(path.read_text(encoding="utf-8"))]


def write(path: Path, entries: Iterable[Entry]) -> None:
    """Write a record."""
    write_lines(path, (asdict(entry) for entry in entries))


def merged(old: Iterable[Entry], new: Entry) -> list[Entry]:
    """Old entries with the new one in its place; libraries it does not have keep their showings."""
    entries = {(entry.conditions, entry.problem.name): entry for entry in old}
    key = new.conditions, new.problem.name
    if key in entries:
        showings = {showing.library: showing for showing in [*entries[key].showings, *new.showings]}
        new = replace(new, showings=tuple(showings.values()))
    return list((entries | {key: new}).values())


def _entry(values: dict[str, Any]) -> Entry:
    facts, bound = values["problem"], values["bound"]
    return Entry(
        problem=Facts(**facts | {"task": Task(**facts["task"])}),
        conditions=Conditions(**values["conditions"]),
        bound=None if bound is None else Bound(**bound),
        showings=tuple(_showing(showing) for showing in values["showings"]),
    )


def _showing(values: dict[str, Any]) -> Showing:
    runs = [Run(**run | {"rung": Rung(**run["rung"])}) for run in values["runs"]]
    return Showing(**values | {"origin": Origin(**values["origin"]), "runs": runs})
