"""Kernel ridge regression with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from mercer import checks
from mercer.estimators.ridge import RidgeRows, read_alpha
from mercer.estimators.ridge_regressor import RidgeRegressor
from mercer.solvers import Terms
from mercer.typing import Floats

__all__ = ["KernelRidge"]


def check_alpha(name: str, value: Any) -> Any:
    """A number ≥ 0, or a list of them."""
    return read_alpha(value, int(np.size(value)))


class KernelRidge(RidgeRegressor):
    """Kernel ridge regression: squared errors, and α times the squared norm in feature space.

    Minimises ½ Σ_i v_i (y_i − f(x_i))² + ½ α ‖f‖² by the linear system that its optimum solves, and proves how far
    from that it is. scikit-learn's `KernelRidge` has the same coefficients.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        What the squared norm costs, ≥ 0; one for all targets, or one each.
    kernel : str, Kernel or callable, default="linear"
        A name, as scikit-learn has them, a kernel object such as `RBF(0.1) + Linear()`, "precomputed", or a function of
        two rows.
    gamma : float, array-like, "scale" or "auto", optional
        Of the kernels "rbf", "laplacian", "poly", "sigmoid" and "chi2". None means 1 / n_features (1 for "chi2").
    degree, coef0 : int and float, default=3 and 1
        Of "poly", and of "poly" and "sigmoid".
    kernel_params : dict, optional
        What a function of two rows is called with besides.
    fit_intercept : bool, default=False
        Whether there is a constant b that costs nothing.
    solver : {"auto", "cholesky", "cg"}, default="auto"
        "cholesky" factors the kernel matrix, in float32 where its condition allows, and refines in float64. "cg" stores
        no matrix: conjugate gradients, preconditioned. "auto" takes the first as long as the matrix fits `cache_size`.
    tol : float, optional
        The residual of the linear system that is allowed, relative to the targets. None means 1e-10, and 1e-6 of
        conjugate gradients.
    max_iter : int, default=-1
        The most steps of refinement or of conjugate gradients; −1 for no limit.
    cache_size : float, default=1000
        MB for all that is kept beside the data.
    time_limit : float, optional
        Seconds after which a fit ends with what it has. Factoring a matrix is not interrupted.
    n_jobs : int, optional
        Threads; None means those that are available.
    callback : callable, optional
        Called with a `Progress`; returns True to stop.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The coefficients c.
    intercept_ : float or ndarray of shape (n_targets,)
        b; zero without `fit_intercept`.
    X_fit_ : {ndarray, sparse matrix}
        The training rows, or the kernel values between them.
    certificate_ : RidgeCertificate
        The residual, evaluated anew in float64, and how far from the optimum that can be.
    kernel_, plan_, status_, n_iter_
        The kernel with numbers for parameters; how the system was solved and why; how that ended; steps.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import KernelRidge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = KernelRidge(alpha=0.1, kernel="rbf", gamma=5.0, fit_intercept=True).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.57
    >>> model.certificate_.residual < 1e-10
    True
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"alpha": check_alpha}

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        fit_intercept: bool = False,
        solver: str = "auto",
        tol: float | None = None,
        max_iter: int = -1,
        cache_size: float = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Any = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solves the linear system and certifies the solution.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows, or kernel values between them where kernel="precomputed".
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Weights ≥ 0 of the rows. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        return self._fit_any(X, y, sample_weight)

    def _choose(self, data: RidgeRows, limits: Terms) -> tuple[RidgeRows, Floats]:
        return data, read_alpha(self.alpha, data.targets.shape[1])
