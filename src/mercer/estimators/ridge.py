"""Kernel ridge regression: from parameters to a linear system, its solution, and attributes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import checks
from mercer._runtime import available_threads
from mercer.certificates import RidgeCertificate
from mercer.data import core_ready, is_sparse, read_queries, read_sample_weight
from mercer.errors import InputError, ParameterError, UnsolvedWarning, kernel_overflow, warn_user
from mercer.estimators.atomic import AtomicFit
from mercer.estimators.monitor import Monitor
from mercer.estimators.ridge_kernel import check_symmetry, ridge_kernel
from mercer.fits import RidgeFitted, RidgeTask, SparseRidgeFitted, fit_ridge
from mercer.kernels import Kernel, WithKernel
from mercer.machines import SeveralMachine
from mercer.problems import RidgeProblem
from mercer.rows import Budget, Rows, as_computed, checked_matrix, rows_of, takes_features
from mercer.solvers import NO_LIMIT, Status, Terms
from mercer.solvers.systems import System, left_out_errors
from mercer.typing import Floats, Integers

__all__ = ["LeastSquaresEstimator", "RidgeEstimator", "RidgeRows", "read_alpha", "read_ridge_weights"]

# Rounding that leaves no more of the targets than this goes without a warning: conjugate gradients may leave as much.
_FINE_ROUNDING = 1e-6
# Smaller numbers have squares that float64 does not hold to all its digits.
_LEAST_SIZE = float((np.finfo(np.float64).tiny / np.finfo(np.float64).eps) ** 0.5)


class RidgeRows(NamedTuple):
    """Training rows under the kernel, targets as columns, and weights, none of them below zero."""

    rows: Rows
    targets: Floats
    weights: Floats

    @property
    def members(self) -> Integers:
        """The rows that weigh something."""
        return np.flatnonzero(self.weights > 0)

    def under(self, kernel: Kernel) -> RidgeRows:
        """The same rows under another kernel."""
        X = self.rows.X
        return self._replace(rows=rows_of(kernel.resolve(X), X, given=self.rows.given))

    def task(self, alpha: Floats, has_intercept: bool, tol: float = np.nan) -> RidgeTask:
        """The system of the rows that weigh something."""
        members = self.members
        is_all = len(members) == len(self.rows)
        rows = self.rows if is_all else self.rows.taken(members)
        problem = RidgeProblem(self.targets[members], self.weights[members], alpha, has_intercept)
        _check_sizes(problem)
        return RidgeTask(problem, rows, tol)


class LeastSquaresEstimator(WithKernel, AtomicFit, BaseEstimator, ABC):  # type: ignore[misc]
    """A machine Σ c_j k(x_j, x) + b with the least squared errors that its norm is worth.

    Subclasses say what targets are (`_read_targets`), and find the machine (`_find`).
    """

    _machine: SeveralMachine
    _proof: Any
    _checks: ClassVar[dict[str, checks.Check]] = {
        "fit_intercept": checks.flag,
        "tol": checks.optional_positive,
        "max_iter": checks.at_least(-1),
        "cache_size": checks.positive,
        "time_limit": checks.optional_positive,
        "n_jobs": checks.number_of_threads,
        "callback": checks.optional_callable,
    }

    kernel: Any
    gamma: Any
    degree: Any
    coef0: Any
    kernel_params: Any
    fit_intercept: bool
    tol: float | None
    max_iter: int
    cache_size: float
    time_limit: float | None
    n_jobs: int | None

    @abstractmethod
    def _read_targets(self, y: Any, sample_weight: Any) -> tuple[Floats, Floats]:
        """Targets as columns, and weights of the rows."""

    def _read_known_targets(self, y: Any, sample_weight: Any) -> tuple[Floats, Floats]:
        """The same of what the estimator was fitted on, which it keeps no notes of."""
        return type(self)(**self.get_params(deep=False))._read_targets(np.asarray(y), sample_weight)

    @abstractmethod
    def _find(self, data: RidgeRows, limits: Terms) -> None:
        """Finds the machine and keeps it with its proof."""

    # ---------------------------------------------------------------- fit

    def _fit(self, X: Any, y: Any, sample_weight: Any, callback: Any) -> Self:
        checks.check_parameters(self)
        monitor = Monitor(callback, verbose=False)
        kernel = self._kernel()
        X, y = self._read(kernel, X, y)
        data = self._rows(kernel, X, *self._read_targets(y, sample_weight))
        ends = np.inf if self.time_limit is None else monitor.after(float(self.time_limit))
        steps = NO_LIMIT if self.max_iter < 0 else int(self.max_iter)
        try:
            self._find(data, Terms(ends=ends, steps=steps, report=monitor.report))
        except OverflowError:
            raise kernel_overflow(data.rows.kernel) from None
        return self

    @staticmethod
    def _rows(kernel: Kernel, X: Any, targets: Floats, weights: Floats) -> RidgeRows:
        X = checked_matrix(kernel, X)
        computed = as_computed(kernel, X)
        kernel = kernel.resolve(computed)
        check_symmetry(kernel, computed)
        return RidgeRows(rows_of(kernel, computed, given=X), targets, weights)

    def _kernel(self) -> Kernel:
        given = (self.kernel, self.gamma, self.degree, self.coef0, self.kernel_params)
        return ridge_kernel(*given, owner=type(self).__name__)

    def _read(self, kernel: Kernel, X: Any, y: Any) -> tuple[Any, Any]:
        form = {"accept_sparse": "csr" if takes_features(kernel) else False, "accept_large_sparse": True}
        if is_sparse(y):
            raise InputError("y: expected a dense array, got a sparse matrix. Call its toarray().")
        X, y = validate_data(
            self, X, y, dtype=[np.float64, np.float32], order="C", multi_output=self._takes_columns, **form
        )
        return core_ready(X), y

    _takes_columns: ClassVar[bool] = True

    @property
    def _budget(self) -> Budget:
        return Budget(int(float(self.cache_size) * 1e6), checks.thread_count(self.n_jobs))

    def _tell(self, fitted: RidgeFitted | SparseRidgeFitted) -> None:
        """Keeps how the fit ended, and warns where that is not well."""
        self._proof = fitted.certificate
        self.status_ = fitted.status
        self.n_iter_ = fitted.steps
        self.plan_ = fitted.sentence
        if not fitted.status.is_within_tolerance and not self._is_excused(fitted):
            warn_user(UnsolvedWarning(self._unsolved_message(fitted)))

    @staticmethod
    def _is_excused(fitted: RidgeFitted | SparseRidgeFitted) -> bool:
        """Of a singular system there was a warning; and no solver does better than what rounding leaves, if little."""
        proof = fitted.certificate
        is_rounding = fitted.status is Status.STALLED and proof.residual <= min(proof.accuracy, _FINE_ROUNDING)
        return fitted.left_out > 0 or is_rounding

    def _unsolved_message(self, fitted: RidgeFitted | SparseRidgeFitted) -> str:
        proof = fitted.certificate
        others = ""
        if not proof.convex:
            others = " Unless the kernel is positive semi-definite, only solver='cholesky' solves the system."
        return (
            f"{fitted.status.value} The linear system leaves {proof.residual:.2g} of the targets (tol={fitted.tol:g}), "
            f"and rounding at most {proof.accuracy:.1g}. Raise the limit, tol or alpha, or scale the features.{others}"
        )

    # ---------------------------------------------------------------- fitted attributes

    @property
    def certificate_(self) -> Any:
        """What the linear system leaves, and how far from the optimum that can be."""
        self._check_fitted("certificate_")
        return self._proof

    @property
    def kernel_(self) -> Kernel:
        """The kernel with every parameter a number."""
        self._check_fitted("kernel_")
        return self._machine.kernel

    def _check_fitted(self, name: str) -> None:
        if "_machine" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no {name} before fit.")

    # ---------------------------------------------------------------- predict

    def _functions(self, X: Any) -> Floats:
        """The functions of the machine at the rows of X, one column each."""
        check_is_fitted(self, "_machine")
        self._machine.check()
        expansion = self._machine.expansion
        X = read_queries(self, X, expansion.takes_features)
        if is_sparse(X) and expansion.is_dense:
            X = X.toarray()
        X = expansion.as_in_fit(X)
        return self._machine.values(X, checks.thread_count(self.n_jobs), X.dtype.type)


class RidgeEstimator(LeastSquaresEstimator):
    """The machine of all rows, whose c and b solve a linear system. Subclasses say what α is (`_choose`)."""

    _proof: RidgeCertificate
    _checks: ClassVar[dict[str, checks.Check]] = {"solver": checks.one_of("auto", "cholesky", "cg")}

    solver: str

    @abstractmethod
    def _choose(self, data: RidgeRows, limits: Terms) -> tuple[RidgeRows, Floats]:
        """The rows under the kernel to be used, and α of each column of targets."""

    def _find(self, data: RidgeRows, limits: Terms) -> None:
        self._solve(*self._choose(data, limits), limits)

    def _solve(self, data: RidgeRows, alpha: Floats, limits: Terms) -> None:
        """Solves the system of these rows and keeps the machine with its proof."""
        tol = np.nan if self.tol is None else float(self.tol)
        task = data.task(alpha, bool(self.fit_intercept), tol)
        fitted = fit_ridge(task, self._budget, limits, self.solver)
        coef = np.zeros_like(data.targets)
        coef[data.members] = fitted.coef
        self._machine = SeveralMachine.of_rows(data.rows, coef, fitted.intercept)
        self._weights = data.weights
        self._alphas = alpha
        self._has_intercept = task.problem.has_intercept
        self._values = data.rows.X if data.rows.kernel.is_pairwise else None
        self._tell(fitted)

    @property
    def X_fit_(self) -> Any:
        """The training rows, or the kernel values between them."""
        self._check_fitted("X_fit_")
        return self._machine.support_vectors if self._values is None else self._values

    # ---------------------------------------------------------------- rows left out

    def _left_out_values(self) -> Floats:
        """The functions at each training row, fitted without it, in closed form."""
        check_is_fitted(self, "_machine")
        machine, members = self._machine, np.flatnonzero(self._weights > 0)
        threads = checks.thread_count(self.n_jobs) or available_threads()
        if len(members) < 1 + self._has_intercept:
            raise InputError("Expected at least two rows to leave one out, got one.")
        if 8 * len(members) ** 2 > self._budget.bytes:
            raise InputError(
                f"cache_size: expected at least {8 * len(members) ** 2 / 1e6:.0f} MB for the matrix of {len(members)} "
                f"rows, got {self.cache_size:g}. Raise it, or use KernelRidgeCV, which estimates."
            )
        rows = rows_of(machine.kernel, core_ready(as_computed(machine.kernel, self.X_fit_)))
        values = rows.products(machine.dual_coef.T, threads) + machine.intercept
        kept, weights = rows.taken(members), self._weights[members]
        roots = np.sqrt(weights)
        for k, alpha in enumerate(self._alphas.tolist()):
            coef = machine.dual_coef[k, members]
            system = System(kept, roots, alpha, threads)
            missed = left_out_errors(system, (coef / roots)[:, None], self._has_intercept)[:, 0]
            # The targets, which a machine does not keep, are what its system says.
            values[members, k] += alpha * coef / weights - missed
        return values


def read_ridge_weights(sample_weight: Any, rows: int) -> Floats:
    """One weight ≥ 0 a row: a negative one would make the problem unbounded."""
    weights = None if sample_weight is None else np.asarray(sample_weight)
    if weights is not None and weights.dtype.kind in "iuf" and np.any(weights < 0):
        raise InputError(f"sample_weight: expected weights ≥ 0, got {weights.min():g}. Use 0 to leave a row out.")
    return read_sample_weight(sample_weight, rows)


def _check_sizes(problem: RidgeProblem) -> None:
    """Raises for targets whose weighted squares float64 cannot tell."""
    with np.errstate(over="ignore", invalid="ignore"):
        sizes, left = problem.sizes, np.abs(problem.targets - problem.middles).max(axis=0)
    if np.all(np.isfinite(sizes)) and np.all((sizes >= _LEAST_SIZE) | (left == 0)):
        return
    raise InputError(
        "y: expected targets, times the roots of the weights, whose squares float64 holds, from about 1e-146 to 1e150, "
        f"got targets up to {np.abs(problem.targets).max():.3g} and weights from {problem.weights.min():.3g} to "
        f"{problem.weights.max():.3g}. Scale them."
    )


def read_alpha(alpha: Any, columns: int) -> Floats:
    """α of each column: one number ≥ 0 for all, or one each."""
    try:
        given = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"alpha: expected a number ≥ 0, or one for each target, got {alpha!r}.") from error
    if given.ndim > 1 or not np.all(np.isfinite(given)) or np.any(given < 0) or isinstance(alpha, (str, bool)):
        raise ParameterError(f"alpha: expected a finite number ≥ 0, or one for each target, got {alpha!r}.")
    if given.ndim == 1 and len(given) not in (1, columns):
        raise ParameterError(f"alpha: expected one number, or {columns}, one for each target, got {len(given)}.")
    return np.array(np.broadcast_to(given.ravel(), (columns,)))
