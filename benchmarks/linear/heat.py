"""One problem of a race: the libraries climb their ladders in turn, then what matters is repeated in turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks import machine
from benchmarks.dataset import Dataset
from benchmarks.linear.judge import primal, violation
from benchmarks.linear.ladders import LEVELS, TIE, ladder, limit_of, next_rung
from benchmarks.linear.problems import Problem
from benchmarks.linear.process import LibraryProcess
from benchmarks.linear.record import Bound, Conditions, Entry, Facts, Run, Showing
from benchmarks.linear.tasks import Rung
from benchmarks.remote import FailedError, OverLimitError

Progress = Callable[[str], None]

#: Fits of a run in all, where the first took less than so many seconds; a longer one is not repeated.
REPETITIONS = ((0.05, 7), (1.0, 3), (5.0, 2))


@dataclass(frozen=True)
class Terms:
    """The terms of the race, the same for all.

    Attributes
    ----------
    limit : float
        Seconds a fit may take before the library is killed.
    """

    threads: int = 2
    limit: float = 120.0

    @property
    def conditions(self) -> Conditions:
        """The part of the terms that shapes the figures, on this machine."""
        return Conditions(machine.describe(), self.threads)


@dataclass(frozen=True)
class _Climber:
    """A library on its ladder; ``enough`` is the primal value at which it need not climb on."""

    process: LibraryProcess
    showing: Showing
    rungs: list[Rung]
    enough: float


class Heat:
    """A problem, its data and those who race on it; ``run`` is called once."""

    def __init__(self, problem: Problem, dataset: Dataset, bound: Bound | None, terms: Terms, tell: Progress) -> None:
        self._problem, self._dataset, self._bound, self._terms, self._tell = problem, dataset, bound, terms, tell

    def run(self, processes: Mapping[str, LibraryProcess]) -> Entry:
        """Every library on every rung that tells something, and again."""
        origin = machine.origin()
        climbers = [
            self._climber(process, Showing(name, process.version, origin)) for name, process in processes.items()
        ]
        climbing = climbers
        while climbing:
            climbing = [climber for climber in climbing if self._climb(climber)]
        for repetition in range(1, max(count for _, count in REPETITIONS)):
            for climber in climbers:
                for run in climber.showing.runs:
                    if self._matters(run) and repetition < repetitions(run.seconds[0]):
                        self._attempt(climber, run, self._terms.limit)
        showings = tuple(climber.showing for climber in climbers)
        return Entry(self._facts(), self._terms.conditions, self._bound, showings)

    def _climber(self, process: LibraryProcess, showing: Showing) -> _Climber:
        rows, features = self._dataset.X_train.shape
        # Mercer has to reach whatever value a peer ends at.
        level = TIE if showing.library == "mercer" else min(LEVELS)
        enough = -math.inf if self._bound is None else self._bound.above(level)
        return _Climber(process, showing, ladder(showing.library, self._problem.task, rows > features), enough)

    def _climb(self, climber: _Climber) -> bool:
        """One rung up; whether there was one."""
        runs = climber.showing.runs
        rung = next_rung(climber.rungs, runs, climber.enough)
        if rung is None:
            return False
        limit = limit_of(rung, runs, climber.enough, self._terms.limit)
        runs.append(Run(rung))
        self._attempt(climber, runs[-1], limit)
        return True

    def _attempt(self, climber: _Climber, run: Run, limit: float) -> None:
        name, task = climber.showing.library, self._problem.task
        try:
            fitted = climber.process.ask("fit", task, run.rung, limit=limit)
        except OverLimitError:
            run.killed_after = limit
            self._tell(f"  {name:9} {run.rung}: killed after {limit:.3g} s")
            return
        except FailedError as error:
            climber.showing.remarks.append(f"{run.rung}: failed: {error}")
            self._tell(f"  {name:9} {run.rung}: failed: {error}")
            return
        run.seconds.append(fitted.seconds)
        if run.primal is None:
            run.peak_mb = fitted.peak_mb
            self._judge(climber, run)

    def _judge(self, climber: _Climber, run: Run) -> None:
        X, y, task = self._dataset.X_train, self._dataset.y_train, self._problem.task
        run.primal = primal(X, y, task, climber.process.ask("weights"))
        if task.is_kernel_machine:
            run.violation = violation(X, y, climber.process.ask("model"))
            told = f"violation {run.violation:.1e}"
        elif self._bound is not None:
            told = f"{self._bound.suboptimality(run.primal):.1e} above the bound"
            if run.primal < self._bound.above(-TIE):
                climber.showing.remarks.append(f"{run.rung}: {told}, which refutes it")
        self._tell(f"  {climber.showing.library:9} {run.rung}: {run.seconds[0]:.4f} s, {told}")

    def _matters(self, run: Run) -> bool:
        """Whether the run ended and is a default, or one of a descent, or near enough to the optimum for a level."""
        if run.primal is None:
            return False
        if run.rung.is_default or self._problem.task.is_descent or self._bound is None:
            return True
        return run.reaches(self._bound.above(max(LEVELS)))

    def _facts(self) -> Facts:
        problem, dataset = self._problem, self._dataset
        return Facts(
            name=problem.name,
            source=problem.source.name,
            rows=dataset.X_train.shape[0],
            features=dataset.X_train.shape[1],
            classes=dataset.classes,
            storage=dataset.storage,
            scaling=problem.source.scaling,
            task=problem.task,
        )


def repetitions(seconds: float) -> int:
    """Fits in all of a run whose first took so long."""
    return next((count for longest, count in REPETITIONS if seconds < longest), 1)
