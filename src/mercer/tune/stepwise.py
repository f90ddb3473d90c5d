"""Cells fitted one after the other along a path: rows are prepared once, and along ν each machine begins from the last.

For rows whose kernel values do not fit the memory, and for machines of other problems.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer import checks
from mercer.certificates import Certificate
from mercer.data import take_rows
from mercer.fits import Fitted, fit
from mercer.problems import SupportVectorClassification, SupportVectorRegression
from mercer.rows import rows_of, takes_features
from mercer.solvers import NO_LIMIT, Terms
from mercer.solvers.status import Status
from mercer.tune.bounds import offset_interval, value_interval
from mercer.tune.cells import Family, Split
from mercer.tune.groups import FLOAT64, PROBES, SAFETY
from mercer.tune.responses import Known, answers
from mercer.tune.shared import Evaluated, Stage
from mercer.typing import Floats

__all__ = ["evaluate_stepwise"]

# Problems whose gap bounds the machine.
_STRONGLY_CONVEX = (SupportVectorClassification, SupportVectorRegression)
_UNFINISHED = {Status.TIME_LIMIT, Status.INTERRUPTED}


def evaluate_stepwise(
    machine: Any, family: Family, stage: Stage, wants_train: bool, report: Any, ends: float, exactly: bool = False
) -> Iterator[Evaluated]:
    """The machines of the cells on all splits of the stage, as `SharedFits.evaluate` gives them.

    Parameters
    ----------
    machine : KernelEstimator
        Parameters that cells do not name; memory and threads too.
    family : Family
        Cells that differ in one parameter.
    stage : Stage
        Rows and splits.
    wants_train : bool
        Whether rows that a machine was fitted on are to be valued too.
    report : callable or None
        Heard by the core about ten times a second; returns True to stop.
    ends : float
        On the clock `perf_counter`.
    exactly : bool
        Whether coefficients are to be exact up to rounding.
    """
    for split in stage.splits:
        yield from _Path(machine, family, stage, split, exactly).run(wants_train, report, ends)


class _Path:
    """The cells of a family on one split."""

    def __init__(self, machine: Any, family: Family, stage: Stage, split: Split, exactly: bool) -> None:
        self.family, self.stage, self.split = family, stage, split
        self.machine = clone(machine).set_params(**family.params, polish=exactly)
        self.y = take_rows(stage.y, split.train)
        self.weights = None if stage.weights is None else stage.weights[split.train]
        kernel = self.machine._named_kernel(self.machine.kernel)
        is_square = not takes_features(kernel)
        X = stage.X[np.ix_(split.train, split.train)] if is_square else take_rows(stage.X, split.train)
        self.queries = [
            np.ascontiguousarray(stage.X[np.ix_(chosen, split.train)]) if is_square else take_rows(stage.X, chosen)
            for chosen in (split.test, split.train)
        ]
        self.rows = rows_of(kernel.resolve(X), X)

    def run(self, wants_train: bool, report: Any, ends: float) -> Iterator[Evaluated]:
        start: Floats | None = None
        for cell, value in zip(self.family.cells, self.family.values, strict=True):
            began = perf_counter()
            if began >= ends:
                return
            machine = self.machine.set_params(**{self.family.along: value})
            targets = machine._read_targets(self.y, self.weights, len(self.y))
            task = machine._task(self.rows, targets)
            plan = machine._plan(task)
            fitted = fit(task, plan, plan.solver(), Terms(ends=ends, steps=NO_LIMIT, report=report), start)
            if _UNFINISHED.intersection(fitted.statuses):
                return
            # Along C the solver finds its machines no sooner from the one before: it begins with few rows.
            start = None if self.family.along == "C" else fitted.coef
            classes = None if not task.pairs else targets.targets.classes
            own = machine._precise_machine_of(fitted, targets)
            queries = self.queries if wants_train else self.queries[:1]
            known = [self._known(machine, own, fitted, classes, X) for X in queries]
            certificate = fitted.certificate
            yield Evaluated(
                cell,
                self.split,
                known[0],
                known[1] if wants_train else None,
                gap=certificate.gap,
                violation=certificate.violation,
                status=fitted.status,
                is_copied=False,
                support=len(own.support),
                seconds=perf_counter() - began,
            )

    def _known(self, machine: Any, own: Any, fitted: Fitted, classes: Any, X: Any) -> Known:
        threads = checks.thread_count(machine.n_jobs)
        values = own.values(X, threads, np.float32)
        probes = np.linspace(0, X.shape[0] - 1, min(PROBES, X.shape[0]), dtype=np.int64)
        precise = own.values(take_rows(X, probes), threads, np.float64)
        off = SAFETY * np.abs(values[probes] - precise).max(axis=0)
        low, high = self._bounds(own, fitted, values, X, off)
        known = answers(machine, classes, values, low, high)
        return known if self.stage.back is None else known.mapped(self.stage.back, self.stage.is_rising)

    def _bounds(self, own: Any, fitted: Fitted, values: Floats, X: Any, off: Floats) -> tuple[Any, Any]:
        """Between which the values of the exact machine lie, where those at hand are `off` by rounding."""
        problem, certificate = fitted.problem, fitted.certificate
        is_bounded = isinstance(problem, _STRONGLY_CONVEX) and fitted.products is not None and self.rows.is_definite
        if not is_bounded or not isinstance(certificate, Certificate) or fitted.divisors is not None:
            return None, None
        kink = np.zeros_like(problem.slope) if problem.kink is None else problem.kink
        assert fitted.products is not None
        beside = problem.slope - fitted.products
        best = np.array(
            [offset_interval(beside[r], kink[r], problem.lower[r], problem.upper[r]) for r in problem.groups.runs]
        )
        largest = float(np.abs(self.rows.diagonal).max())
        sizes = np.sqrt(problem.groups.sum(fitted.coef**2))
        # One gap for all functions together is no less than that of each.
        gap = np.full(len(best), max(certificate.gap, 0.0) + certificate.accuracy)
        norms = (
            np.sqrt(np.maximum(self.rows.kernel.diagonal(X), 0.0))
            if self.rows.is_computed
            else np.full(len(values), np.sqrt(largest))
        )
        error = np.maximum(off, FLOAT64 * largest * sizes)
        return value_interval(values - own.intercept, best, gap, norms, float(np.sqrt(largest)), error)
