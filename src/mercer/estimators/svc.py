"""C-support vector classification with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from mercer import checks
from mercer.data import Pair
from mercer.errors import ParameterError
from mercer.estimators.classifier import KernelClassifier
from mercer.problems import ClassificationWithoutIntercept, SupportVectorClassification, bounds_of
from mercer.solvers import METHODS, DualSolver, Method
from mercer.typing import Floats

__all__ = ["SVC"]


def _check_solver(name: str, value: Any) -> None:
    if isinstance(value, str):
        checks.choice(name, value, ("auto", *METHODS))
    elif isinstance(value, type) or not isinstance(value, (Method, DualSolver)):
        raise ParameterError(
            f"{name}: expected a name, a method of mercer.lectures, or an object with `require`, `solve` and "
            f"`leaves_hard_problems`, got {value!r}."
        )


class SVC(KernelClassifier):
    """C-support vector classification, fast and with a certificate of optimality.

    Minimises ½‖w‖² + C Σ weight_i max(0, 1 − t_i f(x_i)) over f(x) = Σ c_i k(x_i, x) + b. Several classes are taken
    pair by pair. Parameters and attributes are those of `sklearn.svm.SVC` unless noted otherwise.

    Parameters
    ----------
    C : float, default=1.0
        Penalty on the slack; `numpy.inf` asks for the hard margin and raises `NotSeparableError` with a proof where
        there is none.
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed"; a kernel object such as `RBF(0.1) + Linear()`;
        or a function (X, Z) → matrix of values. "auto" compares the linear kernel with "rbf" on a sample and takes the
        linear one unless RBF is significantly better; `plan_` says which and why.
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
        Seed of the folds that probabilities are calibrated on, of the sample that kernel="auto" compares machines on,
        and of the choices of the lectures' solvers; else it changes nothing. None is a seed too: the same data give
        the same bits.
    n_jobs : int, optional
        Threads; None takes what affinity, control group and OMP_NUM_THREADS allow.
    time_limit : float, optional
        Seconds after which the solver stops with the machine it has, its gap in `certificate_`. The certificate comes
        on top: one evaluation of the machine on the training rows. With a callable kernel that is within the limit, a
        tenth of which is kept for it; where it takes longer, `certificate_` is worked out when it is read.
    gap_tol : float, optional
        Largest relative duality gap, asked for in addition to `tol`.
    warm_start : bool, default=False
        Whether fit starts from the previous solution where it has as many rows of the same classes.
    callback : callable, optional
        Called with a `Progress` about ten times a second, so not at all in a fit shorter than that; returning True
        stops the fit.
    formulation : {"auto", "primal", "dual"}, default="auto"
        Whether the machine is found through the weights of an explicit feature map, which linear and polynomial kernels
        and their sums and products have, or through kernel values; "auto" takes what is likely to be quicker. It is the
        same machine, with the same attributes; `plan_` says which and why. Where it goes through weights, `max_iter`
        counts Newton's steps.
    multi_class : {"ovo", "ovr"}, default="ovo"
        With more than two classes: a machine for each pair of classes, which vote, as in scikit-learn; or for each
        class against the rest, of which the largest value decides. `dual_coef_` and `intercept_` then have a row a
        class.
    probability : bool or {"sigmoid", "isotonic", "temperature"}, default=False
        Whether there is a `predict_proba`, calibrated on what machines say of rows that they were fitted without: all
        rows, in five folds, where there are up to 2,000, and one fold of five where there are more, which costs next to
        nothing. True and "sigmoid" are Platt's sigmoids, one for each pair of classes, coupled as LIBSVM does; those of
        many pairs lean on each other where each has few rows. "isotonic" takes non-decreasing functions instead, which
        need many rows, "temperature" a single factor for all. Sample weights count, class weights do not.
    predict_by : {"decision", "probability"}, default="decision"
        Whether `predict` goes by the decision values, as in scikit-learn, or gives the most probable class.
    solver : str, Method or DualSolver, default="auto"
        "auto" is the fast solver. The others follow the lectures, are for small data, and are judged by the same
        certificate: "smo-sketch", "active-set", "qp-primal", "qp-dual", "qp-bidual" (these three need Clarabel), "sgd",
        and "coordinate-ascent", which has no intercept. An object such as `mercer.lectures.SmoSketch(20)` has its
        own parameters. Here `max_iter` counts their steps, and `random_state` seeds their choices. A solver of your own
        is an object with `require`, `solve` and
        `leaves_hard_problems`: docs/extending/solver.md.
    polish : bool, default=False
        Whether to solve the optimality conditions of the coefficients between their bounds as a linear system in the
        end, which makes them exact up to rounding.
    trace : bool, default=False
        Whether to record the steps of the solver, or of the fast one its rounds, in `trace_`.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, \
fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn. The arrays are read-only.
    certificate_ : Certificate
        How far from the optimum the machine can be at most.
    status_ : Status
        How the fit ended; anything but "Solved" and "Stationary", which a kernel that is not positive semi-definite
        ends with, also warns.
    plan_ : str
        How the machine was found, where kernel values came from, and why.
    kernel_ : Kernel
        The kernel with its parameters as numbers.
    calibration_ : Calibration
        Where probability is not False: what makes probabilities of values.
    probA_, probB_ : ndarray of shape (n_classes · (n_classes − 1) / 2,), or (n_classes,) with multi_class="ovr"
        LIBSVM's A and B of the sigmoids 1 / (1 + exp(A f + B)), where there are sigmoids.
    trace_ : Trace
        Where trace=True: the steps, which can be replayed, saved and made a table of.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(C=1.0).fit(X, y)
    >>> model.certificate_.relative_gap < 1e-3
    True
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"C": checks.positive_or_infinite, "solver": _check_solver}

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
        formulation: str = "auto",
        multi_class: str = "ovo",
        probability: Any = False,
        predict_by: str = "decision",
        solver: Any = "auto",
        polish: bool = False,
        trace: bool = False,
    ) -> None:
        super().__init__(
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            shrinking=shrinking,
            tol=tol,
            cache_size=cache_size,
            class_weight=class_weight,
            verbose=verbose,
            max_iter=max_iter,
            decision_function_shape=decision_function_shape,
            break_ties=break_ties,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            gap_tol=gap_tol,
            warm_start=warm_start,
            callback=callback,
            formulation=formulation,
            multi_class=multi_class,
            probability=probability,
            predict_by=predict_by,
            polish=polish,
            trace=trace,
        )
        self.C = C
        self.solver = solver

    @property
    def _method(self) -> Method | None:
        asked = METHODS.get(self.solver) if isinstance(self.solver, str) else self.solver
        return asked if isinstance(asked, Method) else None

    @property
    def _own_solver(self) -> DualSolver | None:
        return None if isinstance(self.solver, (str, Method)) else self.solver

    def _seed(self) -> int:
        if self._method is None or self.random_state is None:
            return 0
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _problem(self, pairs: Sequence[Pair], weights: Floats | None, rows: int) -> SupportVectorClassification:
        bounds = np.full(rows, float(self.C)) if weights is None else bounds_of(float(self.C), weights)
        takes_intercept = self._method is None or self._method.takes_intercept
        kind = SupportVectorClassification if takes_intercept else ClassificationWithoutIntercept
        return kind.several([pair.signs for pair in pairs], bounds)
