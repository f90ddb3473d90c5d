"""Kernel machines: from parameters to a task, a fit, and attributes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mercer.certificates import Evidence, Unevaluated
from mercer.data import is_sparse, read_queries, read_training_data
from mercer.errors import ParameterError, UnsolvedWarning, warn_user
from mercer.estimators import parameters
from mercer.estimators.certified import CertifiedEstimator
from mercer.estimators.fitted import OfTheMachine
from mercer.estimators.kernel_choice import KernelChoice, choose_kernel
from mercer.estimators.monitor import Monitor
from mercer.fits import Fitted, Plan, Task, fit, plan_fit, trace_of
from mercer.kernels import Kernel, WithKernel, check_gamma, check_number, kernel_from_name
from mercer.machines import KernelMachine
from mercer.rows import Rows, checked_matrix, rows_of, takes_features
from mercer.solvers import NO_LIMIT, Method, Step, Terms
from mercer.typing import Floats

__all__ = ["KernelEstimator"]

# The sets of free and bounded coefficients are stable, mostly, once the violation is below this.
_BEFORE_POLISH = 1e-6

# The share of a time limit that is kept to evaluate a machine whose kernel values are asked of Python, and the
# least, in seconds, unless it is more than half of the limit. The solver asks for whole rows, so that
# this does for about as large a share of the rows. Without any, the intercept would not be known.
_SHARE_TO_EVALUATE = 0.1
_LEAST_TO_EVALUATE = 0.1

# Instead of what a certificate says, where there was no time for it.
_NOT_YET = "There was no time to evaluate the machine on all rows: certificate_ does so when it is read."


class KernelEstimator(WithKernel, CertifiedEstimator):
    """A machine Σ c_i k(x_i, x) + b that a problem asks for.

    Subclasses say what the task is (`_task`), and what machine its solution makes (`_machine_of`).
    """

    # What y may hold, by NumPy's letters; None where there is none.
    _target_kinds: ClassVar[str | None]
    _machine: KernelMachine

    support_ = OfTheMachine()
    support_vectors_ = OfTheMachine()
    n_support_ = OfTheMachine()
    intercept_ = OfTheMachine()
    kernel_ = OfTheMachine()

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
    def _check_own_parameters(self) -> None:
        """Checks the parameters that other estimators do not have."""

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

    @abstractmethod
    def _predicted(self, machine: KernelMachine, X: Any) -> Any:
        """What a machine predicts of rows as it takes them."""

    @property
    def _method(self) -> Method | None:
        """The lectures' method that is asked for, where one is."""
        return None

    @property
    def _widths(self) -> Floats | None:
        """What the machine was told of its margin or tube, where its coefficients do not tell."""
        return None

    # ---------------------------------------------------------------- fit

    def _fit(self, X: Any, y: Any, sample_weight: Any, callback: Any) -> Self:
        monitor = Monitor(callback, parameters.flag("verbose", self.verbose))
        self._check_parameters()
        seed = self._seed()
        kernel = self._named_kernel("rbf" if self._is_auto else self.kernel)
        X, y = read_training_data(self, X, y, takes_features(kernel), self._target_kinds)
        choice = choose_kernel(self, X, y, sample_weight) if self._is_auto else None
        kernel = kernel if choice is None else self._named_kernel(choice.name)
        targets = self._read_targets(y, sample_weight, X.shape[0])
        X = checked_matrix(kernel, X)
        rows = rows_of(kernel.resolve(X), X, self._deadline(monitor))

        task = self._task(rows, targets)
        task = task.on_a_copy() if task.keeps_evidence else task
        monitor.problems = len(task.members)
        plan = self._plan(task)
        start = self._start(task, targets) if self.warm_start else None
        record: list[Step] | None = [] if self.trace else None
        fitted = fit(task, plan, plan.solver(seed), self._limits(monitor, rows, record), start)

        self._keep(fitted, targets)
        self._keep_proof(fitted)
        self._keep_words(choice, plan, task, record)
        if self.verbose:
            monitor.finish(f"{self.status_.value} {_NOT_YET if self._is_unevaluated else self.certificate_}")
        for warning in fitted.warnings:
            warn_user(warning)
        if fitted.unsolved:
            warn_user(UnsolvedWarning(self._unsolved_message(fitted.task.tol)))
        return self

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "auto"

    def _named_kernel(self, kernel: Any) -> Kernel:
        also = () if self._target_kinds is None else ("auto",)
        return kernel_from_name(kernel, self.gamma, self.degree, self.coef0, also=also)

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
        budget = int(parameters.positive("cache_size", self.cache_size) * 1e6)
        return plan_fit(
            task,
            budget,
            parameters.thread_count(self.n_jobs),
            formulation=self.formulation,
            method=self._method,
            shrinking=bool(self.shrinking),
        )

    def _seed(self) -> int:
        return 0

    def _deadline(self, monitor: Monitor) -> float:
        """When kernel values must have come: of those that the lectures' methods or a trace ask for, at any time."""
        if self.time_limit is None or self._method is not None or self.trace:
            return np.inf
        return monitor.after(float(self.time_limit))

    def _limits(self, monitor: Monitor, rows: Rows, record: list[Step] | None = None) -> Terms:
        ends = np.inf if self.time_limit is None else monitor.after(float(self.time_limit))
        if rows.is_hurried:
            ends -= _time_to_evaluate(ends - monitor.now)
        steps = NO_LIMIT if self.max_iter < 0 else min(int(self.max_iter), NO_LIMIT)
        return Terms(ends=ends, steps=steps, report=monitor.report, record=record)

    def _keep(self, fitted: Fitted, targets: Any) -> None:
        """Keeps the machine and how the fit ended."""
        self.shape_fit_ = fitted.task.rows.X.shape
        machine = self._machine_of(fitted, targets)
        if fitted.is_precise:
            machine = replace(machine, is_precise=True, low=fitted.machine_low(machine.support))
        self._machine = machine
        self.status_ = fitted.status
        self.fit_status_ = int(bool(fitted.unsolved))
        self._keep_steps(fitted.steps)

    def _keep_proof(self, fitted: Fitted) -> None:
        proof = fitted.proof
        if isinstance(proof, Unevaluated):
            proof = proof.on_a_copy()
        self._proof = proof.certificate if isinstance(proof, Evidence) and not fitted.task.keeps_evidence else proof

    def _keep_words(self, choice: KernelChoice | None, plan: Plan, task: Task, record: list[Step] | None) -> None:
        self.plan_ = str(plan) if choice is None else f"{choice} {plan}"
        self.__dict__.pop("trace_", None)
        if record is not None:
            self.trace_ = trace_of(task, plan, record)

    def _keep_steps(self, steps: Sequence[int]) -> None:
        self.n_iter_: Any = sum(steps)

    def _check_parameters(self) -> None:
        self._check_own_parameters()
        parameters.flag("warm_start", self.warm_start)
        parameters.choice("formulation", self.formulation, ("auto", "primal", "dual"))
        parameters.flag("polish", self.polish)
        parameters.flag("trace", self.trace)
        parameters.positive("tol", self.tol)
        parameters.integer("max_iter", self.max_iter, least=-1)
        parameters.optional_positive("time_limit", self.time_limit)
        if self.callback is not None and not callable(self.callback):
            raise ParameterError(f"callback: expected a callable or None, got {self.callback!r}.")
        parameters.optional_positive("gap_tol", self.gap_tol)
        parameters.flag("shrinking", self.shrinking)
        name = type(self).__name__
        check_gamma(name, self.gamma)
        check_number(name, "coef0", self.coef0)
        parameters.integer("degree", self.degree, least=0)
        parameters.thread_count(self.n_jobs)

    @property
    def _is_unevaluated(self) -> bool:
        return isinstance(self._proof, Unevaluated)

    def _unsolved_message(self, tol: float) -> str:
        if self._is_unevaluated:
            return f"{self.status_.value} {_NOT_YET} Raise the limit or tol, or go on with warm_start=True."
        certificate = self.certificate_
        reached = (
            f"The violation is {certificate.violation:.2g} (tol={tol:g}), the relative duality gap "
            f"{certificate.relative_gap:.2g}, and rounding at most {certificate.accuracy:.1g}."
        )
        advice = "scale the features, raise the limit or tol, or go on with warm_start=True."
        return f"{self.status_.value} {reached} The machine {certificate.verdict}; {advice}"

    # ---------------------------------------------------------------- predict

    def _check_is_fitted(self) -> None:
        if "_machine" not in self.__dict__:  # scikit-learn's check takes longer than the prediction of a row
            check_is_fitted(self)

    def _values(self, X: Any) -> Floats:
        """The functions of the machine at the rows of X, in the precision of these."""
        X = self._queries(X)
        return self._machine.values(X, parameters.thread_count(self.n_jobs), X.dtype.type)

    def _queries(self, X: Any) -> Any:
        """Rows to predict, as the machine takes them."""
        self._check_is_fitted()
        self._machine.check()
        expansion = self._machine.expansion
        return expansion.as_in_fit(read_queries(self, X, expansion.accepts_sparse))

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


def _time_to_evaluate(seconds: float) -> float:
    """What is left to the evaluation of the machine of the seconds that a fit has."""
    return max(_SHARE_TO_EVALUATE * seconds, min(_LEAST_TO_EVALUATE, 0.5 * seconds), 0.0)
