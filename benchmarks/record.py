"""The record: one entry for each problem and library, kept in a JSON file and replaced when measured again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.judge import Verdict
from benchmarks.machine import Origin


@dataclass(frozen=True)
class Facts:
    """A problem as it was raced; the words are those of ``Problem``."""

    name: str
    group: str
    series: str
    rows: int
    features: int
    test_rows: int
    classes: int
    storage: str
    parameters: dict[str, float | int | str]
    scaling: str
    cache_mb: float
    task: str = "svc"


@dataclass(frozen=True)
class Conditions:
    """What must agree for figures to stand in one report."""

    machine: str
    threads: int
    tol: float
    cache_mb: float


@dataclass(frozen=True)
class Timing:
    """Seconds; only a lower bound where the library was killed at the limit."""

    seconds: float
    is_bound: bool = False


@dataclass
class Entry:
    """One library's showing on one problem; fields stay empty where it did not get so far.

    Attributes
    ----------
    fits, predictions, evaluations : list of float
        Seconds of each repetition, the first one cold; evaluations are decision values of all training rows,
        taken of the library that is the yardstick.
    peak_mb : float
        Most memory in the cold fit above that with the data loaded.
    limit : float
        Seconds a fit or prediction was allowed.
    killed_at : str
        The verb at which it reached the limit; empty if it did not.
    """

    problem: Facts
    library: str
    version: str
    conditions: Conditions
    origin: Origin
    limit: float
    fits: list[float] = field(default_factory=list)
    predictions: list[float] = field(default_factory=list)
    evaluations: list[float] = field(default_factory=list)
    peak_mb: float | None = None
    accuracy: float | None = None
    verdict: Verdict | None = None
    killed_at: str = ""
    remarks: list[str] = field(default_factory=list)

    @property
    def fit(self) -> Timing | None:
        """Time of a warm fit."""
        return self._timing(self.fits, "fit")

    @property
    def prediction(self) -> Timing | None:
        """Time of a warm prediction of the test rows."""
        return self._timing(self.predictions, "predict")

    def _timing(self, seconds: Sequence[float], verb: str) -> Timing | None:
        if seconds:
            return Timing(warm(seconds))
        return Timing(self.limit, is_bound=True) if self.killed_at == verb else None


def warm(seconds: Sequence[float]) -> float:
    """Median of the repetitions after the first, which was cold; of the only one if there was but one."""
    return median(seconds[1:] or seconds)


def read(path: Path) -> list[Entry]:
    """The entries of a record, none if there is no such file."""
    if not path.exists():
        return []
    return [_entry(values) for values in json.loads(path.read_text(encoding="utf-8"))]


def write(path: Path, entries: Iterable[Entry]) -> None:
    """Write a record."""
    write_lines(path, (asdict(entry) for entry in entries))


def write_lines(path: Path, values: Iterable[Any]) -> None:
    """Write a list in JSON, one value a line; the file is whole whenever the process ends."""
    lines = ",\n".join(map(json.dumps, values))
    draft = path.with_name(path.name + ".draft")
    draft.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    os.replace(draft, path)


def merged(old: Iterable[Entry], new: Iterable[Entry]) -> list[Entry]:
    """Old entries with the new ones in the place of those they repeat."""
    entries = {(entry.conditions, entry.problem.name, entry.library): entry for entry in [*old, *new]}
    return list(entries.values())


def _entry(values: dict[str, Any]) -> Entry:
    verdict = values["verdict"]
    return Entry(
        **values
        | {
            "problem": Facts(**values["problem"]),
            "conditions": Conditions(**values["conditions"]),
            "origin": Origin(**values["origin"]),
            "verdict": None if verdict is None else Verdict(**verdict),
        }
    )
