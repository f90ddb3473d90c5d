"""Support vector classification with scikit-learn's interface."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from mercer.certificates import Certificate, Evidence
from mercer.data import (
    ClassTargets,
    Pair,
    checked_gram,
    core_ready,
    one_vs_one,
    read_class_targets,
    read_queries,
    read_training_data,
)
from mercer.errors import InputError, ParameterError, UnsolvedWarning
from mercer.estimators import parameters
from mercer.estimators.fitted import OfTheMachine
from mercer.estimators.fitting import FittedExpansions, fit_expansions
from mercer.estimators.monitor import Monitor
from mercer.gram import Source, TrainingData, plan_gram
from mercer.kernels import Kernel, Linear, check_gamma, check_number, kernel_from_name
from mercer.machines import OneVsOneMachine
from mercer.problems import SupportVectorClassification
from mercer.solvers import Limits, Status, WorkingSetSolver
from mercer.typing import Floats, Integers

__all__ = ["SVC"]

_NO_LIMIT = 2**62

# A fit puts its certificate off until somebody asks where that means to keep no more numbers than these 2 MB: a copy of
# the data, and for each row of each pair its number, sign, bound, coefficient and product.
_FEW_NUMBERS = 250_000


class SVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """C-support vector classification, fast and with a certificate of optimality.

    Minimises ½‖w‖² + C Σ weight_i max(0, 1 − t_i f(x_i)) over f(x) = Σ c_i k(x_i, x) + b. Several classes are taken
    pair by pair. Parameters and attributes are those of `sklearn.svm.SVC` unless told otherwise.

    Parameters
    ----------
    C : float, default=1.0
        Price of the slack; `numpy.inf` asks for the hard margin and raises `NotSeparableError` with a proof where
        there is none.
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed"; a kernel object such as `RBF(0.1) + Linear()`;
        or a function (X, Z) → matrix of values.
    degree : int, default=3
        Degree of the kernel "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernels "rbf", "laplacian", "poly" and "sigmoid"; "scale" is 1 / (n_features · X.var()),
        "auto" is 1 / n_features. Kernel objects carry their own.
    coef0 : float, default=0.0
        Constant of the kernels "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether rows that cannot violate the optimality conditions are left alone while others move. All rows are
        verified at the end either way.
    tol : float, default=1e-3
        Largest violation of the optimality conditions over all rows, in float64 for every row that decides it.
    cache_size : float, default=1000
        Memory in MB for all that a fit keeps beside the data. One float32 copy of the data is the least it needs.
    class_weight : dict or "balanced", optional
        Factors of C by class. "balanced" counts sample weights as if they were repetitions.
    verbose : bool, default=False
        Whether to write progress to the logger "mercer" at level INFO, and as a bar where stderr is a terminal.
    max_iter : int, default=-1
        Limit on two-variable steps for each pair of classes; −1 is no limit.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Whether `decision_function` has a column for each class or for each pair of classes.
    break_ties : bool, default=False
        With more than two classes and "ovr": whether `predict` breaks ties of votes by the decision values.
    random_state : int, RandomState instance or None, default=None
        Seed of a shuffle of the rows before the solve, which decides between rows that violate equally; None keeps
        the given order. The samples that the solver starts from are drawn alike in every fit. The same seed gives the
        same bits.
    n_jobs : int, optional
        Threads; None takes what affinity, control group and OMP_NUM_THREADS allow.
    time_limit : float, optional
        Seconds after which the solver stops with the machine it has, its gap in `certificate_`. The certificate comes
        on top: one evaluation of the machine on the training rows.
    gap_tol : float, optional
        Largest relative duality gap, asked for in addition to `tol`.
    warm_start : bool, default=False
        Whether fit starts from the previous solution where it has as many rows of the same classes.
    callback : callable, optional
        Called with a `Progress` about ten times a second, so not at all in a fit shorter than that; returning True
        stops the fit.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, \
fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn. The arrays are read-only.
    certificate_ : Certificate
        How far from the optimum the machine can be at most.
    status_ : Status
        How the fit ended; anything but "Solved" also warns.
    plan_ : str
        How kernel values were had, and why.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(C=1.0).fit(X, y)
    >>> model.certificate_.relative_gap < 1e-3
    True
    """

    classes_ = OfTheMachine()
    support_ = OfTheMachine()
    support_vectors_ = OfTheMachine()
    n_support_ = OfTheMachine()
    intercept_ = OfTheMachine()

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 1000,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        gap_tol: float | None = None,
        warm_start: bool = False,
        callback: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.gap_tol = gap_tol
        self.warm_start = warm_start
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        pairwise = self._is_pairwise()
        tags.input_tags.sparse = not pairwise
        tags.input_tags.pairwise = pairwise
        return tags

    def _is_pairwise(self) -> bool:
        return self.kernel == "precomputed" or (isinstance(self.kernel, Kernel) and self.kernel.is_pairwise)

    # ------------------------------------------------------------------ fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SVC:
        """Finds the machine of largest margin and certifies it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows, or kernel values between them where kernel="precomputed".
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C by row. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self : SVC
        """
        earlier = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:
            # Nothing of an earlier fit is lost, not even the names of its features.
            self.__dict__.clear()
            self.__dict__.update(earlier)
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> SVC:
        monitor = Monitor(self.callback, parameters.flag("verbose", self.verbose))
        kernel, solver, threads = self._checked_parameters()
        X, y = read_training_data(self, X, y, accept_sparse=not kernel.is_pairwise)
        targets = read_class_targets(y, self.class_weight, sample_weight)
        if kernel.is_pairwise:
            X = checked_gram(X)
        kernel = kernel.resolve(X)

        pairs = self._shuffled(one_vs_one(targets))
        rows = [pair.rows for pair in pairs]
        upper = self._bounds(targets, np.concatenate(rows))
        monitor.problems = len(pairs)
        budget = int(parameters.positive("cache_size", self.cache_size) * 1e6)
        plan = plan_gram(kernel, X, list(map(len, rows)), budget, threads, exact=bool(np.isinf(self.C)))
        puts_off = plan.source is Source.COMPUTED and not sp.issparse(X) and X.size + 5 * len(upper) <= _FEW_NUMBERS
        fitted = fit_expansions(
            SupportVectorClassification.several([pair.signs for pair in pairs], upper),
            TrainingData(kernel, X.copy() if puts_off else X),
            rows,
            plan,
            solver,
            Limits(
                seconds=np.inf if self.time_limit is None else self.time_limit - monitor.seconds,
                steps=_NO_LIMIT if self.max_iter < 0 else min(self.max_iter, _NO_LIMIT),
            ),
            start=self._start(targets, X.shape, pairs),
            report=monitor.report,
        )
        self._keep(X, kernel, targets, pairs, fitted)
        self._proof = fitted.evidence if puts_off else fitted.evidence.certificate
        self.plan_ = str(plan)
        if self.verbose:
            monitor.finish(f"{self.status_.value} {self.certificate_}")
        if self.status_ is not Status.SOLVED:
            warnings.warn(self._unsolved_message(), UnsolvedWarning, stacklevel=3)
        return self

    def _checked_parameters(self) -> tuple[Kernel, WorkingSetSolver, int]:
        parameters.positive("C", self.C, infinite=True)
        parameters.choice("decision_function_shape", self.decision_function_shape, ("ovr", "ovo"))
        parameters.flag("break_ties", self.break_ties)
        parameters.flag("warm_start", self.warm_start)
        parameters.integer("max_iter", self.max_iter, least=-1)
        parameters.optional_positive("time_limit", self.time_limit)
        if self.callback is not None and not callable(self.callback):
            raise ParameterError(f"callback: expected a callable or None, got {self.callback!r}.")
        solver = WorkingSetSolver(
            tol=parameters.positive("tol", self.tol),
            gap_tol=parameters.optional_positive("gap_tol", self.gap_tol),
            shrinking=parameters.flag("shrinking", self.shrinking),
            verify=False,
        )
        check_gamma("SVC", self.gamma)
        check_number("SVC", "coef0", self.coef0)
        parameters.integer("degree", self.degree, least=0)
        kernel = kernel_from_name(self.kernel, self.gamma, self.degree, self.coef0)
        return kernel, solver, parameters.thread_count(self.n_jobs)

    def _bounds(self, targets: ClassTargets, rows: Integers) -> Floats:
        """C · weight of rows that weigh something: positive and, unless C is not, finite."""
        C = float(self.C)
        if not targets.is_weighted:
            return np.full(len(rows), C)
        weights = targets.weights[rows]
        least, most = float(weights.min()), float(weights.max())
        if C * least == 0 or (C * most == np.inf and not np.isinf(C)):
            raise InputError(
                f"C · weight is beyond what float64 holds: expected finite bounds > 0, got C={C:g} with weights "
                f"from {least:g} to {most:g}. Rescale C or the weights."
            )
        return C * weights

    def _shuffled(self, pairs: list[Pair]) -> list[Pair]:
        if self.random_state is None:
            return pairs
        random = check_random_state(self.random_state)
        orders = [random.permutation(len(pair.rows)) for pair in pairs]
        return [
            Pair(pair.positive, pair.negative, pair.rows[order], pair.signs[order])
            for pair, order in zip(pairs, orders, strict=True)
        ]

    def _start(self, targets: ClassTargets, shape: tuple[int, int], pairs: list[Pair]) -> Floats | None:
        """Multipliers of the previous fit, where warm_start is on and it had as many rows of the same classes."""
        earlier = self.__dict__.get("_machine")
        if not self.warm_start or earlier is None:
            return None
        if self.shape_fit_ != shape or not np.array_equal(earlier.classes, targets.classes):
            return None
        parts = []
        for number, pair in enumerate(pairs):
            positions, coef = earlier.pair_coef(number)
            multipliers = np.zeros(shape[0])
            multipliers[earlier.support[positions]] = np.abs(coef)
            parts.append(multipliers[pair.rows])
        return np.concatenate(parts)

    def _keep(
        self,
        X: Any,
        kernel: Kernel,
        targets: ClassTargets,
        pairs: list[Pair],
        fitted: FittedExpansions,
    ) -> None:
        """Assembles the machine and the attributes that tell of the fit."""
        self.class_weight_ = targets.class_weight
        self.shape_fit_ = X.shape
        found = fitted.evidence
        self._machine = OneVsOneMachine.of_pairs(kernel, X, targets, pairs, found.rows, found.coef, found.intercept)
        unsolved = [status for status in fitted.statuses if status is not Status.SOLVED]
        self.status_ = unsolved[0] if unsolved else Status.SOLVED
        self.fit_status_ = int(bool(unsolved))
        self.n_iter_ = np.array(fitted.steps, dtype=np.int64)

    def __getstate__(self) -> dict[str, Any]:
        if "_proof" in self.__dict__:
            self._proof = self.certificate_  # a pickle has no use for what it is worked out from
        return super().__getstate__()  # type: ignore[no-any-return]

    def _unsolved_message(self) -> str:
        certificate = self.certificate_
        reached = (
            f"The violation is {certificate.violation:.2g} (tol={self.tol:g}), the relative duality gap "
            f"{certificate.relative_gap:.2g}, and rounding at most {certificate.accuracy:.1g}."
        )
        advice = "The machine is usable; scale the features, raise the limit or tol, or go on with warm_start=True."
        return f"{self.status_.value} {reached} {advice}"

    # ---------------------------------------------------------------- predict

    def decision_function(self, X: Any) -> Floats:
        """Signed distances to the hyperplanes.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes · (n_classes − 1) / 2)
            For two classes positive values mean `classes_[1]`. With "ovr", votes with the decision values as tie
            breakers; with "ovo", one column a pair, positive for the first class of the pair.
        """
        values = self._pair_values(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        if self.decision_function_shape == "ovr":
            return np.asarray(_ovr_decision_function(values < 0, -values, len(self.classes_)))
        return values

    def predict(self, X: Any) -> Floats:
        """The label of each row, by the votes of the pairs."""
        self._check_is_fitted()
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ParameterError(
                "break_ties must be False when decision_function_shape is 'ovo': expected 'ovr', with a value a class."
            )
        if self.break_ties and len(self.classes_) > 2:
            codes = np.argmax(self.decision_function(X), axis=1)
        else:
            X = self._queries(X)
            codes = self._machine.classify(X, parameters.thread_count(self.n_jobs), X.dtype.type)
        return np.asarray(self.classes_[codes])

    def _check_is_fitted(self) -> None:
        if "_machine" not in self.__dict__:  # scikit-learn's check takes longer than the prediction of a row
            check_is_fitted(self)

    def _pair_values(self, X: Any) -> Floats:
        X = self._queries(X)
        return self._machine.decision(X, parameters.thread_count(self.n_jobs), X.dtype.type)

    def _queries(self, X: Any) -> Any:
        """Rows to predict, as the machine takes them."""
        self._check_is_fitted()
        machine = self._machine
        pairwise = machine.kernel.is_pairwise
        X = read_queries(self, X, accept_sparse=not pairwise)
        if not pairwise and sp.issparse(X) != sp.issparse(machine.support_vectors) and machine.kernel.lower() is None:
            # A callable kernel sees what it saw in fit.
            X = X.toarray() if sp.issparse(X) else core_ready(sp.csr_matrix(X))
        return X

    @property
    def certificate_(self) -> Certificate:
        """How far from the optimum the machine can be at most."""
        proof = self.__dict__.get("_proof")
        if proof is None:
            raise AttributeError("SVC has no certificate_ before fit.")
        if isinstance(proof, Evidence):
            proof = self._proof = proof.certificate
        return proof

    @property
    def dual_coef_(self) -> Any:
        """Coefficients of the support vectors; sparse where these are, as in scikit-learn."""
        machine = self.__dict__.get("_machine")
        if machine is None:
            raise AttributeError("SVC has no dual_coef_ before fit.")
        return sp.csr_matrix(machine.dual_coef) if sp.issparse(machine.support_vectors) else machine.dual_coef

    @property
    def coef_(self) -> Any:
        """Weights of the features, one row a hyperplane; for the linear kernel only."""
        machine = self.__dict__.get("_machine")
        if machine is None or not isinstance(machine.kernel, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel, and after fit")
        rows = []
        for pair in range(len(machine.intercept)):
            positions, coef = machine.pair_coef(pair)
            row = sp.csr_matrix(coef) @ machine.support_vectors[positions]
            rows.append(row if sp.issparse(row) else np.asarray(row))
        if sp.issparse(rows[0]):
            return sp.vstack(rows).tocsr()
        weights = np.concatenate(rows)
        weights.setflags(write=False)
        return weights
