"""The race on one problem: every library in its own process, repetitions interleaved, then the judge."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import machine
from benchmarks.dataset import Dataset, Matrix
from benchmarks.judge import JUDGES
from benchmarks.libraries import YARDSTICK
from benchmarks.libraries.base import Settings
from benchmarks.problems import Problem, score
from benchmarks.record import Conditions, Entry, Facts
from benchmarks.remote import FailedError, MissingError, OverLimitError, RemoteLibrary
from benchmarks.worker import Machine

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Terms:
    """The terms of the race, the same for all.

    Attributes
    ----------
    limit : float
        Seconds a fit or prediction may take before the library is killed.
    budget : float
        A library that has spent so many seconds on its fits, one of them warm, is not asked again.
    """

    threads: int = 2
    tol: float = 1e-3
    cache_mb: float = 200.0
    repeat: int = 5
    limit: float = 300.0
    budget: float = 60.0

    @property
    def conditions(self) -> Conditions:
        """The part of the terms that shapes the figures, on this machine."""
        return Conditions(machine.describe(), self.threads, self.tol, self.cache_mb)


@dataclass
class _Runner:
    entry: Entry
    remote: RemoteLibrary
    running: bool = True
    machine: Machine | None = None

    def has_spent(self, budget: float) -> bool:
        return len(self.entry.fits) > 1 and sum(self.entry.fits) > budget


def race(problem: Problem, libraries: Sequence[str], terms: Terms, progress: Progress) -> list[Entry]:
    """Run the libraries on one problem."""
    dataset = problem.load()
    facts = _facts(problem, dataset, terms)
    settings = Settings(facts.parameters, terms.tol, facts.cache_mb, terms.threads)
    origin = machine.origin()
    progress(f"{facts.name}: {facts.rows:,} × {facts.features:,} {facts.storage}, {facts.classes} classes")
    runners: list[_Runner] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "dataset.pickle"
            path.write_bytes(pickle.dumps(dataset, protocol=5))
            for name in libraries:
                try:
                    remote = RemoteLibrary(["benchmarks.worker", problem.task, name], terms.threads)
                except MissingError as error:
                    progress(f"  {name:9} skipped: {error}")
                    continue
                entry = Entry(facts, name, remote.version, terms.conditions, origin, terms.limit)
                runner = _Runner(entry, remote)
                runners.append(runner)
                _guarded(runner, lambda r: r.remote.ask("load", path, settings), progress)
        for repetition in range(terms.repeat):
            for runner in (runner for runner in runners if not runner.has_spent(terms.budget)):
                _guarded(runner, lambda r: _repetition(r, problem, dataset, terms, progress), progress)
            progress(f"  repetition {repetition + 1} of {terms.repeat} done")
    finally:
        for runner in runners:
            runner.remote.close()
    for runner in runners:
        _judge(runner, problem.task, dataset, progress)
    return [runner.entry for runner in runners]


def _facts(problem: Problem, dataset: Dataset, terms: Terms) -> Facts:
    return Facts(
        name=problem.name,
        group=problem.group,
        series=problem.series,
        rows=dataset.X_train.shape[0],
        features=dataset.X_train.shape[1],
        test_rows=dataset.X_test.shape[0],
        classes=dataset.classes,
        storage=dataset.storage,
        parameters=problem.resolved_parameters(dataset),
        scaling=problem.scaling,
        cache_mb=terms.cache_mb if problem.cache_mb is None else problem.cache_mb,
        task=problem.task,
    )


def _guarded(runner: _Runner, action: Callable[[_Runner], None], progress: Progress) -> None:
    if not runner.running:
        return
    try:
        action(runner)
    except OverLimitError as error:
        runner.running = False
        entry = runner.entry
        entry.killed_at = error.verb
        entry.remarks.append(f"killed after {entry.limit:g} s of {error.verb}")
        progress(f"  {entry.library:9} killed after {entry.limit:g} s of {error.verb}")
    except FailedError as error:
        runner.running = False
        runner.entry.remarks.append(f"failed: {error}")
        progress(f"  {runner.entry.library:9} failed: {error}")


def _repetition(runner: _Runner, problem: Problem, dataset: Dataset, terms: Terms, progress: Progress) -> None:
    entry, remote = runner.entry, runner.remote
    fitted = remote.ask("fit", limit=terms.limit)
    entry.fits.append(fitted.seconds)
    if runner.machine is None:
        # Memory and coefficients are those of the cold fit: later ones may reuse what it left allocated.
        entry.peak_mb = fitted.peak_mb
        model: Machine = remote.ask("model", limit=terms.limit)
        runner.machine = model
        if model.remark:
            entry.remarks.append(model.remark)
    predicted = remote.ask("predict", limit=terms.limit)
    entry.predictions.append(predicted.seconds)
    entry.accuracy = score(problem.task, dataset.y_test, predicted.labels)
    if entry.library == YARDSTICK:
        entry.evaluations.append(remote.ask("evaluate", limit=terms.limit))
    progress(f"  {entry.library:9} fit {fitted.seconds:9.4f} s   predict {predicted.seconds:9.4f} s")


def _judge(runner: _Runner, task: str, dataset: Dataset, progress: Progress) -> None:
    if runner.machine is None:
        return
    entry = runner.entry
    X = _as_given(dataset.X_train, runner.remote.bits)
    entry.verdict = JUDGES[task](X, dataset.y_train, entry.problem.parameters, runner.machine.coefficients)
    if entry.verdict.infeasibility > 1e-5:
        entry.remarks.append(f"breaks the constraints by {entry.verdict.infeasibility:.1e} of their bounds")
    progress(f"  {entry.library:9} violation {entry.verdict.violation:.2e}")


def _as_given(X: Matrix, bits: int) -> Matrix:
    return X if bits == 64 else X.astype(np.float32).astype(np.float64)
