"""The record: one entry for each problem of a section, in a JSON file, replaced as a whole when measured again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import sklearn

import mercer
from benchmarks import machine
from benchmarks.dataset import Dataset
from benchmarks.machine import Origin
from benchmarks.record import write_lines
from benchmarks.tune.tasks import Task
from mercer._runtime import core


@dataclass(frozen=True)
class Facts:
    """A problem as it was searched."""

    section: str
    name: str
    rows: int
    features: int
    classes: int
    cells: int
    folds: int
    scaling: str


@dataclass(frozen=True)
class Conditions:
    """What must agree for figures to stand in one report."""

    machine: str
    threads: int


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes
    ----------
    scores, low, high : list of float or None
        Mean score of each cell, and between which numbers that of the exact machines lies; None where nobody knows.
    best : int
        The cell that was chosen.
    params : dict
        Its parameters.
    error : float
        Standard error of its score, over the folds.
    fits : int
        How many pairs of a cell and a fold were looked at.
    rivals : int, optional
        Cells that may be better than the chosen one, or of which nothing is proven; without a certificate None.
    """

    scores: list[float | None]
    low: list[float | None]
    high: list[float | None]
    best: int
    params: dict[str, float]
    error: float
    fits: int
    rivals: int | None


@dataclass(frozen=True)
class Showing:
    """One way of searching: seconds of each repetition, what the first found, and other figures by name.

    What was not found is None: a search can be out of time.
    """

    way: str
    seconds: list[float]
    found: Found | None
    figures: dict[str, float] = field(default_factory=dict)

    @property
    def time(self) -> float:
        """Median over the repetitions."""
        return median(self.seconds)


@dataclass(frozen=True)
class Entry:
    """A problem and the ways it was searched, which took turns."""

    problem: Facts
    conditions: Conditions
    origin: Origin
    versions: str
    showings: tuple[Showing, ...]

    def of(self, way: str) -> Showing | None:
        """A way's showing, if it was run."""
        return next((showing for showing in self.showings if showing.way == way), None)

    def found(self, way: str) -> Found | None:
        """What a way found, if it was run and did."""
        showing = self.of(way)
        return None if showing is None else showing.found

    def ratio(self, way: str, other: str) -> float | None:
        """The time of one way over that of another, if both were run."""
        top, bottom = self.of(way), self.of(other)
        return None if top is None or bottom is None else top.time / bottom.time


def entry_of(section: str, task: Task, dataset: Dataset, conditions: Conditions, showings: Iterable[Showing]) -> Entry:
    """The entry of a problem that was searched now, here."""
    rows, features = dataset.X_train.shape
    return Entry(
        Facts(section, task.name, rows, features, dataset.classes, task.cells, task.folds, task.scaling),
        conditions,
        machine.origin(),
        f"mercer {mercer.__version__} ({core.simd_level()}), scikit-learn {sklearn.__version__}",
        tuple(showings),
    )


def found_by(search: Any) -> Found:
    """What a fitted search found; bounds and rivals where it is Mercer's."""
    results, best = search.cv_results_, int(search.best_index_)
    unknown = np.full(len(results["params"]), np.nan)
    splits = np.array([results[f"split{k}_test_score"] for k in range(search.n_splits_)], dtype=np.float64)
    certificate = getattr(search, "certificate_", None)
    return Found(
        scores=_numbers(results["mean_test_score"]),
        low=_numbers(results.get("test_score_low", unknown)),
        high=_numbers(results.get("test_score_high", unknown)),
        best=best,
        params={name: float(value) for name, value in search.best_params_.items()},
        error=float(np.std(splits[:, best], ddof=1) / np.sqrt(len(splits))),
        fits=int(np.count_nonzero(np.isfinite(splits))),
        rivals=None if certificate is None else len(certificate.rivals) + len(certificate.unknown),
    )


def _numbers(values: Any) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


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
    entries = {(entry.conditions, entry.problem.section, entry.problem.name): entry for entry in [*old, new]}
    return list(entries.values())


def _entry(values: dict[str, Any]) -> Entry:
    return Entry(
        Facts(**values["problem"]),
        Conditions(**values["conditions"]),
        Origin(**values["origin"]),
        values["versions"],
        tuple(_showing(one) for one in values["showings"]),
    )


def _showing(values: dict[str, Any]) -> Showing:
    found = values["found"]
    return Showing(**values | {"found": None if found is None else Found(**found)})
