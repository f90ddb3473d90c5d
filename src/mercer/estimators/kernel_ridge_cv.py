"""Kernel ridge regression that chooses α and γ, with scikit-learn's manners."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from mercer import checks
from mercer._runtime import available_threads
from mercer.errors import InputError, NumericsWarning, ParameterError, warn_user
from mercer.estimators.ridge import RidgeRows
from mercer.estimators.ridge_kernel import ridge_kernel
from mercer.estimators.ridge_regressor import RidgeRegressor
from mercer.fits import RidgeErrors, ridge_errors
from mercer.kernels import Kernel
from mercer.machines import locked
from mercer.solvers import Terms
from mercer.typing import Floats, Integers

__all__ = ["KernelRidgeCV", "check_positive_numbers"]


# Standard errors within which estimates are not told apart.
_APART = 2.0


class _Candidate(NamedTuple):
    gamma: Any
    data: RidgeRows
    errors: RidgeErrors


def check_positive_numbers(name: str, values: Any) -> Floats:
    """Finite numbers > 0, one or more."""
    try:
        given = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name}: expected numbers > 0, got {values!r}.") from error
    if given.ndim != 1 or len(given) == 0 or not np.all((given > 0) & np.isfinite(given)):
        raise ParameterError(f"{name}: expected one or more finite numbers > 0, got {values!r}.")
    return given


def _check_gammas(name: str, values: Any) -> Any:
    return None if values is None else check_positive_numbers(name, values)


class KernelRidgeCV(RidgeRegressor):
    """Kernel ridge regression with the α, and the γ, of the least squared error at rows left out.

    Leaving out each row in turn takes no further fit: one form of the matrix for each γ tells it for all α. Beyond the
    memory budget it is estimated, with its standard error; or folds are held out as `cv` says.

    Parameters
    ----------
    alphas : array-like, default=(0.1, 1.0, 10.0)
        Values of α to choose among, all > 0.
    gammas : array-like, optional
        Values of γ to choose among; None takes `gamma` alone.
    kernel, gamma, degree, coef0, kernel_params, fit_intercept
        As in `KernelRidge`.
    cv : int, splitter or iterable, optional
        Folds to hold out, as scikit-learn reads them; None leaves out each row in turn.
    left_out : {"auto", "exact", "estimate"}, default="auto"
        Whether errors at rows left out are exact or estimated; "auto" estimates where the matrix and what is made of
        it, 24 n² bytes, do not fit `cache_size`. With folds they are exact.
    solver, tol, max_iter, cache_size, time_limit, n_jobs, callback
        As in `KernelRidge`, for the machine of the choice.

    Attributes
    ----------
    alpha_, gamma_ : float
        The choice; gamma_ is what `gamma` says where there are no `gammas`.
    best_score_ : float
        The negative of the mean squared error of the choice, over all targets: the least one or, of estimates, that
        which is least with its standard error added.
    errors_ : ndarray of shape (n_gammas, n_alphas, n_targets)
        Mean squared errors, weighted as the rows are.
    standard_errors_ : ndarray of shape (n_gammas, n_alphas, n_targets)
        How far the estimates are off; zero where errors are exact.
    dual_coef_, intercept_, X_fit_, certificate_, kernel_, plan_, status_, n_iter_
        Those of the machine of the choice, as in `KernelRidge`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import KernelRidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = KernelRidgeCV(np.logspace(-3, 1, 9), kernel="rbf", gammas=[0.5, 2.0], fit_intercept=True).fit(X, y)
    >>> model.gamma_, round(model.alpha_, 3)
    (2.0, 0.1)
    """

    _checks: ClassVar[dict[str, checks.Check]] = {
        "alphas": check_positive_numbers,
        "gammas": _check_gammas,
        "left_out": checks.one_of("auto", "exact", "estimate"),
    }

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        gammas: Any = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        fit_intercept: bool = False,
        cv: Any = None,
        left_out: str = "auto",
        solver: str = "auto",
        tol: float | None = None,
        max_iter: int = -1,
        cache_size: float = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Any = None,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.gammas = gammas
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.left_out = left_out
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Finds the errors of all candidates, chooses, and fits the machine of the choice.

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

    def _choose(self, data: RidgeRows, limits: Terms) -> tuple[RidgeRows, Floats]:
        alphas = check_positive_numbers("alphas", self.alphas)
        members = data.members
        if len(members) < 2:
            raise InputError(f"Expected at least two rows to leave some out, got n_samples={len(members)}.")
        folds = None if self.cv is None else self._folds(data, members)
        threads = checks.thread_count(self.n_jobs) or available_threads()
        candidates = []
        for gamma, kernel in self._kernels():
            own = data if kernel is None else data.under(kernel)
            task = own.task(np.ones(data.targets.shape[1]), bool(self.fit_intercept))
            errors = ridge_errors(task, alphas, folds, self.left_out, self._budget._replace(threads=threads), limits)
            candidates.append(_Candidate(gamma, own, errors))
        self.errors_ = locked(np.stack([one.errors.mean_squares for one in candidates]))
        self.standard_errors_ = locked(np.stack([one.errors.standard_errors for one in candidates]))
        scores = self.errors_.mean(axis=2)
        spreads = np.sqrt(np.square(self.standard_errors_).sum(axis=2)) / self.standard_errors_.shape[2]
        # An estimate that is hardly known is not the best for being small.
        best, which = np.unravel_index(int(np.argmin(scores + spreads)), scores.shape)
        self.gamma_ = candidates[int(best)].gamma
        self.alpha_ = float(alphas[which])
        self.best_score_ = -float(scores[best, which])
        self._tell_estimates(scores, spreads, int(best), int(which))
        return candidates[int(best)].data, np.full(data.targets.shape[1], self.alpha_)

    @staticmethod
    def _tell_estimates(scores: Floats, spreads: Floats, best: int, which: int) -> None:
        """Warns where other candidates could as well be the best."""
        apart = scores - scores[best, which]
        is_open = apart < _APART * np.hypot(spreads, spreads[best, which])
        is_open[best, which] = False
        if np.any(is_open):
            warn_user(
                NumericsWarning(
                    f"Errors at rows left out are estimated, and {np.count_nonzero(is_open)} other candidates are "
                    "within two standard errors of the best one: it may not be the best. Raise cache_size until errors "
                    'are exact, ask for left_out="exact", or hold out folds (cv).'
                )
            )

    def _folds(self, data: RidgeRows, members: Integers) -> list[tuple[Integers, Integers]]:
        """Rows to fit on and to hold out, numbered among those that weigh something."""
        from sklearn.model_selection import check_cv  # takes long to import

        place = np.full(len(data.weights), -1)
        place[members] = np.arange(len(members))
        folds = []
        for parts in check_cv(self.cv).split(np.zeros((len(place), 1)), data.targets):
            trained, held_out = (place[part][place[part] >= 0] for part in parts)
            if len(trained) and len(held_out):
                folds.append((trained, held_out))
        if not folds:
            raise InputError("cv: expected folds with rows that weigh something on both sides, got none.")
        return folds

    def _kernels(self) -> list[tuple[Any, Kernel | None]]:
        """Each γ with its kernel; None for that of the rows as they are."""
        if self.gammas is None:
            return [(self.gamma, None)]
        found: list[tuple[Any, Kernel | None]] = []
        for gamma in check_positive_numbers("gammas", self.gammas).tolist():
            if isinstance(self.kernel, Kernel):
                found.append((gamma, self.kernel.with_params(gamma=gamma)))
            else:
                given = (self.kernel, gamma, self.degree, self.coef0, self.kernel_params)
                found.append((gamma, ridge_kernel(*given, owner=type(self).__name__)))
        if not any("gamma" in kernel.get_params() for _, kernel in found if kernel is not None):
            raise ParameterError(f"gammas: expected None for a kernel without gamma, got {self.gammas!r}.")
        return found
