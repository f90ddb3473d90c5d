"""What the estimators by stochastic gradient descent share: parameters, passes over the data, what is kept of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer import checks
from mercer._runtime import threads_worth
from mercer.data import is_sparse, read_queries, read_training_data
from mercer.errors import NumericsWarning, ParameterError, UnsolvedWarning, warn_user
from mercer.estimators.atomic import AtomicFit
from mercer.estimators.monitor import DescentMonitor
from mercer.estimators.sgd_rates import check_learning_rate
from mercer.estimators.sgd_targets import SgdTargets, seeds_of, start_of_shape, worst_of
from mercer.estimators.weights import machine_of_weights
from mercer.machines import LinearMachine, locked
from mercer.problems import mean_loss, penalty_of
from mercer.solvers import Descended, DescentState, DescentTargets, GradientDescent, Status
from mercer.typing import Floats, Integers, Labels

__all__ = ["SGDEstimator"]

_MOST_COUNT = 2**62
# Where weights of zero are next to the best, the noise of the steps leaves the objective above theirs by such a share.
_SHARE_OF_NOISE = 0.1
_SILENT = {Status.STEADY, Status.PASSES_DONE, Status.SEPARATED}


class _Weights(NamedTuple):
    """Those of a fit, a row a function."""

    coef: Floats
    intercept: Floats
    classes: Labels | None

    def is_of(self, shape: tuple[int, int], classes: Labels | None) -> bool:
        """Whether they can be those of these functions, features and classes."""
        if self.classes is None or classes is None:
            return self.classes is classes and self.coef.shape == shape
        return np.array_equal(self.classes, classes) and self.coef.shape == shape


class SGDEstimator(AtomicFit, BaseEstimator, ABC):  # type: ignore[misc]
    """Linear functions that are learned from one batch of rows after the other."""

    # What y may hold, by NumPy's letters; None where there is none.
    _target_kinds: ClassVar[str | None]
    _loss_names: ClassVar[tuple[str, ...]]

    _checks: ClassVar[dict[str, checks.Check]] = {
        "learning_rate": check_learning_rate,
        "epsilon": checks.not_negative,
        "eta0": checks.positive,
        "power_t": checks.not_negative,
        "tol": checks.optional_not_negative,
        "fit_intercept": checks.flag,
        "shuffle": checks.flag,
        "early_stopping": checks.flag,
        "validation_fraction": checks.inner_share,
        "warm_start": checks.flag,
        "verbose": checks.flag,
        "n_jobs": checks.number_of_threads,
        "time_limit": checks.optional_positive,
        "callback": checks.optional_callable,
    }

    def __init__(
        self,
        *,
        loss: str,
        penalty: str | None,
        alpha: float,
        l1_ratio: float | None,
        fit_intercept: bool,
        max_iter: int,
        tol: float | None,
        shuffle: bool,
        verbose: bool,
        epsilon: float,
        n_jobs: int | None,
        random_state: Any,
        learning_rate: str,
        eta0: float,
        power_t: float,
        early_stopping: bool,
        validation_fraction: float,
        n_iter_no_change: int,
        warm_start: bool,
        average: bool | int,
        batch_size: int,
        time_limit: float | None,
        callback: Any,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size
        self.time_limit = time_limit
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ---------------------------------------------------------------- what subclasses say

    @abstractmethod
    def _read_sgd_targets(self, y: Any, sample_weight: Any, go_on: bool) -> SgdTargets:
        """What y and the weights say, checked; where training goes on, of what is known already."""

    @abstractmethod
    def _functions(self) -> int:
        """How many functions there are in all."""

    @abstractmethod
    def _loss_of_functions(self) -> str:
        """The loss as the descent knows it."""

    @abstractmethod
    def _hold_out(self, given: SgdTargets, rows: Integers, random: Any) -> tuple[Integers, Integers]:
        """Rows to train on and rows to judge by."""

    @abstractmethod
    def _shape_of_coef(self, coef: Floats) -> Floats:
        """The weights as the user sees them."""

    # ---------------------------------------------------------------- what subclasses may say

    def _price(self) -> float:
        """The price of the penalty."""
        return checks.not_negative("alpha", self.alpha)

    def _price_of_offset(self) -> float:
        """The p of the term p b in the objective."""
        return 0.0

    def _value_without_weights(self) -> float:
        """The constant that a fit should do better than."""
        return 0.0

    def _keep_intercept(self, b: Floats) -> None:
        self.intercept_ = locked(b)

    def _linear_machine(self) -> LinearMachine:
        """What was learned, as predictions take it."""
        return machine_of_weights(self, self.coef_, self.intercept_)

    # ---------------------------------------------------------------- fit

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        callback: Any,
        *,
        coef_init: Any = None,
        intercept_init: Any = None,
        **others: Any,
    ) -> Self:
        descent, threads = self._checked_parameters()
        monitor = DescentMonitor(callback, bool(self.verbose))
        earlier = self._weights() if self.warm_start and "coef_" in self.__dict__ else None
        X, y = read_training_data(self, X, y, True, self._target_kinds)
        given = self._read_sgd_targets(np.ones(X.shape[0]) if y is None else y, sample_weight, go_on=False)
        descent = descent._replace(loss=self._loss_of_functions())
        random = check_random_state(self.random_state)
        given, rows, held_out = self._split(given, random)
        start = self._start(earlier, coef_init, intercept_init, len(given.targets.positive))

        reached = self._descend(descent, X, given.targets, rows, held_out, start, random, threads, monitor)
        self._keep(descent, reached)
        self.objective_, at_zero = self._objectives(descent, X, given.targets, rows, threads)
        if not np.all(np.isfinite(self.objective_)):
            self.status_ = Status.DIVERGED
        monitor.finish(f"{self.status_.value} {self.n_iter_} passes, objective {self.objective_}.")
        for complaint in self._complaints(at_zero):
            warn_user(complaint)
        return self

    def _split(self, given: SgdTargets, random: Any) -> tuple[SgdTargets, Integers, Integers | None]:
        """The targets, weighted for the rows to train on, these rows, and those to judge by where some are held out."""
        rows, held_out = np.flatnonzero(given.sample > 0), None
        if self.early_stopping:
            rows, held_out = self._hold_out(given, rows, random)
        return given.of_mean_weight_one(rows), rows, held_out

    def _fit_some(self, X: Any, y: Any, sample_weight: Any, first: bool) -> Self:
        """One more pass, over these rows."""
        if self.early_stopping:
            raise ParameterError(
                "early_stopping: expected False in partial_fit, which makes one pass, got True. Use fit, or stop "
                "calling partial_fit."
            )
        descent, threads = self._checked_parameters()
        monitor = DescentMonitor(self.callback, bool(self.verbose))
        X, y = read_training_data(self, X, y, True, self._target_kinds, go_on=not first)
        given = self._read_sgd_targets(np.ones(X.shape[0]) if y is None else y, sample_weight, go_on=True)
        descent = descent._replace(loss=self._loss_of_functions(), passes=1, tol=-np.inf, until_right=False)
        start = self._start(None, None, None, len(given.targets.positive))
        if not first and self._descent_state.w.shape != start.w.shape:
            raise ParameterError(
                f"loss={self.loss!r} learns other functions than the loss before it: expected a loss of the same kind "
                "in all calls of partial_fit. Fit a new model."
            )
        start = start if first else self._descent_state
        rows = np.flatnonzero(given.sample > 0)
        random = check_random_state(self.random_state)
        reached = self._descend(descent, X, given.targets, rows, None, start, random, threads, monitor)
        self._keep(descent, reached)
        self.__dict__.pop("objective_", None)  # that of a fit: these are other rows
        for complaint in self._complaints(None):
            warn_user(complaint)
        return self

    def _descend(
        self,
        descent: GradientDescent,
        X: Any,
        targets: DescentTargets,
        rows: Integers,
        held_out: Integers | None,
        start: DescentState,
        random: Any,
        threads: int | None,
        monitor: DescentMonitor,
    ) -> Descended:
        monitor.problems = len(targets.positive)
        return descent.descend(
            X,
            targets,
            None if len(rows) == X.shape[0] else rows,
            held_out,
            start,
            seeds_of(random, len(targets.positive)),
            threads_worth(len(targets.positive) * (X.nnz if is_sparse(X) else X.size), threads),
            self._seconds_left(monitor),
            monitor.report,
        )

    def _seconds_left(self, monitor: DescentMonitor) -> float:
        return np.inf if self.time_limit is None else float(self.time_limit) - monitor.seconds

    def _start(self, earlier: _Weights | None, coef_init: Any, intercept_init: Any, problems: int) -> DescentState:
        """The given weights, those of an earlier fit of as many functions and features, or zero."""
        shape = self._functions(), self.n_features_in_
        coef, intercept = np.zeros(shape), np.zeros(shape[0])
        if earlier is not None and earlier.is_of(shape, self.__dict__.get("classes_")):
            coef, intercept = earlier.coef, earlier.intercept
        if coef_init is not None:
            coef = start_of_shape("coef_init", coef_init, shape)
        if intercept_init is not None:
            intercept = start_of_shape("intercept_init", intercept_init, shape[:1])
        return DescentState.at(coef, intercept, problems)

    def _weights(self) -> _Weights:
        machine = self._linear_machine()
        return _Weights(machine.weights, machine.intercept, self.__dict__.get("classes_"))

    def _keep(self, descent: GradientDescent, reached: Descended) -> None:
        self._descent_state = reached.state
        weights = descent.weights_of(reached.state).reshape(-1, self.n_features_in_ + 1)
        self.coef_ = locked(self._shape_of_coef(np.ascontiguousarray(weights[:, :-1])))
        self._keep_intercept(weights[:, -1].copy())
        self.n_iter_ = max(reached.passes)
        self.t_ = 1.0 + max(reached.state.updates)
        self.status_ = worst_of(reached.statuses)

    def _objectives(
        self, descent: GradientDescent, X: Any, targets: DescentTargets, rows: Integers, threads: int | None
    ) -> tuple[Any, Floats]:
        """The mean loss over the rows with the penalties, and what it would be with weights of zero; one a problem.

        Both are less what an offset of one costs, which is the same for all machines.
        """
        f = self._values(X, threads)[rows]
        y = targets.y[rows]
        learned = self._weights()
        own = np.ones(len(rows)) if targets.weights is None else targets.weights[rows]
        reached, at_zero = [], []
        for k, positive in enumerate(targets.positive):
            of_problem = slice(k * targets.functions, (k + 1) * targets.functions)
            signs, weights = (y, own) if positive < 0 else targets.against_rest(k, y, own)
            values = f[:, of_problem] if targets.functions > 1 else f[:, k]
            penalty = penalty_of(learned.coef[of_problem], descent.l2, descent.l1)
            penalty += descent.offset_price * (float(learned.intercept[k]) - 1.0)
            reached.append(mean_loss(descent.loss, signs, values, descent.epsilon, weights) + penalty)
            constant = self._value_without_weights()
            without = mean_loss(descent.loss, signs, np.full_like(values, constant), descent.epsilon, weights)
            at_zero.append(without + descent.offset_price * (constant - 1.0))
        return reached[0] if len(reached) == 1 else locked(np.array(reached)), np.array(at_zero)

    def _complaints(self, at_zero: Floats | None) -> Iterator[Warning]:
        """What the user should hear of the end of a descent, and of an objective that is no better than none."""
        advice = "Scale the features, lower eta0 or choose another learning_rate."
        if self.status_ is Status.DIVERGED:
            yield UnsolvedWarning(f"{self.status_.value} {advice}")
        elif self.status_ not in _SILENT:
            yield UnsolvedWarning(
                f"{self.status_.value} {self.n_iter_} passes were made, and the machine of the last step is kept. "
                "Raise the limit or tol, or continue with warm_start=True."
            )
        if at_zero is not None and self._is_worse_than(at_zero):
            yield NumericsWarning(
                f"The objective is {np.max(self.objective_):.3g}, more than the {np.max(at_zero):.3g} of weights of "
                f"zero: the steps are too long, or the passes too few. {advice} A larger alpha helps as well."
            )

    def _is_worse_than(self, at_zero: Floats) -> bool:
        """Whether an objective is clearly above that of weights of zero, where these are not the best there can be."""
        noise = _SHARE_OF_NOISE * (at_zero + self._price_of_offset())
        return bool(np.any((noise > 0) & (np.asarray(self.objective_) > at_zero + noise)))

    # ---------------------------------------------------------------- parameters

    def _checked_parameters(self) -> tuple[GradientDescent, int | None]:
        checks.check_parameters(self)
        checks.choice("loss", self.loss, self._loss_names)
        if self.penalty not in (None, "l2", "l1", "elasticnet"):
            raise ParameterError(f"penalty: expected one of 'l2', 'l1', 'elasticnet' or None, got {self.penalty!r}.")
        alpha = self._price()
        if self.learning_rate == "optimal" and alpha == 0:
            raise ParameterError(
                "alpha must be > 0 since learning_rate is 'optimal', whose steps are 1 / (alpha (t0 + t)): expected a "
                "number > 0, got 0. Choose another learning_rate."
            )
        l1_ratio = self._checked_l1_ratio()
        descent = GradientDescent(
            loss=self.loss,
            epsilon=float(self.epsilon),
            l2=alpha * (1.0 - l1_ratio) if self.penalty else 0.0,
            l1=alpha * l1_ratio if self.penalty else 0.0,
            alpha=alpha,
            rate=self.learning_rate,
            eta0=float(self.eta0),
            power_t=float(self.power_t),
            batch_size=_count("batch_size", self.batch_size),
            passes=_count("max_iter", self.max_iter),
            tol=-np.inf if self.tol is None else float(self.tol),
            patience=_count("n_iter_no_change", self.n_iter_no_change),
            average=self._first_averaged(),
            fit_intercept=bool(self.fit_intercept),
            shuffle=bool(self.shuffle),
            offset_price=self._price_of_offset(),
        )
        return descent, checks.thread_count(self.n_jobs)

    def _checked_l1_ratio(self) -> float:
        if self.penalty == "elasticnet" or self.l1_ratio is not None:
            ratio = checks.any_share("l1_ratio", self.l1_ratio)
            if self.penalty == "elasticnet":
                return ratio
        return 1.0 if self.penalty == "l1" else 0.0

    def _first_averaged(self) -> int:
        if isinstance(self.average, (bool, np.bool_)):
            return int(self.average)
        return _count("average", self.average)

    # ---------------------------------------------------------------- predict

    def _values(self, X: Any, threads: int | None) -> Floats:
        """The functions at the rows of X, a column each."""
        return self._linear_machine().values(X, threads)

    def _values_of_queries(self, X: Any) -> Floats:
        check_is_fitted(self, "coef_")
        return self._values(read_queries(self, X, accept_sparse=True), checks.thread_count(self.n_jobs))


def _count(name: str, value: Any) -> int:
    """An integer ≥ 1, as the core can hold it."""
    return min(checks.integer(name, value, least=1), _MOST_COUNT)
