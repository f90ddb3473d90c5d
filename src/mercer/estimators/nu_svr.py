"""ν-support vector regression with scikit-learn's interface."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from mercer.certificates import Certificate, Evidence
from mercer.estimators import parameters
from mercer.estimators.base import Posed, bounds_of
from mercer.estimators.fitting import FittedExpansions, Solver, certify_expansions
from mercer.estimators.regressor import WeightedRows
from mercer.estimators.svr import KernelRegressor
from mercer.gram import GramPlan, TrainingData
from mercer.problems import NuRegression, NuRegressionInTwins, NuRegressionWithoutTube
from mercer.solvers import (
    Limits,
    Report,
    Result,
    Status,
    WorkingSetSolver,
    may_solve_densely,
    seconds_of_dense,
    solve_dense,
)
from mercer.typing import Floats

__all__ = ["NuSVR"]

# A sum that is larger than its bound by rounding only is within it.
_ROUNDING = 1e-9


class NuSVR(KernelRegressor):
    """ν-support vector regression: a tube as wide as a share of rows asks for, with a certificate of optimality.

    Minimises ½‖w‖² + C (ν ε Σ v + Σ v_i max(0, |y_i − f(x_i)| − ε)) over f and ε ≥ 0, where v are the weights: at most
    a share ν of the weight lies outside the tube. Parameters and attributes are those of `sklearn.svm.NuSVR` unless
    told otherwise.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1].
    C : float, default=1.0
        Price of an error beyond the tube; finite.
    tol : float, default=1e-3
        Largest violation of the optimality conditions over all rows, in the units of y.
    kernel, degree, gamma, coef0, shrinking, cache_size, verbose, max_iter, random_state, n_jobs, time_limit, gap_tol, \
warm_start, callback, formulation, polish
        As in `SVC`.

    Attributes
    ----------
    epsilon_ : float
        Half-width of the tube.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, shape_fit_, \
