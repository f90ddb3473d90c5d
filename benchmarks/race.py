"""The race on one problem: every library in its own process, repetitions interleaved, then the judge."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.dataset import Dataset, Matrix
from benchmarks.judge import JUDGES, Verdict
from benchmarks.libraries.base import Settings
from benchmarks.problems import Problem, score
from benchmarks.remote import FailedError, MissingError, OverLimitError, RemoteLibrary
from benchmarks.worker import Machine
from benchmarks.yardstick import evaluation_seconds

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Terms:
    """The terms of the race, the same for all."""

    threads: int = 2
    tol: float = 1e-3
    cache_mb: float = 200.0
    repeat: int = 5
    limit: float = 300.0
    reference: str = "mercer"


@dataclass
class Entry:
    """One library's showing on one problem; fields stay empty where it did not get so far."""

    library: str
    fits: list[float] = field(default_factory=list)
    predictions: list[float] = field(default_factory=list)
    peak_mb: float | None = None
    accuracy: float | None = None
    verdict: Verdict | None = None
    evaluation: float | None = None
    over_limit: bool = False
    remarks: list[str] = field(default_factory=list)

    @property
    def cold(self) -> float | None:
        """Time of the first fit of the process."""
        return self.fits[0] if self.fits else None

    @property
    def warm(self) -> float | None:
        """Best time of the later fits; of the only fit if there was one."""
        return min(self.fits[1:] or self.fits, default=None)

    @property
    def prediction(self) -> float | None:
        """Best time of a prediction."""
        return min(self.predictions, default=None)


@dataclass(frozen=True)
class Outcome:
    """All entries on one problem."""

    problem: Problem
    description: str
    parameters: dict[str, float | int | str]
    entries: list[Entry]


@dataclass
class _Runner:
    entry: Entry
    remote: RemoteLibrary
    running: bool = True
    machine: Machine | None = None


def versions(task: str, libraries: Sequence[str], threads: int) -> tuple[dict[str, str], dict[str, str]]:
    """Versions of the libraries that are there, and why the others are not."""
    found: dict[str, str] = {}
    missing: dict[str, str] = {}
    for name in libraries:
        try:
            remote = RemoteLibrary(task, name, threads)
        except MissingError as error:
            missing[name] = str(error)
            continue
        found[name] = remote.version
        remote.close()
    return found, missing


def race(problem: Problem, libraries: Sequence[str], terms: Terms, progress: Progress) -> Outcome:
    """Run the libraries on one problem."""
    dataset = problem.load()
    parameters = problem.resolved_parameters(dataset)
    settings = Settings(parameters, terms.tol, terms.cache_mb, terms.threads)
    progress(f"{problem.name}: {dataset.describe()}")
    runners: list[_Runner] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "dataset.pickle"
            path.write_bytes(pickle.dumps(dataset, protocol=5))
            for name in libraries:
                runner = _Runner(Entry(name), RemoteLibrary(problem.task, name, terms.threads))
                runners.append(runner)
                _guarded(runner, lambda r: r.remote.ask("load", path, settings), progress)
        for repetition in range(terms.repeat):
            for runner in runners:
                _guarded(runner, lambda r: _repetition(r, problem, dataset, terms, progress), progress)
            progress(f"  repetition {repetition + 1} of {terms.repeat} done")
    finally:
        for runner in runners:
            runner.remote.close()
    _judge(problem, dataset, parameters, runners, terms, progress)
    return Outcome(problem, dataset.describe(), parameters, [runner.entry for runner in runners])


def _guarded(runner: _Runner, action: Callable[[_Runner], None], progress: Progress) -> None:
    if not runner.running:
        return
    try:
        action(runner)
    except OverLimitError:
        runner.running = False
        entry = runner.entry
        entry.over_limit = not entry.fits
        verb = "predicting" if len(entry.fits) > len(entry.predictions) else "fitting"
        entry.remarks.append(f"killed at the limit while {verb}, repetition {len(entry.predictions) + 1}")
        progress(f"  {runner.entry.library:9} over the limit, killed")
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
        machine: Machine = remote.ask("model", limit=terms.limit)
        runner.machine = machine
        if machine.remark:
            entry.remarks.append(machine.remark)
    predicted = remote.ask("predict", limit=terms.limit)
    entry.predictions.append(predicted.seconds)
    entry.accuracy = score(problem.task, dataset.y_test, predicted.labels)
    progress(f"  {entry.library:9} fit {fitted.seconds:9.4f} s   predict {predicted.seconds:9.4f} s")


def _judge(
    problem: Problem,
    dataset: Dataset,
    parameters: dict[str, float | int | str],
    runners: list[_Runner],
    terms: Terms,
    progress: Progress,
) -> None:
    judged = [runner for runner in runners if runner.machine is not None]
    # The yardstick has one machine for all libraries, so that the column compares them.
    judged.sort(key=lambda runner: runner.entry.library != terms.reference)
    evaluation: float | None = None
    for runner in judged:
        assert runner.machine is not None
        machine, entry = runner.machine.coefficients, runner.entry
        if evaluation is None:
            evaluation = evaluation_seconds(dataset.X_train, machine, parameters, terms.threads)
        entry.evaluation = evaluation
        X = _as_given(dataset.X_train, runner.remote.bits)
        entry.verdict = JUDGES[problem.task](X, dataset.y_train, parameters, machine)
        if entry.verdict.infeasibility > 1e-5:
            entry.remarks.append(f"breaks the constraints by {entry.verdict.infeasibility:.1e} C")
        progress(f"  {entry.library:9} violation {entry.verdict.violation:.2e}")


def _as_given(X: Matrix, bits: int) -> Matrix:
    return X if bits == 64 else X.astype(np.float32).astype(np.float64)
