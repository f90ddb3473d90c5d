"""Kernel machines: from parameters to a task, a fit, and attributes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mercer import checks
from mercer.certificates import Unevaluated
from mercer.data import is_sparse, read_queries, read_training_data
from mercer.errors import InputError, SparseMatrixError, UnsolvedWarning, warn_user
from mercer.estimators.certified import CertifiedEstimator
from mercer.estimators.kernel_choice import choose_kernel
from mercer.estimators.machine_attributes import MachineAttribute
from mercer.estimators.monitor import Monitor
from mercer.estimators.objects import TrainingObjects, training_objects
from mercer.estimators.scikit_learn_names import ScikitLearnNames
from mercer.fits import Fitted, Plan, Task, fit, plan_fit, trace_of
from mercer.kernels import Kernel, Precomputed, WithKernel, kernel_from_name
from mercer.machines import KernelMachine
from mercer.rows import Budget, Rows, as_computed, checked_matrix, rows_of, takes_features
from mercer.solvers import NO_LIMIT, DualSolver, Method, Status, Step, Terms
from mercer.typing import Floats

__all__ = ["KernelEstimator"]

# The sets of free and bounded coefficients are stable, mostly, once the violation is below this.
_BEFORE_POLISH = 1e-6

# Instead of what a certificate says, where there was no time for it.
_NOT_YET = "There was no time to evaluate the machine on all rows: certificate_ does so when it is read."


_TERMINATED_EARLY = (
    "Solver terminated early (max_iter={}).  Consider pre-processing your data with StandardScaler or MinMaxScaler."
)


class KernelEstimator(WithKernel, ScikitLearnNames, CertifiedEstimator):
    """A machine Σ c_i k(x_i, x) + b that a problem asks for.

    Subclasses say what the task is (`_task`), and what machine its solution makes (`_machine_of`).
    """

    # What y may hold, by NumPy's letters; None where there is none.
    _target_kinds: ClassVar[str | None]
    _machine: KernelMachine
    _objects: TrainingObjects | None = None
    _checks: ClassVar[dict[str, checks.Check]] = {
        "shrinking": checks.flag,
        "tol": checks.positive,
        "cache_size": checks.positive,
        "verbose": checks.flag,
        "max_iter": checks.at_least(-1),
        "random_state": checks.seed,
        "n_jobs": checks.number_of_threads,
        "time_limit": checks.optional_positive,
        "gap_tol": checks.optional_positive,
        "warm_start": checks.flag,
        "callback": checks.optional_callable,
        "formulation": checks.one_of("auto", "primal", "dual"),
        "polish": checks.flag,
        "trace": checks.flag,
    }

    support_ = MachineAttribute()
    support_vectors_ = MachineAttribute()
    n_support_ = MachineAttribute()
    intercept_ = MachineAttribute()
    kernel_ = MachineAttribute()

    def __init__(
        self,
        *,
        kernel: Any,
        degree: int,
        gamma: Any,
        coef0: float,
        shrinking: bool,
        tol: float,
        cache_size: float,
        verbose: bool,
        max_iter: int,
        random_state: Any,
        n_jobs: int | None,
        time_limit: float | None,
        gap_tol: float | None,
        warm_start: bool,
        callback: Any,
        formulation: str,
        polish: bool,
        trace: bool,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.gap_tol = gap_tol
        self.warm_start = warm_start
        self.callback = callback
        self.formulation = formulation
        self.polish = polish
        self.trace = trace

    # ---------------------------------------------------------------- what subclasses say

    @abstractmethod
    def _read_targets(self, y: Any, sample_weight: Any, rows: int) -> Any:
        """What y and the weights say, checked."""

    @abstractmethod
    def _task(self, rows: Rows, targets: Any) -> Task:
        """The problem for these targets on these rows: what is solved, and what a certificate judges."""

    @abstractmethod
    def _start(self, task: Task, targets: Any) -> Floats | None:
        """Coefficients of the previous fit, where it was of the same kind."""

    @abstractmethod
    def _machine_of(self, fitted: Fitted, targets: Any) -> KernelMachine:
        """The machine of the fitted expansions."""

    def _precise_machine_of(self, fitted: Fitted, targets: Any) -> KernelMachine:
        """The same, evaluated in twice the precision of float64 where it was proved so."""
        machine = self._machine_of(fitted, targets)
        if not fitted.is_precise:
            return machine
        return replace(machine, is_precise=True, low=fitted.machine_low(machine.support))

    @abstractmethod
    def _predicted(self, machine: KernelMachine, X: Any) -> Any:
        """What a machine predicts of rows as it takes them."""

    @property
    def _method(self) -> Method | None:
        """The lectures' method that is asked for, where one is."""
        return None

    @property
    def _own_solver(self) -> DualSolver | None:
        """A solver that takes the place of the plan's, where one is given."""
        return None

    @property
    def _widths(self) -> Floats | None:
        """What the machine was told of its margin or tube, where its coefficients do not tell."""
        return None

    # ---------------------------------------------------------------- fit

    def _fit(self, X: Any, y: Any, sample_weight: Any, callback: Any) -> Self:
        checks.check_parameters(self)
        monitor, seed = Monitor(callback, bool(self.verbose)), self._seed()
        deadline = self._deadline(monitor)
        record: list[Step] | None = [] if self.trace else None
        limits = self._limits(monitor, record)
        kernel = self._named_kernel("rbf" if self._is_auto else self.kernel)
        objects = training_objects(kernel, X)
        if objects is not None:
            X, kernel = objects.values(X), Precomputed()
        if sp.issparse(X) and not takes_features(kernel):
            raise SparseMatrixError(
                "Sparse precomputed kernels are not supported: expected a dense matrix of kernel values, got a sparse "
                "one. Call its toarray()."
            )
        X, y = read_training_data(self, X, y, takes_features(kernel), self._target_kinds)
        choice = choose_kernel(self, X, y, sample_weight) if self._is_auto else None
        kernel = kernel if choice is None else self._named_kernel(choice.name)
        targets = self._read_targets(y, sample_weight, X.shape[0])
        X = checked_matrix(kernel, X)
        computed = as_computed(kernel, X)

        task = self._task(rows_of(kernel.resolve(computed), computed, deadline, X), targets)
        monitor.problems = len(task.members)
        start = self._start(task, targets) if self.warm_start else None
        plan = self._plan(task)
        fitted = fit(task, plan, self._own_solver or plan.solver(seed), limits, start)

        self._keep(fitted, targets)
        self._objects = objects
        self.plan_ = str(plan) if choice is None else f"{choice} {plan}"
        self._keep_trace(fitted.task, plan, record)
        if self.verbose:
            monitor.finish(f"{self.status_.value} {_NOT_YET if self._is_unevaluated else self.certificate_}")
        for warning in fitted.warnings:
            warn_user(warning)
        if self.fit_status_:
            warn_user(UnsolvedWarning(self._unsolved_message(fitted.task.tol)))
        return self

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "auto"

    def _named_kernel(self, kernel: Any) -> Kernel:
        also = () if self._target_kinds is None else ("auto",)
        return kernel_from_name(kernel, self.gamma, self.degree, self.coef0, owner=type(self).__name__, also=also)

    def _tolerances(self) -> dict[str, Any]:
        """How well a task is to be solved."""
        tol = float(self.tol)
        # The lectures' methods are not asked for more than they are told.
        before_polish = self.polish and self._method is None
        return {
            "tol": min(tol, _BEFORE_POLISH) if before_polish else tol,
            "gap_tol": None if self.gap_tol is None else float(self.gap_tol),
            "polish": bool(self.polish),
        }

    def _plan(self, task: Task) -> Plan:
        plan = plan_fit(
            task,
            Budget(int(float(self.cache_size) * 1e6), checks.thread_count(self.n_jobs)),
            formulation=self.formulation,
            method=self._method,
            shrinking=bool(self.shrinking),
        )
        own = self._own_solver
        return plan if own is None else plan._replace(sentence=f"The machine is found by {own!r}, as asked.")

    def _seed(self) -> int:
        return 0

    def _deadline(self, monitor: Monitor) -> float:
        """When kernel values must have come: of those that the lectures' methods or a trace ask for, at any time."""
        if self.time_limit is None or self._method is not None or self.trace:
            return np.inf
        return monitor.after(float(self.time_limit))

    def _limits(self, monitor: Monitor, record: list[Step] | None = None) -> Terms:
        ends = np.inf if self.time_limit is None else monitor.after(float(self.time_limit))
        steps = NO_LIMIT if self.max_iter < 0 else min(int(self.max_iter), NO_LIMIT)
        return Terms(ends=ends, steps=steps, report=monitor.report, record=record)

    def _keep(self, fitted: Fitted, targets: Any) -> None:
        """Keeps the machine, its proof and how the fit ended."""
        self.shape_fit_ = fitted.task.rows.X.shape
        self._machine = self._precise_machine_of(fitted, targets)
        self.__dict__.pop("_seen_n_support", None)
        self._proof = fitted.proof
        self.status_ = fitted.status
        self.fit_status_ = int(not self.status_.is_within_tolerance)
        self._keep_steps(fitted.steps)

    def _keep_trace(self, task: Task, plan: Plan, record: list[Step] | None) -> None:
        self.__dict__.pop("trace_", None)
        if record is not None:
            own = self._own_solver
            self.trace_ = trace_of(task, plan, record, None if own is None else type(own).__name__)

    def _keep_steps(self, steps: Sequence[int]) -> None:
        self.n_iter_: Any = sum(steps)

    @property
    def _is_unevaluated(self) -> bool:
        return isinstance(self._proof, Unevaluated)

    def _unsolved_message(self, tol: float) -> str:
        told = self.status_.value
        if self.status_ is Status.ITERATION_LIMIT:
            told = f"{_TERMINATED_EARLY.format(self.max_iter)} {told}"  # people match scikit-learn's sentence
        if self._is_unevaluated:
            return f"{told} {_NOT_YET} Raise the limit or tol, or continue with warm_start=True."
        certificate = self.certificate_
        reached = (
            f"The violation is {certificate.violation:.2g} (tol={tol:g}), the relative duality gap "
            f"{certificate.relative_gap:.2g}, and rounding at most {certificate.accuracy:.1g}."
        )
        advice = "scale the features, raise the limit or tol, or continue with warm_start=True."
        return f"{told} {reached} The machine {certificate.verdict}; {advice}"

    # ---------------------------------------------------------------- predict

    def _check_is_fitted(self) -> None:
        if "_machine" not in self.__dict__:  # scikit-learn's check takes longer than the prediction of a row
            check_is_fitted(self)

    def _values(self, X: Any) -> Floats:
        """The functions of the machine at the rows of X, in the precision of these."""
        X = self._queries(X)
        return self._machine.values(X, checks.thread_count(self.n_jobs), X.dtype.type)

    def _queries(self, X: Any) -> Any:
        """Rows to predict, as the machine takes them."""
        self._check_is_fitted()
        self._machine.check()
        self._check_seen()
        if self._objects is not None:
            X = self._objects.values(X)
        expansion = self._machine.expansion
        X = read_queries(self, X, expansion.takes_features)
        if is_sparse(X) and expansion.is_dense:
            raise InputError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data: expected a dense matrix, "
                "got a sparse one. Call its toarray(), or fit on sparse rows."
            )
        return expansion.as_in_fit(X)

    # ---------------------------------------------------------------- fitted attributes

    @property
    def dual_coef_(self) -> Any:
        """Coefficients of the support vectors; sparse where these are, as in scikit-learn."""
        machine = self.__dict__.get("_machine")
        if machine is None:
            raise AttributeError(f"{type(self).__name__} has no dual_coef_ before fit.")
        return sp.csr_matrix(machine.dual_coef) if is_sparse(machine.support_vectors) else machine.dual_coef

    @property
    def coef_(self) -> Any:
        """Weights of the features, one row a function; for the linear kernel only."""
        machine = self.__dict__.get("_machine")
        if machine is None or machine.expansion.weights is None:
            raise AttributeError("coef_ is only available when using a linear kernel, and after fit")
        if machine.is_precise:
            weights = machine.expansion.precise_weights.copy()
            weights.setflags(write=False)
            return sp.csr_matrix(weights) if is_sparse(machine.support_vectors) else weights
        rows = []
        for function in range(len(machine.intercept)):
            positions, coef = machine.coef_of(function)
            row = sp.csr_matrix(coef) @ machine.support_vectors[positions]
            rows.append(row if is_sparse(row) else np.asarray(row))
        if is_sparse(rows[0]):
            return sp.vstack(rows).tocsr()
        weights = np.concatenate(rows)
        weights.setflags(write=False)
        return weights
