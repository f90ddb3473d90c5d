"""The support of a distribution, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OutlierMixin

from mercer import checks
from mercer.calibration import InlierProbability
from mercer.data import WeightedRows
from mercer.errors import InputError
from mercer.estimators.regressor import SingleOutput
from mercer.fits import Fitted
from mercer.problems import OneClass
from mercer.typing import Floats, Integers

__all__ = ["OneClassSVM"]


class OneClassSVM(OutlierMixin, SingleOutput):  # type: ignore[misc]
    """The region where a distribution has most of its weight, fast and with a certificate of optimality.

    Minimises ½‖w‖² − ν ρ Σ v + Σ v_i max(0, ρ − wᵀφ(x_i)), where v are the weights: at most a share ν of the weight
    lies outside. Parameters and attributes are those of `sklearn.svm.OneClassSVM` unless noted otherwise.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1].
    tol : float, default=1e-3
        Largest violation of the optimality conditions over all rows; relative to the largest value that the function
        can have, where that is below one.
    kernel, degree, gamma, coef0, shrinking, cache_size, verbose, max_iter, random_state, n_jobs, time_limit, gap_tol, \
warm_start, callback, formulation, polish
        As in `SVC`.
    trace : bool, default=False
        Whether to record the rounds of the solver in `trace_`, in signed coefficients.

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        ρ: `decision_function` is `score_samples` less this.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, shape_fit_, \
n_features_in_, feature_names_in_
        As in scikit-learn. The arrays are read-only.
    certificate_, status_, plan_
        As in `SVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import OneClassSVM
    >>> X, _ = load_iris(return_X_y=True)
    >>> model = OneClassSVM(nu=0.1).fit(X)
    >>> bool((model.predict(X) == -1).mean() <= 0.11)
    True
    """

    _target_kinds = None
    _inliers: InlierProbability | None

    _checks: ClassVar[dict[str, checks.Check]] = {"nu": checks.share}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
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
            tol=tol,
            shrinking=shrinking,
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Finds the region and certifies it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows, or kernel values between them where kernel="precomputed".
        y : Ignored
            There for consistency.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        return self._fit_any(X, None, sample_weight)

    def _problem(self, targets: WeightedRows) -> OneClass:
        return OneClass.of(targets.weights, float(self.nu))

    @property
    def offset_(self) -> Floats:
        """ρ, the least value of rows inside."""
        return np.asarray(-self.intercept_)

    def decision_function(self, X: Any) -> Floats:
        """Signed distances to the boundary, positive inside."""
        return self._values(X)[:, 0]

    def score_samples(self, X: Any) -> Floats:
        """The values of the function before the offset is taken off."""
        return self.decision_function(X) + self.offset_

    def _keep(self, fitted: Fitted, targets: WeightedRows) -> None:
        super()._keep(fitted, targets)
        self._inliers = None
        if fitted.products is not None:
            self._inliers = InlierProbability.learn(fitted.products + fitted.problem.intercept(fitted.offsets))

    def inlier_probability(self, X: Any) -> Floats:
        """The probability of belonging to the distribution, as LIBSVM estimates it.

        It is the share of ten marks that the value of a row is not below; the marks part the values of the training
        rows, half of them outside and half inside.
        """
        values = self.decision_function(X)
        if self._inliers is None:
            raise InputError(
                "inlier_probability: expected five training rows or more on either side of the boundary, and time to "
                "evaluate them, got fewer. Raise nu, or fit on more rows."
            )
        return self._inliers(values)

    def predict(self, X: Any) -> Integers:
        """1 for rows inside, −1 for outliers."""
        return np.where(self.decision_function(X) > 0, 1, -1).astype(np.intp)
