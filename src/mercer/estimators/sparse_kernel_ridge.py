"""Kernel ridge regression over landmarks, for many rows."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from mercer import checks
from mercer.estimators.kernel_ridge import check_alpha
from mercer.estimators.landmark_regressor import LandmarkRegressor
from mercer.estimators.ridge import read_alpha
from mercer.typing import Floats

__all__ = ["SparseKernelRidge"]


class SparseKernelRidge(LandmarkRegressor):
    """Kernel ridge regression over some landmarks: for many rows, with its distance to `KernelRidge` proven.

    Minimises ½ Σ_i v_i (y_i − f(x_i))² + ½ α ‖f‖², the objective of `KernelRidge`, among the functions
    f(x) = Σ_z c_z k(z, x) + b of m landmarks z (Nyström's method, subset of regressors). Time grows with n m², memory
    with m², and predictions take m kernel values. The certificate tells how far that is from the best function of all
    rows.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        What the squared norm costs, ≥ 0; one for all targets, or one each.
    kernel, gamma, degree, coef0, kernel_params, fit_intercept
        As in `KernelRidge`, with "rbf" for a default.
    n_components : int, default=1000
        How many landmarks at most; where there are no more rows than that, all rows are landmarks.
    selection : {"rpcholesky", "random", "pivoted", "kmeans"}, default="rpcholesky"
        Which landmarks. "rpcholesky" draws one row after the other, in proportion to what those before it leave of its
        k(x, x). The others are as in `Nystroem`. Rows without weight are none, and other weights do not count.
    proof : {"auto", "exact", "bounded"}, default="auto"
        How the optimum over all rows is bounded from below. "exact" takes kernel values between all rows, in the time
        of n²; "bounded" those with the landmarks alone, which costs nothing more and may tell little. "auto" is exact
        as long as that takes no more than about a minute (100,000 rows of 50 features) and the time limit allows.
        `mercer.certify(model, X, y)` is exact.
    tol : float, optional
        The residual of the system of the landmarks that is allowed, as `certificate_.residual` has it; None is 1e-10.
    max_iter : int, default=-1
        The most steps, of which the first solves the system and others refine that; −1 for no limit.
    cache_size : float, default=1000
        MB for all that is kept beside the data. Pivots are found among as many rows as fit half of it.
    time_limit : float, optional
        Seconds after which a fit ends with what it has: with the mean of the targets where not all rows were seen.
    random_state : int, RandomState instance or None, default=None
        Decides what is random in the selection.
    n_jobs : int, optional
        Threads; None means those that are available.
    callback : callable, optional
        Called with a `Progress`; returns True to stop.

    Attributes
    ----------
    components_ : {ndarray, CSR matrix} of shape (n_components, n_features)
        The landmarks.
    component_indices_ : ndarray of shape (n_components,) or None
        Where they are among the training rows; None for centres of k-means.
    dual_coef_ : ndarray of shape (n_components,) or (n_components, n_targets)
        The coefficients c.
    intercept_ : float or ndarray of shape (n_targets,)
        b; zero without `fit_intercept`.
    certificate_ : SparseRidgeCertificate
        The residual of its system, and how far from the optimum over all rows the machine can be.
    residual_ : float
        What the landmarks leave of the kernel: trace(K − K̂) / trace(K) on the training rows, as in `Nystroem`.
    kernel_, plan_, status_, n_iter_
        The kernel with numbers for parameters; how the system was solved; how that ended; steps.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import SparseKernelRidge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SparseKernelRidge(0.1, gamma=5.0, n_components=60, fit_intercept=True, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 1)
    0.6
    >>> model.certificate_.relative_gap < 0.05
    True
    """

    _checks: ClassVar[dict[str, checks.Check]] = {"alpha": check_alpha}

    def __init__(
        self,
        alpha: Any = 1.0,
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
        self.alpha = alpha
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
        """Chooses landmarks, solves their system, and bounds what a machine of all rows could do better.

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

    def _alphas_of(self, columns: int) -> tuple[Floats, Floats | None]:
        return read_alpha(self.alpha, columns), None
