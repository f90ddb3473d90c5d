"""What all estimators have in common: parameters, the way from data to a certified machine, and what is kept of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mercer.certificates import Evidence, Unevaluated
from mercer.data import Pair, checked_gram, core_ready, is_sparse, read_queries, read_training_data, take_rows
from mercer.errors import InputError, ParameterError, UnsolvedWarning, warn_user
from mercer.estimators import parameters
from mercer.estimators.certified import CertifiedEstimator
from mercer.estimators.fitted import OfTheMachine
from mercer.estimators.fitting import FittedExpansions, Solver, fit_expansions
from mercer.estimators.kernel_choice import choose_kernel
from mercer.estimators.monitor import Monitor
from mercer.gram import GramPlan, OutOfTime, Source, TrainingData, plan_gram
from mercer.kernels import Kernel, Linear, WithKernel, check_gamma, check_number, kernel_from_name
from mercer.machines import Machine
from mercer.problems import DualProblem
from mercer.solvers import (
    LectureSolver,
    Limits,
    LinearStructureSolver,
    Report,
    Trace,
    WorkingSetSolver,
    choose_formulation,
)
from mercer.typing import Floats, Integers

__all__ = ["KernelEstimator", "Posed", "bounds_of", "tolerance_for"]

_NO_LIMIT = 2**62

# The sets of free and bounded coefficients are stable, mostly, once the violation is below this.
_BEFORE_POLISH = 1e-6

# The share of a time limit that is kept to evaluate a machine whose kernel values are asked of Python, and the
# least, in seconds, unless it is more than half of the limit. The solver asks for whole rows, so that
# this does for about as large a share of the rows. Without any, the intercept would not be known.
_SHARE_TO_EVALUATE = 0.1
_LEAST_TO_EVALUATE = 0.1

# A fit puts its certificate off until somebody asks where that means to keep no more numbers than these 2 MB: a copy of
# the data, and for each row of each pair its number, slope, bounds, coefficient and product.
_FEW_NUMBERS = 250_000


# Instead of what a certificate says, where there was no time for it.
_NOT_YET = "There was no time to evaluate the machine on all rows: certificate_ does so when it is read."


class Posed(NamedTuple):
    """The problem that a fit is to solve, and the training rows of each of its groups; of classes, what each is."""

    problem: DualProblem
    rows: Sequence[Integers]
    pairs: Sequence[Pair] = ()


class KernelEstimator(WithKernel, CertifiedEstimator):
    """A machine Σ c_i k(x_i, x) + b that a problem asks for.

    Subclasses say what the problem is (`_pose`), and what machine its solution makes (`_machine_of`).
    """

    # What y may hold, by NumPy's letters; None where there is none.
    _target_kinds: ClassVar[str | None]

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        pairwise = self._is_pairwise()
        tags.input_tags.sparse = not pairwise
        tags.input_tags.pairwise = pairwise
        return tags

    def _is_pairwise(self) -> bool:
        return self.kernel == "precomputed" or (isinstance(self.kernel, Kernel) and self.kernel.is_pairwise)

    # ---------------------------------------------------------------- what subclasses say

    @abstractmethod
    def _check_own_parameters(self) -> None:
        """Checks the parameters that other estimators do not have."""

    @abstractmethod
    def _read_targets(self, y: Any, sample_weight: Any, rows: int) -> Any:
        """What y and the weights say, checked."""

    @abstractmethod
    def _pose(self, targets: Any) -> Posed:
        """The problem for these targets."""

    @abstractmethod
    def _start(self, targets: Any, shape: tuple[int, int], posed: Posed) -> Floats | None:
        """Coefficients of the previous fit, where it was of the same kind."""

    @abstractmethod
    def _machine_of(self, kernel: Kernel, X: Any, targets: Any, posed: Posed, fitted: FittedExpansions) -> Machine:
        """The machine of the fitted expansions."""

    def _divisors(self, fitted: FittedExpansions) -> Floats | None:
        """What each machine is divided by; None for one."""
        return None

    # ---------------------------------------------------------------- fit

    def _fit(self, X: Any, y: Any, sample_weight: Any, callback: Any) -> Self:
        monitor = Monitor(callback, parameters.flag("verbose", self.verbose))
        choice = None
        is_auto = isinstance(self.kernel, str) and self.kernel == "auto"
        kernel, solver, threads = self._checked_parameters("rbf" if is_auto else self.kernel)
        X, y = read_training_data(self, X, y, not kernel.is_pairwise, self._target_kinds)
        if is_auto:
            choice = choose_kernel(self, X, y, sample_weight)
            kernel = kernel_from_name(choice.name, self.gamma, self.degree, self.coef0)
        targets = self._read_targets(y, sample_weight, X.shape[0])
        if kernel.is_pairwise:
            X = checked_gram(X)
        kernel = kernel.resolve(X)

        posed = self._pose(targets)
        monitor.problems = len(posed.rows)
        groups = posed.problem.groups
        budget = int(parameters.positive("cache_size", self.cache_size) * 1e6)
        exact = posed.problem.is_hard_margin
        data = TrainingData(kernel, X, self._deadline(monitor, solver))
        plan = plan_gram(kernel, X, groups.sizes.tolist(), budget, threads, exact, data.is_hurried)
        puts_off = plan.source is Source.COMPUTED and not is_sparse(X) and X.size + 6 * groups.rows <= _FEW_NUMBERS
        if puts_off:
            data = TrainingData(kernel, X.copy(), data.deadline)
        start = self._start(targets, X.shape, posed) if self.warm_start else None
        limits = Limits(
            seconds=np.inf if self.time_limit is None else self.time_limit - monitor.seconds,
            steps=_NO_LIMIT if self.max_iter < 0 else min(self.max_iter, _NO_LIMIT),
        )
        if data.is_hurried:
            limits = limits._replace(seconds=limits.seconds - _time_to_evaluate(limits.seconds))
        told: list[object] = []
        if isinstance(solver, LectureSolver):
            told.append(f"The machine is found by the method {solver.method.name!r} of the lectures, as asked.")
        else:
            formulation = choose_formulation(kernel, X, int(groups.sizes.max()), budget, self.formulation, exact)
            told += [formulation] if formulation.is_primal else [formulation, plan]
            if formulation.is_primal:
                solver = LinearStructureSolver(*solver)
        fitted = self._solve(posed, data, plan, solver, limits, start, monitor.report)

        self.shape_fit_ = X.shape
        self._machine = self._machine_of(kernel, X, targets, posed, fitted)
        if fitted.is_precise:
            low = fitted.low_at(self._machine.support, X.shape[0], self._divisors(fitted))
            self._machine = replace(self._machine, is_precise=True, low=low)
        self.status_ = fitted.status
        self.fit_status_ = int(bool(fitted.unsolved))
        self._keep_steps(fitted.steps)
        proof = fitted.proof
        if isinstance(proof, Unevaluated):
            proof = proof.on_a_copy()
        self._proof = proof.certificate if isinstance(proof, Evidence) and not puts_off else proof
        self.plan_ = " ".join(map(str, told if choice is None else [choice, *told]))
        self.__dict__.pop("trace_", None)
        if solver.recorded is not None:
            self.trace_ = self._trace_of(solver, posed)
        if self.verbose:
            monitor.finish(f"{self.status_.value} {_NOT_YET if self._is_unevaluated else self.certificate_}")
        if fitted.unsolved:
            warn_user(UnsolvedWarning(self._unsolved_message(fitted.tol)))
        return self

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
        return fit_expansions(posed.problem, data, posed.rows, plan, solver, limits, start, report)

    def _deadline(self, monitor: Monitor, solver: Solver) -> float:
        """When kernel values must have come: of those that the lectures' methods or a trace ask for, at any time."""
        if self.time_limit is None or isinstance(solver, LectureSolver) or solver.recorded is not None:
            return np.inf
        return monitor.after(float(self.time_limit))

    def _chosen(self, solver: WorkingSetSolver) -> Solver:
        """The solver in use: the fast one, where an estimator has no other."""
        return solver

    def _trace_of(self, solver: Solver, posed: Posed) -> Trace:
        name = solver.method.name if isinstance(solver, LectureSolver) else "auto"
        signs = [np.sign(slope) for slope in posed.problem.groups.split(posed.problem.slope)]
        rows, sides = (tuple(tuple(part.tolist()) for part in parts) for parts in (posed.rows, signs))
        return Trace(name, rows, sides, tuple(solver.recorded or ()))

    def _keep_steps(self, steps: Sequence[int]) -> None:
        self.n_iter_: Any = sum(steps)

    def _checked_parameters(self, kernel: Any) -> tuple[Kernel, Solver, int | None]:
        self._check_own_parameters()
        parameters.flag("warm_start", self.warm_start)
        parameters.choice("formulation", self.formulation, ("auto", "primal", "dual"))
        polish = parameters.flag("polish", self.polish)
        tol = parameters.positive("tol", self.tol)
        parameters.integer("max_iter", self.max_iter, least=-1)
        parameters.optional_positive("time_limit", self.time_limit)
        if self.callback is not None and not callable(self.callback):
            raise ParameterError(f"callback: expected a callable or None, got {self.callback!r}.")
        solver = WorkingSetSolver(
            tol=min(tol, _BEFORE_POLISH) if polish else tol,
            gap_tol=parameters.optional_positive("gap_tol", self.gap_tol),
            shrinking=parameters.flag("shrinking", self.shrinking),
            verify=False,
            polish=polish,
        )
        name = type(self).__name__
        check_gamma(name, self.gamma)
        check_number(name, "coef0", self.coef0)
        parameters.integer("degree", self.degree, least=0)
        also = () if self._target_kinds is None else ("auto",)
        kernel = kernel_from_name(kernel, self.gamma, self.degree, self.coef0, also=also)
        return kernel, self._chosen(solver), parameters.thread_count(self.n_jobs)

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
        return self._machine.decision(X, parameters.thread_count(self.n_jobs), X.dtype.type)

    def _queries(self, X: Any) -> Any:
        """Rows to predict, as the machine takes them."""
        self._check_is_fitted()
        machine = self._machine
        machine.check()
        pairwise = machine.kernel.is_pairwise
        X = read_queries(self, X, accept_sparse=not pairwise)
        if not pairwise and is_sparse(X) != is_sparse(machine.support_vectors) and machine.kernel.lower() is None:
            # A callable kernel sees what it saw in fit.
            X = X.toarray() if is_sparse(X) else core_ready(sp.csr_matrix(X))
        return X

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
        if machine is None or not isinstance(machine.kernel, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel, and after fit")
        if machine.is_precise:
            weights = machine.expansion.weights.copy()
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


def bounds_of(C: float, weights: Floats) -> Floats:
    """C · weight of rows that weigh something: positive and, unless C is not, finite."""
    least, most = float(weights.min()), float(weights.max())
    if C * least == 0 or (C * most == np.inf and not np.isinf(C)):
        raise InputError(
            f"C · weight is beyond what float64 holds: expected finite bounds > 0, got C={C:g} with weights "
            f"from {least:g} to {most:g}. Rescale C or the weights."
        )
    return C * weights


def tolerance_for(problem: DualProblem, data: TrainingData, tol: float) -> float:
    """The tolerance itself, or relative to the largest value that a function can have, where that is below one.

    Where there is no time to find that out, there is none to reach a tolerance either.
    """
    least = float(problem.fixed_sums[0].min())
    if data.is_hurried and least * float(np.abs(data.kernel.diagonal(take_rows(data.X, np.arange(1)))).max()) >= 1:
        return tol  # one row tells, and all others could take as long as the fit
    try:
        largest = least * float(np.abs(data.diagonal).max())
    except OutOfTime:
        return tol
    return tol * min(1.0, largest) or tol


def _time_to_evaluate(seconds: float) -> float:
    """What is left to the evaluation of the machine of the seconds that a fit has."""
    return max(_SHARE_TO_EVALUATE * seconds, min(_LEAST_TO_EVALUATE, 0.5 * seconds), 0.0)
