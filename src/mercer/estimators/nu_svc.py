"""ν-support vector classification with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from mercer import checks
from mercer.data import BinaryTargets, Pair
from mercer.estimators.classifier import KernelClassifier
from mercer.fits import Fitted
from mercer.machines import locked
from mercer.problems import NuClassification
from mercer.typing import Floats

__all__ = ["NuSVC"]


class NuSVC(KernelClassifier):
    """ν-support vector classification: C-SVC whose C is chosen by a share of rows, with a certificate of optimality.

    Minimises ½‖w‖² − ν ρ Σ v + Σ v_i max(0, ρ − t_i f(x_i)), where v are the weights; the machine is then divided by ρ,
    so that its margin is at ±1 as in `SVC`. At most a share ν of the weight lies inside the margin, and at least that
    share carries the support vectors. Several classes are taken pair by pair. Parameters and attributes are those of
    `sklearn.svm.NuSVC` unless noted otherwise.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1], and for each pair of classes at most twice the lighter class's share of the weight; the error tells
        the largest that is feasible.
    class_weight : dict or "balanced", optional
        Factors of the weights by class, which scikit-learn ignores here.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as in LIBSVM before the division by ρ; after it where nu or the
        weights are so small that no value could be above one. Where ρ is below `tol`, the machine is divided by `tol`
        instead, and a `NumericsWarning` says so.
    kernel, degree, gamma, coef0, shrinking, cache_size, verbose, max_iter, decision_function_shape, break_ties, \
random_state, n_jobs, time_limit, gap_tol, warm_start, callback, formulation, polish, probability, predict_by
        As in `SVC`.
    multi_class : {"ovo", "ovr"}, default="ovo"
        With more than two classes: a machine for each pair of classes, which vote, as in scikit-learn; or for each
        class against the rest, of which the largest value decides. `dual_coef_` and `intercept_` then have a row a
        class.
    trace : bool, default=False
        Whether to record the rounds of the solver in `trace_`, in signed coefficients.

    Attributes
    ----------
    rho_ : ndarray of shape (n_classes · (n_classes − 1) / 2,)
        ρ of each pair of classes: `SVC` with C = weight / ρ is the same machine.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, \
fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn. The arrays are read-only.
    calibration_, probA_, probB_
        As in `SVC`.
    certificate_, status_, plan_
        As in `SVC`. The certificate is about the problem above, before the division by ρ.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> NuSVC(nu=0.2).fit(X, y).status_.name
    'SOLVED'
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"nu": checks.share}

    def __init__(
        self,
        *,
        nu: float = 0.5,
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
            polish=polish,
            trace=trace,
            multi_class=multi_class,
            probability=probability,
            predict_by=predict_by,
        )
        self.nu = nu

    def _problem(self, pairs: Sequence[Pair], weights: Floats | None, rows: int) -> NuClassification:
        weights = np.ones(rows) if weights is None else weights
        return NuClassification.several([pair.signs for pair in pairs], weights, float(self.nu))

    def _keep(self, fitted: Fitted, targets: BinaryTargets) -> None:
        super()._keep(fitted, targets)
        problem = fitted.problem
        assert isinstance(problem, NuClassification)
        self.rho_ = locked(problem.width(fitted.offsets))

    @property
    def _widths(self) -> Floats | None:
        # A machine read from a LIBSVM file was told none.
        return np.asarray(self.rho_) if "rho_" in self.__dict__ else None
