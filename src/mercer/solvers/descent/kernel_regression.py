"""Least squares in the coefficients of the training rows, by stochastic gradient descent.

Solves       min over beta, b of ½ Σ s_i (Σ_j beta_j K_ij + b − t_i)² / Σ s_i, from where it starts
Given        kernel values K between the rows, targets t, weights s of mean one, how long and how many steps are
Returns      beta, b, and the objective after every pass
Stops when   the passes are done or no longer help, or beta leaves float64, or the watch says so
See          docs/lectures/kernel_regression.md

Gradient descent on w, from w = 0, only ever adds multiples of φ(x_i) to it. So w = Σ_i beta_i φ(x_i) all the way, and
the step of a batch moves the beta of its own rows by their errors: φ itself is never needed.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from mercer.solvers.descent.watch import Stopped, Watch
from mercer.solvers.status import Status
from mercer.typing import Floats, Integers

__all__ = ["DualDescent", "DualDescended", "DualState", "RowsToFit", "safe_rate"]

# From a random start so many products find the largest eigenvalue to some 15 %, less than the factor of two by which a
# safe rate stays below one that diverges (Kuczyński and Woźniakowski, 1992).
_POWER_ITERATIONS = 50
# The noise of steps can leave a fit that learns nothing a little above the function that is zero.
_CLEARLY_WORSE = 1.1


class Permutes(Protocol):
    """What is asked of a random generator."""

    def permutation(self, x: int, /) -> Integers: ...


class RowsToFit(NamedTuple):
    """Rows that errors are measured at: their kernel values with the rows that carry beta, targets, and weights."""

    K: Floats
    targets: Floats
    weights: Floats

    def errors(self, beta: Floats, b: float, rows: Integers | slice = slice(None)) -> Floats:
        """f(x_i) − t_i."""
        return np.asarray(self.K[rows] @ beta + b - self.targets[rows])

    def objective(self, beta: Floats, b: float) -> float:
        """Half the mean square of the errors."""
        return float(0.5 * np.average(np.square(self.errors(beta, b)), weights=self.weights))


class DualState(NamedTuple):
    """f(x) = Σ_i beta_i k(x_i, x) + b."""

    beta: Floats
    b: float


class DualDescended(NamedTuple):
    """Where a descent has come to, and the objectives before the first pass and after each."""

    state: DualState
    passes: int
    status: Status
    objectives: list[float]
    #: The same of the rows held out; empty where there are none.
    held_out: list[float]


class DualDescent(NamedTuple):
    """How to go down: the parameters of `KernelRegression`. Without a `tol` nothing but `passes` ends it."""

    rate: float
    batch_size: int
    passes: int
    tol: float | None
    patience: int
    fit_intercept: bool

    def descend(
        self, rows: RowsToFit, held_out: RowsToFit | None, start: DualState, random: Permutes, watch: Watch
    ) -> DualDescended:
        """Goes down from the start; rows held out judge the passes where there are some, and choose the best.

        Where the watch stops it within a pass, the one before it was the last.
        """
        judges = rows if held_out is None else held_out
        to_explain = self._objective_to_explain(judges)
        least_gain = 0.0 if self.tol is None else self.tol * to_explain
        hopeless = _CLEARLY_WORSE * rows.objective(np.zeros_like(start.beta), 0.0)
        state = best = start
        objectives = [rows.objective(*start)]
        judged = [judges.objective(*start)]
        best_judged, waited = judged[0], 0
        # Where there is nothing to explain there is no share of it to fall short of: only passes can be asked for.
        status = Status.PASSES_DONE if self.tol is None or to_explain == 0 else Status.ITERATION_LIMIT
        for _ in range(self.passes):
            try:
                reached = self._pass(rows, state, random, watch)
            except Stopped as stopped:
                status = stopped.status
                break
            objective = rows.objective(*reached)
            if not np.isfinite(objective):
                status = Status.DIVERGED
                break
            state = reached
            objectives.append(objective)
            judged.append(judges.objective(*state))
            waited = 0 if judged[-1] < best_judged - least_gain else waited + 1
            if judged[-1] < best_judged:
                best, best_judged = state, judged[-1]
            # An objective that grows is not steady: it is left to grow until it is seen to diverge.
            if self.tol is not None and waited >= self.patience and objective <= hopeless:
                status = Status.STEADY
                break
        kept = state if held_out is None or status is Status.DIVERGED else best
        return DualDescended(kept, len(objectives) - 1, status, objectives, [] if held_out is None else judged)

    def _pass(self, rows: RowsToFit, state: DualState, random: Permutes, watch: Watch) -> DualState:
        """One step for each batch of a random permutation."""
        n = len(rows.targets)
        beta, b = state.beta.copy(), state.b
        for batch in np.array_split(random.permutation(n), batch_count(n, self.batch_size)):
            watch.look()
            watch.steps += 1
            # All errors come before any change, so that the step of one row does not see that of another.
            step = self.rate / len(batch) * rows.weights[batch] * rows.errors(beta, b, batch)
            beta[batch] -= step
            if self.fit_intercept:
                b -= float(step.sum())
        return DualState(beta, b)

    def _objective_to_explain(self, judges: RowsToFit) -> float:
        """The objective of the best constant, which gains are measured against; of zero, where f has no intercept."""
        t, s = judges.targets, judges.weights
        if self.fit_intercept and np.ptp(t) == 0:
            return 0.0  # that of the mean is not, where the mean is rounded
        centre = np.average(t, weights=s) if self.fit_intercept else 0.0
        return float(0.5 * np.average(np.square(t - centre), weights=s))


def batch_count(n: int, batch_size: int) -> int:
    """Into how many batches of nearly equal size, none above `batch_size`, n rows are split."""
    return -(-n // batch_size)


def safe_rate(K: Floats, weights: Floats, batch_size: int, fit_intercept: bool, watch: Watch) -> float:
    """A rate at which the step of any batch shrinks the errors of that batch: half of what could diverge.

    A step multiplies the errors of its batch B by I − rate / |B| · (K + 1)_B, where the 1 is that of the intercept. It
    shrinks them while rate / |B| times the largest eigenvalue of (K + 1)_B is below two. That eigenvalue is no larger
    than the one of all rows, nor than |B| times the largest entry of the diagonal; the rate makes the product one.
    """
    n = len(K)
    root = np.sqrt(weights)
    smallest_batch = n // batch_count(n, batch_size)
    one = 1.0 if fit_intercept else 0.0
    largest = _largest_eigenvalue(K, root, one, watch) / smallest_batch
    on_diagonal = float(np.max(weights * (np.abs(np.diagonal(K)) + one)))
    bound = min(largest, on_diagonal)
    return 1.0 / bound if bound > 0 else 1.0


def _largest_eigenvalue(K: Floats, root: Floats, one: float, watch: Watch) -> float:
    """That of root (K + one) root, the largest in absolute value, by powers of the matrix; never above it."""
    v = np.random.default_rng(0).standard_normal(len(K))
    eigenvalue = 0.0
    for _ in range(_POWER_ITERATIONS):
        watch.look()
        v /= np.linalg.norm(v)
        u = root * v
        v = root * (K @ u + one * u.sum())
        eigenvalue = float(np.linalg.norm(v))
        if eigenvalue == 0:
            break
    return eigenvalue
