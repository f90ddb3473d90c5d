"""What linear machines share: the way from data to certified weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer._runtime import core, threads_worth
from mercer.certificates import Certificate
from mercer.data import as_core_data, read_queries, read_training_data
from mercer.errors import InputError, ParameterError, UnsolvedWarning, warn_user
from mercer.estimators import parameters
from mercer.estimators.certified import CertifiedEstimator
from mercer.estimators.linear_densely import certify_result, solved_densely
from mercer.estimators.monitor import Monitor
from mercer.estimators.weights import checked_weights
from mercer.problems import CrammerSingerProblem, Intercept, LinearProblem
from mercer.solvers import (
    Limits,
    LinearPlan,
    LinearResult,
    LinearTerms,
    Status,
    may_solve_linear_densely,
    plan_linear,
    solve_linear,
)
from mercer.typing import Floats

__all__ = ["LinearEstimator", "LinearProblems", "TrainingRows"]

_NO_LIMIT = 2**62
_MOST_SCALING = 1e150
# Passes or steps after which a dense method is quicker, of problems that are small enough for one.
_MOST_PASSES = 3000

LinearProblems = Sequence[LinearProblem | CrammerSingerProblem]


class TrainingRows(NamedTuple):
    """The training matrix, the core's view of it, and the norms of its rows."""

    X: Any
    data: core.Data
    norms: Floats

    @classmethod
    def of(cls, X: Any, threads: int) -> TrainingRows:
        data = as_core_data(X)
        norms = np.sqrt(core.squared_norms(data, threads))
        return cls(X, data, norms)

    def check_size(self) -> None:
        """Raises where squares of the features leave float64, on which everything rests."""
        if not np.all(np.isfinite(self.norms)):
            raise InputError(
                "Expected features whose squares float64 holds, got values beyond 1e150. Scale the features, for "
                "instance with StandardScaler."
            )


def _stored(X: Any) -> int:
    return int(X.nnz if sp.issparse(X) else X.size)


