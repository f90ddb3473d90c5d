"""Nyström's features: a kernel through some landmarks, before any linear machine, with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import eigh
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer import checks
from mercer._runtime import available_threads, core
from mercer.data import as_core_data, core_ready, is_sparse, read_queries, read_training_data
from mercer.errors import NumericsWarning, ParameterError, kernel_overflow, warn_user
from mercer.estimators.atomic import restored_on_error
from mercer.estimators.landmarks import SELECTIONS, choose_landmarks
from mercer.estimators.ridge_kernel import PairwiseFunction, ridge_kernel
from mercer.kernels import CallableKernel, Kernel, WithKernel
from mercer.rows import checked_matrix, takes_features
from mercer.typing import Floats

__all__ = ["Nystroem"]

# scikit-learn's: what the kernel matrix of the landmarks has below it counts as this.
_LEAST_EIGENVALUE = 1e-12
# Kernel values of queries are made this many rows at a time.
_ROWS_PER_BLOCK = 2048


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, WithKernel):  # type: ignore[misc]
    """scikit-learn's `Nystroem`: features φ(x) with φ(x)ᵀφ(z) ≈ k(x, z), through the kernel's values at landmarks.

    φ(x) = K_ZZ^(−1/2) k(Z, x) for landmarks Z among the training rows. A linear machine on the features is about the
    kernel machine, at the cost of a linear one. Whatever the landmarks are, the error K − K̂ on the training rows is
    positive semi-definite for a kernel that is, and r_i = k(x_i, x_i) − ‖φ(x_i)‖² bounds it everywhere, up to rounding:
    |K − K̂|_ij ≤ √(r_i r_j). `residual_` is the sum of all r_i beside that of all k(x_i, x_i).

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name as in scikit-learn, a kernel such as RBF(0.1) + Polynomial(2), a function of two rows (and of
        `kernel_params`), or "precomputed": X then holds kernel values with the training rows.
    gamma : float, "scale" or "auto", optional
        Of the named kernels that have one. None is 1 / n_features, and 1 for "chi2".
    coef0 : float, optional
        Of "poly" and "sigmoid"; None is 1.
    degree : float, optional
        Of "poly"; None is 3.
    kernel_params : dict, optional
        Further arguments for a kernel that is a function; for a named one, parameters not given above.
    n_components : int, default=100
        How many landmarks, and features.
    selection : {"random", "pivoted", "rpcholesky", "kmeans"}, default="random"
        Which landmarks. "random" takes scikit-learn's random rows. "pivoted" takes one row after the other, that with
        the largest r_i (pivoted Cholesky), and fewer where fewer explain all rows. It starts with outliers: the worst
        r_i are smaller than with random rows, and so is their sum once little is left; before that it is larger.
        "rpcholesky" draws one row after the other in proportion to r_i (randomly pivoted Cholesky): seldom far from the
        best.
        "kmeans" takes the centres of k-means, of batches where there are more than 20,000 rows; it needs a kernel of
        features, and mostly leaves the least.
    random_state : int, RandomState instance or None, default=None
        Decides what is random; "pivoted" has nothing that is.
    n_jobs : int, optional
        Threads; None takes those that are available.

    Attributes
    ----------
    components_ : {ndarray, CSR matrix} of shape (n_components, n_features)
        The landmarks.
    component_indices_ : ndarray of shape (n_components,) or None
        Where they are among the training rows; None for centres of k-means.
    normalization_ : ndarray of shape (n_components, n_components)
        K_ZZ^(−1/2).
    residual_ : float
        The error against the exact kernel: trace(K − K̂) / trace(K) on the training rows, which is not estimated but
        computed, to about 1e-9. `fit` takes as long as `transform` for it. Where the kernel is a function of two rows,
        each value of which is a call, only `fit_transform` tells it, and after `fit` it is NaN. So it is for a kernel
        that is not positive semi-definite, where nothing bounds the error.
    kernel_ : Kernel
        The kernel with every parameter a number.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mercer import LinearSVC, Nystroem
    >>> from sklearn.datasets import make_circles
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = make_circles(200, factor=0.5, random_state=0)
    >>> model = make_pipeline(Nystroem(n_components=25, selection="pivoted"), LinearSVC()).fit(X, y)
    >>> model.score(X, y)
    1.0
    >>> model[0].residual_ < 1e-6
    True
    """

    _checks: ClassVar[dict[str, checks.Check]] = {
        "n_components": checks.at_least(1),
        "selection": checks.one_of(*SELECTIONS),
        "random_state": checks.seed,
        "n_jobs": checks.number_of_threads,
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        selection: str = "random",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.selection = selection
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Chooses the landmarks, and tells what they leave.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows, or kernel values between them where kernel="precomputed".
        y : None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
        """
        with restored_on_error(self):
            X = self._fit(X)
            self.residual_ = np.nan
            if not _is_of_two_rows(self.kernel_):
                self.residual_ = self._share_left(X, sum(_squares(features) for _, features in self._features(X)))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """`fit` and `transform` in one, which makes the features once.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        with restored_on_error(self):
            X = self._fit(X)
            mapped, explained = self._room(X), 0.0
            for block, features in self._features(X):
                mapped[block] = features
                explained += _squares(features)
            self.residual_ = self._share_left(X, explained)
        return mapped

    def transform(self, X: Any) -> Floats:
        """φ of every row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples of fit)
            Rows, or their kernel values with the training rows where kernel="precomputed".

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = read_queries(self, X, accept_sparse=takes_features(self.kernel_))
        mapped = self._room(X)
        for block, features in self._features(X):
            mapped[block] = features
        return mapped

    # ---------------------------------------------------------------- fit

    def _fit(self, X: Any) -> Any:
        """Everything but the residual; returns the training rows."""
        checks.check_parameters(self)
        kernel = self._checked_kernel()
        X, _ = read_training_data(self, X, None, accept_sparse=takes_features(kernel), kinds=None)
        X = checked_matrix(kernel, X)
        count, n = int(self.n_components), X.shape[0]
        if count > n:
            warn_user(
                NumericsWarning(
                    f"n_components: expected at most as many as there are rows, {n}, got {count}. All rows are "
                    "landmarks, so that the kernel is exact and costs as much. Lower n_components."
                )
            )
        self.kernel_ = kernel.resolve(X)
        random = check_random_state(self.random_state)
        chosen = choose_landmarks(self.selection, self.kernel_, X, min(count, n), random, self._threads)
        self.components_, self.component_indices_ = chosen
        among = self._values(self.components_)
        self.normalization_ = _inverse_root(among)
        self._n_features_out = len(among)
        return X

    def _checked_kernel(self) -> Kernel:
        given = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        given = {name: value for name, value in given.items() if value is not None}
        if not isinstance(self.kernel, str) or self.kernel == "precomputed":
            if given:
                # The first words are scikit-learn's, which people match.
                raise ParameterError(
                    "Don't pass gamma, coef0 or degree to Nystroem with a kernel that is a function, an object or "
                    f"precomputed: expected None, got {given}."
                )
            return ridge_kernel(self.kernel, None, 3, 1.0, self.kernel_params, "Nystroem")
        params = dict(self.kernel_params or {})
        if unknown := params.keys() - {"gamma", "degree", "coef0"}:
            raise ParameterError(
                f"kernel_params: expected gamma, degree or coef0 for a kernel with a name, got {sorted(unknown)}."
            )
        params |= given
        degree = params.get("degree", 3)
        if self.kernel in ("poly", "polynomial") and not isinstance(degree, Integral):
            checks.check_number("Nystroem", "degree", degree, least=1)
            return CallableKernel(PairwiseFunction("polynomial", params))
        return ridge_kernel(self.kernel, params.get("gamma"), degree, params.get("coef0", 1.0), None, "Nystroem")

    def _share_left(self, X: Any, explained: float) -> float:
        """trace(K − K̂) / trace(K), where trace(K̂), the sum of the squares of all features, is what is explained."""
        trace = float(self._diagonal(X).sum())
        left = trace - explained
        if self.kernel_.is_definite is False:
            return np.nan  # without definiteness nothing bounds the error
        if self.kernel_.is_definite:
            left = max(0.0, left)  # below it is rounding
        return left / trace if trace else 0.0

    def _diagonal(self, X: Any) -> Floats:
        if not _is_of_two_rows(self.kernel_):
            return self.kernel_.diagonal(X)
        rows = [X[i : i + 1] for i in range(X.shape[0])]  # one call a row, and none between rows
        return np.array([float(self.kernel_.matrix(row, row)[0, 0]) for row in rows])

    # ---------------------------------------------------------------- features

    def _features(self, X: Any) -> Iterator[tuple[slice, Floats]]:
        """φ of some rows after the other, in float64, and which rows they are."""
        for first in range(0, X.shape[0], _ROWS_PER_BLOCK):
            block = slice(first, first + _ROWS_PER_BLOCK)
            yield block, self._values(X[block]) @ self.normalization_.T

    def _room(self, X: Any) -> Floats:
        """Where the features of X are put: float32 if these rows and the landmarks are."""
        return np.empty((X.shape[0], self._n_features_out), dtype=np.result_type(X.dtype, self.components_.dtype))

    def _values(self, X: Any) -> Floats:
        """k between rows and landmarks, in float64."""
        kernel, Z = self.kernel_, self.components_
        if kernel.is_pairwise:
            return np.asarray(X[:, self.component_indices_], dtype=np.float64)
        lowered = kernel.lower()
        if lowered is None:
            return kernel.matrix(X, Z)
        X = _of_the_kind_of(Z, X)
        try:
            return core.Centres64(lowered, as_core_data(Z)).matrix(as_core_data(X), self._threads)
        except OverflowError:
            raise kernel_overflow(kernel) from None

    @property
    def _threads(self) -> int:
        return checks.thread_count(self.n_jobs) or available_threads()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _is_of_two_rows(kernel: Kernel) -> bool:
    """Whether each value is a call of a Python function."""
    function = getattr(kernel, "function", None)
    return isinstance(function, PairwiseFunction) and callable(function.metric)


def _squares(features: Floats) -> float:
    return float(np.vdot(features, features))


def _of_the_kind_of(Z: Any, X: Any) -> Any:
    """X sparse where Z is."""
    if is_sparse(X) and not is_sparse(Z):
        return X.toarray()
    return core_ready(X if is_sparse(X) or not is_sparse(Z) else type(Z)(X))


def _inverse_root(K: Floats) -> Floats:
    """K^(−1/2), of directions with negative eigenvalues with the sign that scikit-learn's have."""
    sizes, Q = eigh(K)
    # Below the second, eigenvalues of values of any size are rounding.
    least = max(_LEAST_EIGENVALUE, np.finfo(np.float64).eps * float(np.abs(sizes).max()))
    roots = np.copysign(1 / np.sqrt(np.maximum(np.abs(sizes), least)), sizes)
    return np.asarray((Q * roots) @ Q.T)
