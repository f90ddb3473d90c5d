"""Linear machines: from parameters to a task, a fit, and weights."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer import checks
from mercer._runtime import threads_worth
from mercer.data import is_sparse, read_queries, read_training_data
from mercer.errors import InputError, ParameterError, UnsolvedWarning, warn_user
from mercer.estimators.certified import CertifiedEstimator
from mercer.estimators.monitor import Monitor
from mercer.estimators.weights import machine_of_weights
from mercer.fits import LinearFitted, LinearProblems, LinearTask, fit_linear
from mercer.kernels import Linear
from mercer.problems import Intercept, InterceptColumn
from mercer.rows import LinearRows
from mercer.solvers import NO_LIMIT, Status, Terms, plan_linear
from mercer.typing import Floats

__all__ = ["LinearEstimator", "check_norms"]

_MOST_SCALING = 1e150

_NOT_CONVERGED = "Liblinear failed to converge, increase the number of iterations."


def check_norms(rows: LinearRows) -> None:
    """Raises where squares of the features leave float64, on which everything rests."""
    if not np.all(np.isfinite(rows.norms)):
        raise InputError(
            "Expected features whose squares float64 holds, got values beyond 1e150. Scale the features, for "
            "instance with StandardScaler."
        )


def _stored(X: Any) -> int:
    return int(X.nnz if is_sparse(X) else X.size)


class LinearEstimator(CertifiedEstimator):
    """Functions wᵀx + b, one or several. Subclasses say what the problems are, and what they make of the answers."""

    _target_kinds: str
    coef_: Any
    intercept_: Floats
    _checks: ClassVar[dict[str, checks.Check]] = {
        "tol": checks.positive,
        "C": checks.positive,
        "fit_intercept": checks.flag,
        "regularize_intercept": checks.flag,
        "verbose": checks.flag,
        "max_iter": checks.at_least(-1),
        "n_jobs": checks.number_of_threads,
        "time_limit": checks.optional_positive,
        "warm_start": checks.flag,
        "callback": checks.optional_callable,
        "dual": checks.flag_or_auto,
        "solver": checks.one_of("auto", "newton", "coordinate-descent"),
    }

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
        solver: str,
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
        self.solver = solver

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ---------------------------------------------------------------- what subclasses say

    @abstractmethod
    def _read_targets(self, y: Any, sample_weight: Any, rows: int) -> Any:
        """What y and the weights say, checked."""

    @abstractmethod
    def _problems(self, targets: Any) -> LinearProblems:
        """The problems for these targets, all of one kind."""

    @abstractmethod
    def _keep(self, fitted: LinearFitted, targets: Any) -> None:
        """Keeps weights and intercepts as attributes."""

    def _middle(self, targets: Any) -> float:
        """What was taken off the targets, and is added to the intercept again."""
        return 0.0

    # ---------------------------------------------------------------- fit

    def _fit(self, X: Any, y: Any, sample_weight: Any, callback: Any) -> Self:
        self._check()
        monitor = Monitor(callback, bool(self.verbose))
        n_jobs = checks.thread_count(self.n_jobs)
        rows, y = self._read_rows(X, y, n_jobs)
        targets = self._read_targets(y, sample_weight, len(rows))
        task = self._task(rows, targets)
        monitor.problems = len(task.problems)
        plan = plan_linear(rows.X, task.problems[0], self.solver)
        likeness = (plan.starts_from, rows.X.shape, self._intercept().kind, [len(one.rows) for one in task.problems])
        starts = self._starts(likeness) if self.warm_start else None
        threads = threads_worth(len(task.problems) * _stored(rows.X), n_jobs)
        fitted = fit_linear(task, plan, self._limits(monitor), threads, self._seed(), starts)

        self._keep(fitted, targets)
        self._proof = fitted.certificate
        self.status_ = fitted.status
        self.n_iter_ = max(found.steps for found in fitted.outcomes)
        self.plan_ = str(plan)
        self._reached = (likeness, [found.start for found in fitted.outcomes]) if self.warm_start else None
        if self.verbose:
            monitor.finish(f"{self.status_.value} {self.certificate_}")
        if self.status_ is not Status.SOLVED:
            warn_user(UnsolvedWarning(self._unsolved_message()))
        return self

    def _task(self, rows: LinearRows, targets: Any) -> LinearTask:
        """What is solved, and what a certificate judges."""
        return LinearTask(self._problems(targets), rows, float(self.tol))

    def _read_rows(self, X: Any, y: Any, n_jobs: int | None) -> tuple[LinearRows, Any]:
        """The training rows and targets; NaN and infinity are found by the norms, in the pass that needs these."""
        checked, y_checked = read_training_data(self, X, y, True, self._target_kinds, looks_for_nan=False)
        rows = LinearRows(Linear(), checked)
        if not np.all(np.isfinite(rows.measured(threads_worth(_stored(checked), n_jobs)))):
            read_training_data(self, X, y, True, self._target_kinds)
            check_norms(rows)
        return rows, y_checked

    def _limits(self, monitor: Monitor) -> Terms:
        ends = np.inf if self.time_limit is None else monitor.after(float(self.time_limit))
        steps = NO_LIMIT if self.max_iter < 0 else int(self.max_iter)
        return Terms(ends=ends, steps=steps, report=monitor.report)

    def _seed(self) -> int:
        if self.random_state is None:
            return 0
        return int(check_random_state(self.random_state).randint(2**31))

    def _intercept(self) -> InterceptColumn:
        scaling = float(self.intercept_scaling)
        if not self.fit_intercept:
            return InterceptColumn(Intercept.NONE, scaling)
        return InterceptColumn(Intercept.REGULARIZED if self.regularize_intercept else Intercept.FREE, scaling)

    def _starts(self, likeness: tuple[Any, ...]) -> list[Floats] | None:
        """What the previous fit reached, where it was of like problems."""
        earlier, reached = self.__dict__.get("_reached") or (None, None)
        return reached if earlier == likeness else None

    def _check(self) -> None:
        """Raises where parameters cannot be as they are, or do not go together."""
        checks.check_parameters(self)
        if self.fit_intercept:
            checks.positive("intercept_scaling", self.intercept_scaling)
            if float(self.intercept_scaling) > _MOST_SCALING:
                raise ParameterError(
                    f"intercept_scaling: expected at most {_MOST_SCALING:g}, whose square float64 holds, got "
                    f"{self.intercept_scaling!r}."
                )
        if self.solver == "coordinate-descent" and self._intercept().is_free:
            raise ParameterError(
                "solver: regularize_intercept=False expects solver='auto' or 'newton', for a free intercept ties the "
                f"dual variables together, got solver={self.solver!r}."
            )

    def _unsupported(self, why: str, instead: str) -> ParameterError:
        """The error for parameters that do not go together; it begins as scikit-learn's, which people match."""
        named = {name: getattr(self, name) for name in ("penalty", "loss", "dual") if hasattr(self, name)}
        given = ", ".join(f"{name}={value!r}" for name, value in named.items())
        return ParameterError(f"Unsupported set of arguments: {why}, Parameters: {given}. {instead}")

    def _asks_for(self, dual: bool) -> bool:
        """Whether the primal or the dual problem is named; the answer is the same, and the method another matter."""
        return checks.flag_or_auto("dual", self.dual) is dual

    def _unsolved_message(self) -> str:
        certificate, told = self.certificate_, self.status_.value
        if self.status_ is Status.ITERATION_LIMIT:
            told = f"{_NOT_CONVERGED} {told}"  # people match scikit-learn's sentence
        return (
            f"{told} The relative duality gap is {certificate.relative_gap:.2g} (tol={self.tol:g}). "
            f"The machine {certificate.verdict}; scale the features, raise the limit or tol, or go on with "
            "warm_start=True."
        )

    # ---------------------------------------------------------------- predict

    def _values(self, X: Any) -> Floats:
        """The functions at the rows of X, shape (rows, functions)."""
        check_is_fitted(self, "coef_")
        X = read_queries(self, X, accept_sparse=True)
        return machine_of_weights(self, self.coef_, self.intercept_).values(X, checks.thread_count(self.n_jobs))