class LinearEstimator(CertifiedEstimator):
    """Functions wᵀx + b, one or several. Subclasses say what the problems are, and what they make of the answers."""

    _target_kinds: str
    coef_: Any
    intercept_: Floats

    def __init__(
        self,
        *,
        loss: str,
        dual: Any,
        tol: float,
        C: float,
        fit_intercept: bool,
        intercept_scaling: float,
        verbose: Any,
        random_state: Any,
        max_iter: int,
        regularize_intercept: bool,
        n_jobs: int | None,
        time_limit: float | None,
        warm_start: bool,
        callback: Any,
    ) -> None:
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.regularize_intercept = regularize_intercept
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ---------------------------------------------------------------- what subclasses say

    @abstractmethod
    def _check_own_parameters(self) -> None:
        """Checks the parameters that other estimators do not have."""

    @abstractmethod
    def _read_targets(self, y: Any, sample_weight: Any, rows: int) -> Any:
        """What y and the weights say, checked."""

    @abstractmethod
    def _pose(self, targets: Any) -> LinearProblems:
        """The problems for these targets, all of one kind."""

    @abstractmethod
    def _keep(self, results: Sequence[LinearResult], targets: Any) -> None:
        """Keeps weights and intercepts as attributes."""

    # ---------------------------------------------------------------- fit

    def _fit(self, X: Any, y: Any, sample_weight: Any, callback: Any) -> Self:
        monitor = Monitor(callback, parameters.flag("verbose", self.verbose))
        self._check_parameters()
        threads = parameters.thread_count(self.n_jobs)
        rows, y = self._read_rows(X, y, threads)
        X = rows.X
        targets = self._read_targets(y, sample_weight, X.shape[0])
        problems = self._pose(targets)
        monitor.problems = len(problems)
        intercept = self._intercept()
        plan = plan_linear(X, problems[0], intercept, parameters.flag_or_auto("dual", self.dual))
        likeness = (plan.starts_from, X.shape, intercept, [len(problem.rows) for problem in problems])
        starts = self._starts(likeness) if self.warm_start else None
        threads = threads_worth(len(problems) * _stored(X), threads)
        results, certificates = self._solved(problems, rows, plan, intercept, threads, starts, monitor)

        self._keep(results, targets)
        self._proof = Certificate.of_several(certificates)
        unsolved = [result.status for result in results if result.status is not Status.SOLVED]
        self.status_ = unsolved[0] if unsolved else Status.SOLVED
        self.n_iter_ = max(result.steps for result in results)
        self.plan_ = str(plan)
        self._reached = (likeness, [result.start for result in results]) if self.warm_start else None
        if self.verbose:
            monitor.finish(f"{self.status_.value} {self.certificate_}")
        if unsolved:
            warn_user(UnsolvedWarning(self._unsolved_message()))
        return self

    def _read_rows(self, X: Any, y: Any, threads: int | None) -> tuple[TrainingRows, Any]:
        """The training rows and targets; NaN and infinity are found by the norms, in the pass that needs these."""
        checked, y_checked = read_training_data(self, X, y, True, self._target_kinds, looks_for_nan=False)
        rows = TrainingRows.of(checked, threads_worth(_stored(checked), threads))
        if not np.all(np.isfinite(rows.norms)):
            read_training_data(self, X, y, True, self._target_kinds)
            rows.check_size()
        return rows, y_checked

    def _solved(
        self,
        problems: LinearProblems,
        rows: TrainingRows,
        plan: LinearPlan,
        intercept: Intercept,
        threads: int,
        starts: Sequence[Floats] | None,
        monitor: Monitor,
    ) -> tuple[list[LinearResult], list[Certificate]]:
        """Solves and certifies; a problem whose certificate falls short of what the solver believed is gone on with."""
        seed = int(check_random_state(self.random_state).randint(2**31)) if self.random_state is not None else 0
        scaling, tol = float(self.intercept_scaling), float(self.tol)

        def certify(problem: LinearProblem | CrammerSingerProblem, found: LinearResult) -> Certificate:
            terms = (intercept, scaling, found, threads)
            return certify_result(problem, rows.X, rows.data, rows.norms, *terms)

        def solve(chosen: Sequence[int], gap_tol: float, starts: Sequence[Floats] | None) -> list[LinearResult]:
            allowed = _NO_LIMIT if self.max_iter < 0 else self.max_iter
            is_small = all(may_solve_linear_densely(problems[k], rows.X) for k in chosen)
            steps = min(allowed, _MOST_PASSES) if is_small else allowed
            seconds = np.inf if self.time_limit is None else self.time_limit - monitor.seconds
            limits = Limits(seconds, steps)
            terms = LinearTerms(rows.data, intercept, scaling, gap_tol, limits, threads, seed, monitor.report)
            found = solve_linear([problems[k] for k in chosen], plan, terms, starts)
            if steps == allowed:
                return found
            limit = Status.ITERATION_LIMIT
            return [one._replace(status=Status.STALLED) if one.status is limit else one for one in found]

        results = solve(range(len(problems)), tol, starts)
        certificates = [certify(problem, found) for problem, found in zip(problems, results, strict=True)]
        believed = [k for k, found in enumerate(results) if found.status is Status.SOLVED]
        doubtful = [k for k in believed if not self._is_proved(certificates[k])]
        if doubtful:
            again = solve(doubtful, 0.1 * tol, [results[k].start for k in doubtful])
            for k, found in zip(doubtful, again, strict=True):
                certificate, steps = certify(problems[k], found), results[k].steps + found.steps
                if np.isfinite(certificate.gap) and certificate.relative_gap <= certificates[k].relative_gap:
                    results[k], certificates[k] = found, certificate
                results[k] = results[k]._replace(steps=steps)
        for k, found in enumerate(results):
            if found.status in (Status.SOLVED, Status.STALLED) and not self._is_proved(certificates[k]):
                seconds = np.inf if self.time_limit is None else self.time_limit - monitor.seconds
                terms = (found, tol, Limits(seconds), threads, monitor.report)
                judged = partial(certify, problems[k])
                results[k] = solved_densely(problems[k], rows.X, intercept, scaling, judged, *terms)
                certificates[k] = judged(results[k])
        for k, found in enumerate(results):
            if self._is_proved(certificates[k]):
                status = Status.SOLVED
            else:
                status = Status.STALLED if found.status is Status.SOLVED else found.status
            results[k] = found._replace(status=status)
        return results, certificates

    def _is_proved(self, certificate: Certificate) -> bool:
        # A gap that is negative beyond the tolerance is no proof but rounding.
        return certificate.holds(np.inf, float(self.tol)) and certificate.relative_gap >= -float(self.tol)

    def _intercept(self) -> Intercept:
        if not self.fit_intercept:
            return Intercept.NONE
        return Intercept.REGULARIZED if self.regularize_intercept else Intercept.FREE

    def _starts(self, likeness: tuple[Any, ...]) -> list[Floats] | None:
        """What the previous fit reached, where it was of like problems."""
        earlier, reached = self.__dict__.get("_reached") or (None, None)
        return reached if earlier == likeness else None

    def _check_parameters(self) -> None:
        self._check_own_parameters()
        parameters.positive("tol", self.tol)
        parameters.positive("C", self.C)
        parameters.flag("fit_intercept", self.fit_intercept)
        parameters.flag("regularize_intercept", self.regularize_intercept)
        if self.fit_intercept:
            parameters.positive("intercept_scaling", self.intercept_scaling)
            if float(self.intercept_scaling) > _MOST_SCALING:
                raise ParameterError(
                    f"intercept_scaling: expected at most {_MOST_SCALING:g}, whose square float64 holds, got "
                    f"{self.intercept_scaling!r}."
                )
        parameters.integer("max_iter", self.max_iter, least=-1)
        parameters.optional_positive("time_limit", self.time_limit)
        parameters.flag("warm_start", self.warm_start)
        if parameters.flag_or_auto("dual", self.dual) and self._intercept() is Intercept.FREE:
            raise ParameterError(
                "dual: regularize_intercept=False expects dual='auto' or dual=False, for a free intercept ties the "
                f"dual variables together, got dual={self.dual!r}."
            )
        if self.callback is not None and not callable(self.callback):
            raise ParameterError(f"callback: expected a callable or None, got {self.callback!r}.")

    def _unsolved_message(self) -> str:
        certificate = self.certificate_
        return (
            f"{self.status_.value} The relative duality gap is {certificate.relative_gap:.2g} (tol={self.tol:g}). "
            f"The machine {certificate.verdict}; scale the features, raise the limit or tol, or go on with "
            "warm_start=True."
        )

    # ---------------------------------------------------------------- predict

    def _values(self, X: Any) -> Floats:
        """The functions at the rows of X, shape (rows, functions)."""
        check_is_fitted(self, "coef_")
        X = read_queries(self, X, accept_sparse=True)
        weights, intercepts = checked_weights(self, self.coef_, self.intercept_)
        threads = threads_worth(weights.size * X.shape[0], parameters.thread_count(self.n_jobs))
        data = as_core_data(X)
        columns = [core.linear_values(data, None, np.ascontiguousarray(row), threads) for row in weights]
        return np.asarray(np.stack(columns, axis=1) + intercepts)