n_features_in_, feature_names_in_
        As in scikit-learn. The arrays are read-only.
    certificate_, status_, plan_
        As in `SVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import NuSVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = NuSVR(C=100.0, nu=0.3).fit(X, y)
    >>> outside = abs(model.predict(X) - y) > model.epsilon_ + 1e-3
    >>> bool(outside.mean() <= 0.3)
    True
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 1000,
        verbose: bool = False,
        max_iter: int = -1,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        gap_tol: float | None = None,
        warm_start: bool = False,
        callback: Any = None,
        formulation: str = "auto",
        polish: bool = False,
    ) -> None:
        super().__init__(
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            shrinking=shrinking,
            tol=tol,
            cache_size=cache_size,
            verbose=verbose,
            max_iter=max_iter,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            gap_tol=gap_tol,
            warm_start=warm_start,
            callback=callback,
            formulation=formulation,
            polish=polish,
        )
        self.nu = nu
        self.C = C

    def _check_own_parameters(self) -> None:
        parameters.share("nu", self.nu)
        parameters.positive("C", self.C)

    def _pose(self, targets: WeightedRows) -> Posed:
        bounds = bounds_of(float(self.C), targets.weights)
        problem = NuRegression.of(targets.y, bounds, float(self.nu)) or NuRegressionWithoutTube.of(targets.y, bounds)
        return Posed(problem, [targets.rows])

    def _solve(
        self,
        posed: Posed,
        data: TrainingData,
        plan: GramPlan,
        solver: Solver,
        limits: Limits,
        start: Floats | None,
        report: Report,
    ) -> FittedExpansions:
        """Solves with a tube; where its width would be negative, without; and where that is no solution, in twins."""
        began = perf_counter()
        steps = 0
        found: list[FittedExpansions] = []

        def solved(posed: Posed, start: Floats | None) -> FittedExpansions:
            nonlocal steps
            left = Limits(limits.seconds - (perf_counter() - began), limits.steps - steps)
            fitted = super(NuSVR, self)._solve(posed, data, plan, solver, left, start, report)
            steps += fitted.steps[0]
            found.append(fitted._replace(steps=[steps]))
            return found[-1]

        def is_within(fitted: FittedExpansions) -> bool:
            return float(np.abs(fitted.coef).sum()) <= float(self.nu) * float(bounds.sum()) * (1 + _ROUNDING)

        def ended(fitted: FittedExpansions) -> FittedExpansions:
            if Status.STALLED in fitted.statuses and not data.is_hurried:
                # Those in twins have other rows, and those with larger sums prove nothing.
                machines = [one for one in found if len(one.coef) == len(y) and is_within(one)]
                fitted = min(map(_with_a_width, [fitted, *machines]), key=_rank)._replace(steps=[steps])
            self.epsilon_ = max(0.0, _width(fitted))
            return fitted

        y, bounds, rows = posed.problem.slope, posed.problem.upper, posed.rows
        without_tube = Posed(NuRegressionWithoutTube.of(y, bounds), rows)
        fitted = solved(posed, start)
        if Status.STALLED in fitted.statuses:
            fitted = self._solved_densely(fitted, posed, data, plan, solver, limits, report)
            steps = fitted.steps[0]
        is_optimal = not fitted.unsolved or (not data.is_hurried and _is_short_of_its_gap(fitted))
        if is_optimal and isinstance(fitted.problem, NuRegressionWithoutTube) and is_within(fitted):
            return ended(fitted)
        shrunk = None if _width(fitted) >= 0 and is_optimal else _shrunk(fitted)
        if not is_optimal:
            if shrunk is None:
                return ended(_with_a_width(fitted))
            limits = Limits(0.0, 0)  # only to be certified
            return ended(solved(without_tube, shrunk)._replace(statuses=fitted.statuses))
        if _width(fitted) >= 0:
            return ended(fitted)
        if isinstance(fitted.problem, NuRegression):
            fitted = solved(without_tube, fitted.coef if shrunk is None else shrunk)
        if is_within(fitted):
            return ended(fitted)
        twice = Posed(NuRegressionInTwins.of(y, bounds, float(self.nu)), [np.concatenate([rows[0], rows[0]])])
        coef = solved(twice, None).coef.reshape(2, -1).sum(axis=0)
        return ended(solved(Posed(NuRegression.around(y, bounds, coef), rows), coef.copy()))

    def _solved_densely(
        self,
        fitted: FittedExpansions,
        posed: Posed,
        data: TrainingData,
        plan: GramPlan,
        solver: Solver,
        limits: Limits,
        report: Report,
    ) -> FittedExpansions:
        """What a dense method makes of a fit that stalled, where that is better."""
        problem, rows = posed.problem, data.rows(posed.rows[0])
        if not isinstance(problem, NuRegression) or not isinstance(solver, WorkingSetSolver):
            return fitted
        if not may_solve_densely(problem, rows) or limits.seconds < seconds_of_dense(len(rows.rows), rows.X.shape[1]):
            return fitted
        terms = (solver.tol, limits, plan.all_threads, report, solver.gap_tol is not None)
        without = NuRegressionWithoutTube.of(problem.slope, problem.upper)
        found = solve_dense(without, rows, without.start, *terms)
        if not isinstance(problem.posed_by(found.exact.high), NuRegressionWithoutTube):
            found = solve_dense(problem, rows, problem.start, *terms)
        coef, low = found.exact if found.needs_digits else (found.coef, None)
        result = Result(coef, [found.status], [fitted.steps[0] + found.steps], [None], low=low)
        again = certify_expansions(problem.posed_by(coef), data, posed.rows, plan, result, solver)
        return min(again, fitted, key=lambda one: _rank(_with_a_width(one)))


def _certificate(fitted: FittedExpansions) -> Certificate:
    return fitted.proof if isinstance(fitted.proof, Certificate) else fitted.proof.certificate


def _rank(fitted: FittedExpansions) -> tuple[bool, float]:
    """Less for the better one: first what is solved, then by the objective, which is the same with a tube and without.

    The violations are those of different problems.
    """
    primal = _certificate(fitted).primal
    return bool(fitted.unsolved), np.inf if np.isnan(primal) else primal


def _is_short_of_its_gap(fitted: FittedExpansions) -> bool:
    """Whether a fit meets the tolerance, but not that of the gap: it is optimal as far as it goes.

    Where the tube would be narrower than nothing, the gap tells that, and no solver closes it.
    """
    return Status.STALLED in fitted.statuses and _certificate(fitted).holds(fitted.tol)


def _shrunk(fitted: FittedExpansions) -> Floats | None:
    """Coefficients of a fit made smaller, where that is better: the second sum is a bound only."""
    if not isinstance(fitted.proof, Evidence):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        gain, squared_norm = fitted.problem.slope @ fitted.coef, fitted.coef @ fitted.proof.products.values
    if not gain < squared_norm < np.inf:
        return None
    return np.asarray(fitted.coef * max(0.0, float(gain / squared_norm)))


def _with_a_width(fitted: FittedExpansions) -> FittedExpansions:
    """The fit with a tube that is not narrower than nothing, and judged by that."""
    offsets, proof = fitted.problem.attainable(fitted.offsets), fitted.proof
    if np.array_equal(offsets, fitted.offsets):
        return fitted
    if isinstance(proof, Evidence):
        proof = replace(proof, offsets=offsets)
    return fitted._replace(offsets=offsets, proof=proof)


def _width(fitted: FittedExpansions) -> float:
    """Half of the tube's width; negative where the problem knows no tube."""
    problem = fitted.problem
    return float(problem.width(fitted.offsets)[0]) if isinstance(problem, NuRegression) else -1.0
