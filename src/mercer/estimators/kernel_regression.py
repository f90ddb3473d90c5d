"""Kernel linear regression by gradient descent on the coefficients of the rows, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer import checks
from mercer.data import NUMBERS, read_numbers, read_queries, read_sample_weight, read_training_data
from mercer.errors import InputError, UnsolvedWarning, warn_user
from mercer.estimators.atomic import AtomicFit
from mercer.estimators.machine_attributes import MachineAttribute
from mercer.estimators.monitor import DescentMonitor
from mercer.kernels import WithKernel, kernel_from_name
from mercer.machines import SingleMachine, locked
from mercer.rows import Rows, checked_matrix, rows_of, takes_features
from mercer.solvers import DualDescended, DualDescent, DualState, RowsToFit, Status, Stopped, Watch, safe_rate
from mercer.typing import Floats, Integers

__all__ = ["KernelRegression"]

_SILENT = {Status.STEADY, Status.PASSES_DONE}

# A matrix of 3.2 GB.
_MOST_ROWS = 20_000


class _Split(NamedTuple):
    """Which rows train, and so carry the coefficients, and which are held out to judge, where some are."""

    training: Integers
    held_out: Integers | None


class KernelRegression(RegressorMixin, AtomicFit, WithKernel):  # type: ignore[misc]
    """Least squares under a kernel, by stochastic gradient descent on the coefficients of the training rows.

    Descends ½ Σ s_i (f(x_i) − y_i)² / Σ s_i over f(x) = Σ β_i k(x_i, x) + b, where s are the sample weights. For every
    row of a batch of m rows at once

        β_i ← β_i − learning_rate / m · (f(x_i) − y_i),    b ← b − learning_rate / m · Σ (f(x_i) − y_i)

    which are the very steps of linear regression in the features of the kernel, and never need these. Nothing but the
    number of passes regularises it: from zero it tends to the shortest w that fits best. All kernel values between
    training rows are kept, 8 n² bytes. It proves nothing; for a certificate take `SVR`.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed"; a kernel object such as `RBF(0.1) + Linear()`;
        or a function (X, Z) → matrix of values. A kernel that is not positive semi-definite makes the descent diverge
        sooner or later, at any rate.
    degree, gamma, coef0
        As in `SVC`.
    learning_rate : "auto" or float, default="auto"
        Length of the steps. "auto" is the smallest batch's size divided by the largest eigenvalue of K + 1 (of K
        without an intercept), or one over the largest entry of its diagonal where that is more: half of what could
        diverge.
    batch_size : int or None, default=32
        Rows a step at most: a pass splits a random permutation into batches of nearly equal size. None takes all rows.
    max_passes : int, default=1000
        Limit on passes over the rows.
    tol : float or None, default=1e-4
        A pass helps where it lowers the objective by this share of what the best constant leaves (of what zero leaves,
        without an intercept). None makes all the passes, and so do constant targets, of which a constant leaves
        nothing, until passes no longer help at all.
    patience : int, default=5
        After so many passes in a row that do not help, the fit ends.
    validation_fraction : float, optional
        Share of the rows that are held out to judge the passes instead of the training rows; the machine of the best
        pass is kept. None holds none out, and keeps the last.
    fit_intercept : bool, default=True
        Whether there is a b.
    random_state : int, RandomState instance or None, default=None
        Seed of the permutations and of the rows held out.
    warm_start : bool, default=False
        Whether fit starts from the previous machine where it has as many rows and features.
    time_limit : float, optional
        Seconds after which fit stops with the machine of the last whole pass, or with the one it started from. Kernel
        values of a callable are asked for in blocks of about a tenth of a second.
    callback : callable, optional
        Called with a `Progress` about ten times a second, without a violation; returning True stops the fit.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (1, n_support)
        β of the rows that carry one.
    intercept_ : ndarray of shape (1,)
        b; from a start at zero it equals Σ β.
    support_, support_vectors_, n_support_, kernel_, shape_fit_, n_features_in_, feature_names_in_
        As in `SVR`. The arrays are read-only.
    learning_rate_ : float
        The length of the steps as a number; NaN where "auto" was stopped before it was known.
    n_iter_ : int
        Passes made.
    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective before the first pass and after each; NaN where fit was stopped before the first could begin.
    validation_objective_ : ndarray of shape (n_iter_ + 1,)
        The same of the rows held out, where some are.
    status_ : Status
        How the fit ended. Where the passes diverge, the last finite machine is kept.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelRegression
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> model = KernelRegression(gamma=1.0, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> model.score(X, np.sin(X[:, 0])) > 0.99
    True
    """

    support_ = MachineAttribute()
    support_vectors_ = MachineAttribute()
    n_support_ = MachineAttribute()
    dual_coef_ = MachineAttribute()
    intercept_ = MachineAttribute()
    kernel_ = MachineAttribute()

    _checks: ClassVar[dict[str, checks.Check]] = {
        "learning_rate": checks.positive_or_auto,
        "batch_size": checks.optional_at_least(1),
        "max_passes": checks.at_least(1),
        "tol": checks.optional_not_negative,
        "patience": checks.at_least(1),
        "validation_fraction": checks.optional_inner_share,
        "fit_intercept": checks.flag,
        "warm_start": checks.flag,
        "time_limit": checks.optional_positive,
        "callback": checks.optional_callable,
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        learning_rate: Any = "auto",
        batch_size: int | None = 32,
        max_passes: int = 1000,
        tol: float | None = 1e-4,
        patience: int = 5,
        validation_fraction: float | None = None,
        fit_intercept: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        time_limit: float | None = None,
        callback: Any = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_passes = max_passes
        self.tol = tol
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.callback = callback

    # ---------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Makes passes over the rows until they no longer help.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows, or kernel values between them where kernel="precomputed".
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows. Zero leaves a row out; k counts it k times in the objective.

        Returns
        -------
        self
        """
        return self._fit_any(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, callback: Any) -> Self:
        monitor = DescentMonitor(callback, verbose=False)
        checks.check_parameters(self)
        kernel = kernel_from_name(self.kernel, self.gamma, self.degree, self.coef0, owner=type(self).__name__)
        X, y = read_training_data(self, X, y, takes_features(kernel), NUMBERS)
        X = checked_matrix(kernel, X)
        if X.shape[0] > _MOST_ROWS:
            raise InputError(
                f"KernelRegression keeps all kernel values: expected up to {_MOST_ROWS} rows, got {X.shape[0]}. Use "
                "some of the rows, SVR, or SGDRegressor on features of kernel.feature_map."
            )
        rows = rows_of(kernel.resolve(X), X)
        random = check_random_state(self.random_state)
        targets = read_numbers(y)
        weights = read_sample_weight(sample_weight, X.shape[0])
        split = self._split(weights, random)

        start = self._start(X.shape, split.training)
        left = np.inf if self.time_limit is None else float(self.time_limit) - monitor.seconds
        rate, reached = self._descend(rows, targets, weights, split, start, random, Watch(left, monitor.report))
        self._keep(rows, split.training, rate, reached)
        if self.status_ not in _SILENT:
            warn_user(UnsolvedWarning(self._unsolved_message()))
        return self

    def _descend(
        self,
        rows: Rows,
        targets: Floats,
        weights: Floats,
        split: _Split,
        start: DualState,
        random: Any,
        watch: Watch,
    ) -> tuple[float, DualDescended]:
        """The length of the steps, and where they led from the start."""

        def seen_from(some: Integers) -> RowsToFit:
            relative = weights[some] / weights[some].max()  # so that no sum of weights overflows
            K = rows.watched(watch.look).values(some, split.training)
            return RowsToFit(K, targets[some], relative / relative.mean())

        given = checks.positive_or_auto("learning_rate", self.learning_rate)
        # Where the steps are too long, the squares of the errors leave float64: the descent sees it and says so.
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                training = seen_from(split.training)
                held_out = None if split.held_out is None else seen_from(split.held_out)
                descent = self._descent(training, watch)
            except Stopped as stopped:
                unknown = [] if split.held_out is None else [np.nan]
                rate = np.nan if given is None else given
                return rate, DualDescended(start, 0, stopped.status, [np.nan], unknown)
            return descent.rate, descent.descend(training, held_out, start, random, watch)

    def _split(self, weights: Floats, random: Any) -> _Split:
        rows, judging = np.flatnonzero(weights > 0), None
        if self.validation_fraction is not None:
            count = round(len(rows) * self.validation_fraction)
            if not 0 < count < len(rows):
                raise InputError(
                    f"validation_fraction: expected rows to train on and rows to hold out, got {count} to hold out "
                    f"with n_samples={len(rows)}. Change the fraction, or set it to None."
                )
            order = random.permutation(rows)
            rows, judging = np.sort(order[count:]), np.sort(order[:count])
        return _Split(rows, judging)

    def _descent(self, training: RowsToFit, watch: Watch) -> DualDescent:
        n = len(training.targets)
        batch_size = n if self.batch_size is None else min(int(self.batch_size), n)
        fit_intercept = bool(self.fit_intercept)
        rate = checks.positive_or_auto("learning_rate", self.learning_rate)
        if rate is None:
            rate = safe_rate(training.K, training.weights, batch_size, fit_intercept, watch)
        tol = None if self.tol is None else float(self.tol)
        return DualDescent(rate, batch_size, int(self.max_passes), tol, int(self.patience), fit_intercept)

    def _start(self, shape: tuple[int, int], rows: Integers) -> DualState:
        """The previous machine where that is asked for and it is of such data, else zero."""
        earlier = self.__dict__.get("_machine") if self.warm_start else None
        if earlier is None or self.shape_fit_ != shape:
            return DualState(np.zeros(len(rows)), 0.0)
        b = float(earlier.intercept[0]) if self.fit_intercept else 0.0
        return DualState(earlier.coef_at_rows(0, shape[0])[rows], b)

    def _keep(self, rows: Rows, training: Integers, rate: float, reached: DualDescended) -> None:
        beta, b = reached.state
        self._machine = SingleMachine.of_rows(rows, training, beta, np.array([b]))
        self.shape_fit_ = rows.X.shape
        self.learning_rate_ = rate
        self.n_iter_ = reached.passes
        self.status_ = reached.status
        self.objective_ = locked(np.array(reached.objectives))
        self.__dict__.pop("validation_objective_", None)
        if reached.held_out:
            self.validation_objective_ = locked(np.array(reached.held_out))

    def _unsolved_message(self) -> str:
        if self.status_ is Status.DIVERGED:
            advice = f"The learning rate was {self.learning_rate_:.3g}; take a smaller one, or learning_rate='auto'."
            if not self._machine.kernel.is_definite:
                advice += " A kernel that is not positive semi-definite diverges at any rate: make fewer passes."
        elif np.isnan(self.objective_[0]):
            return (
                f"{self.status_.value} Not all kernel values were known by then; raise time_limit, or take fewer rows."
            )
        else:
            advice = "What was reached is kept; raise the limit or tol, or continue with warm_start=True."
        return f"{self.status_.value} After {self.n_iter_} passes the objective is {self.objective_[-1]:.4g}. {advice}"

    # ---------------------------------------------------------------- predict

    def predict(self, X: Any) -> Floats:
        """The value of f at each row of X, or at each row of kernel values with the training rows."""
        check_is_fitted(self, "_machine")
        self._machine.check()
        expansion = self._machine.expansion
        X = expansion.as_in_fit(read_queries(self, X, expansion.takes_features))
        return self._machine.values(X, None, X.dtype.type)[:, 0]
