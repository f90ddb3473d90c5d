"""Kernel ridge regression over landmarks that chooses α."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from mercer import checks
from mercer.errors import InputError
from mercer.estimators.kernel_ridge_cv import check_positive_numbers
from mercer.estimators.landmark_regressor import LandmarkRegressor
from mercer.estimators.ridge import RidgeRows
from mercer.machines import locked
from mercer.solvers import Terms
from mercer.typing import Floats

__all__ = ["SparseKernelRidgeCV"]


class SparseKernelRidgeCV(LandmarkRegressor):
    """`SparseKernelRidge` with the α of the least squared error at rows left out.

    All α share the landmarks, one pass through the rows and an eigendecomposition of m × m numbers; a second pass has
    the errors at each row left out in turn, in closed form. It takes about twice the time of one α, however many there
    are.

    Parameters
    ----------
    alphas : array-like, default=(0.1, 1.0, 10.0)
        Values of α to choose among, all > 0.
    kernel, gamma, degree, coef0, kernel_params, fit_intercept, n_components, selection, proof, tol, max_iter
        As in `SparseKernelRidge`.
    cache_size, time_limit, random_state, n_jobs, callback
        As in `SparseKernelRidge`; a time limit that ends before all α are known is an error.

    Attributes
    ----------
    alpha_ : float
        The choice.
    best_score_ : float
        The negative of the least mean squared error, over all targets.
    errors_ : ndarray of shape (n_alphas, n_targets)
        Mean squared errors, weighted as the rows are. A row is left out of the fit, and stays a landmark if it is one.
    components_, component_indices_, dual_coef_, intercept_, certificate_, residual_, kernel_, plan_, status_, n_iter_
        Those of the machine of the choice, as in `SparseKernelRidge`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import SparseKernelRidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SparseKernelRidgeCV(np.logspace(-3, 1, 9), gamma=2.0, n_components=100, fit_intercept=True)
    >>> round(model.set_params(random_state=0).fit(X, y).alpha_, 3)
    0.1
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"alphas": check_positive_numbers}

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        fit_intercept: bool = False,
        n_components: int = 1000,
        selection: str = "rpcholesky",
        proof: str = "auto",
        tol: float | None = None,
        max_iter: int = -1,
        cache_size: float = 1000,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        callback: Any = None,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.n_components = n_components
        self.selection = selection
        self.proof = proof
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Finds the errors of all α, chooses, and fits the machine of the choice.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows, or kernel values between them where kernel="precomputed".
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0 of the rows, in fits and in errors.

        Returns
        -------
        self
        """
        return self._fit_any(X, y, sample_weight)

    def _find(self, data: RidgeRows, limits: Terms) -> None:
        if len(data.members) < 2:
            raise InputError(f"Expected at least two rows to leave some out, got n_samples={len(data.members)}.")
        super()._find(data, limits)

    def _alphas_of(self, columns: int) -> tuple[Floats, Floats | None]:
        return np.ones(columns), check_positive_numbers("alphas", self.alphas)

    def _keep_choice(self, alpha: Floats, mean_squares: Floats) -> None:
        self.alpha_ = float(alpha[0])
        self.errors_ = locked(mean_squares)
        self.best_score_ = -float(mean_squares.mean(axis=1).min())
