"""ν-support vector regression with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer import checks
from mercer.data import WeightedRows
from mercer.estimators.svr import KernelRegressor
from mercer.fits import Fitted
from mercer.problems import NuRegression, NuRegressionWithoutTube, bounds_of
from mercer.typing import Floats

__all__ = ["NuSVR"]


class NuSVR(KernelRegressor):
    """ν-support vector regression: a tube as wide as a share of rows asks for, with a certificate of optimality.

    Minimises ½‖w‖² + C (ν ε Σ v + Σ v_i max(0, |y_i − f(x_i)| − ε)) over f and ε ≥ 0, where v are the weights: at most
    a share ν of the weight lies outside the tube. Parameters and attributes are those of `sklearn.svm.NuSVR` unless
    told otherwise.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1].
    C : float, default=1.0
        Penalty on errors beyond the tube; finite.
    tol : float, default=1e-3
        Largest violation of the optimality conditions over all rows, in the units of y.
    kernel, degree, gamma, coef0, shrinking, cache_size, verbose, max_iter, random_state, n_jobs, time_limit, gap_tol, \
warm_start, callback, formulation, polish
        As in `SVC`.
    trace : bool, default=False
        Whether to record the rounds of the solver in `trace_`, in signed coefficients.

    Attributes
    ----------
    epsilon_ : float
        Half-width of the tube.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, shape_fit_, \
n_features_in_, feature_names_in_
        As in scikit-learn. The arrays are read-only.
    certificate_, status_, plan_
        As in `SVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import NuSVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = NuSVR(C=100.0, nu=0.3).fit(X, y)
    >>> outside = abs(model.predict(X) - y) > model.epsilon_ + 1e-3
    >>> bool(outside.mean() <= 0.3)
    True
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"nu": checks.share, "C": checks.positive}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 1000,
        verbose: bool = False,
        max_iter: int = -1,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        gap_tol: float | None = None,
        warm_start: bool = False,
        callback: Any = None,
        formulation: str = "auto",
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
            verbose=verbose,
            max_iter=max_iter,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            gap_tol=gap_tol,
            warm_start=warm_start,
            callback=callback,
            formulation=formulation,
            polish=polish,
            trace=trace,
        )
        self.nu = nu
        self.C = C

    def _problem(self, targets: WeightedRows) -> NuRegression | NuRegressionWithoutTube:
        bounds, nu = bounds_of(float(self.C), targets.weights), float(self.nu)
        with_tube = NuRegression.of(targets.y, bounds, nu)
        return with_tube or NuRegressionWithoutTube.of(targets.y, bounds, nu * float(bounds.sum()))

    def _keep(self, fitted: Fitted, targets: WeightedRows) -> None:
        super()._keep(fitted, targets)
        problem = fitted.problem
        width = float(problem.width(fitted.offsets)[0]) if isinstance(problem, NuRegression) else 0.0
        self.epsilon_ = max(0.0, width)

    @property
    def _widths(self) -> Floats | None:
        # A machine read from a LIBSVM file was told none.
        return np.array([self.epsilon_]) if "epsilon_" in self.__dict__ else None
