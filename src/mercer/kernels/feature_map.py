"""The explicit map of a kernel as a transformer of scikit-learn's kind."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from mercer.data import is_sparse, read_queries, read_training_data
from mercer.errors import InputError, KernelError, ParameterError, kernel_overflow
from mercer.kernels.base import Kernel, no_finite_map
from mercer.kernels.dot import Linear
from mercer.kernels.monomials import name_feature
from mercer.kernels.nested import WithKernel
from mercer.typing import Floats, Labels

__all__ = ["FeatureMap"]

# A thousand rows then take 800 MB at most.
_MOST_FEATURES = 100_000
# The factorial of the next is no float64.
_MOST_DEGREE = 170


class FeatureMap(TransformerMixin, WithKernel):  # type: ignore[misc]
    """The features φ(x) whose dot products are the values of a kernel, φ(x)ᵀφ(z) = k(x, z).

    Linear, polynomial and constant kernels have such a map. A sum of kernels has the features of both sides, a product
    has all products of a feature of one side with one of the other, a multiple has its features times the root of the
    factor. That of RBF has no end: `degree` cuts it, and `error_bound` tells what that costs. A linear machine on the
    features is the kernel machine. `Kernel.feature_map` makes one.

    Parameters
    ----------
    kernel : Kernel, default=None
        The kernel; None is `Linear()`, whose map leaves rows as they are.
    n_features : int, optional
        Features that rows must have; None takes those of the training data.
    degree : int, optional
        Where the maps of RBF kernels are cut, from 0 to 170; other kernels take none.
    max_features : int, default=100_000
        The most features to make. Maps with no more features than the rows have are always made.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its parameters as numbers, those named "scale" or "auto" taken from the training data.
    n_features_out_ : int
        Features of the map.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mercer import LinearSVC, Polynomial
    >>> from sklearn.datasets import make_circles
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = make_circles(100, factor=0.5, random_state=0)
    >>> make_pipeline(Polynomial(2).feature_map(), LinearSVC()).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        n_features: int | None = None,
        degree: int | None = None,
        max_features: int = _MOST_FEATURES,
    ) -> None:
        self.kernel = kernel
        self.n_features = n_features
        self.degree = degree
        self.max_features = max_features

    def prepared(self) -> Self:
        """Itself, fitted where the number of features is given and nothing has to be learned from data.

        What cannot be mapped is refused here, before there are any data.
        """
        kernel = self._checked_kernel()
        if self.n_features is None:
            self._check_map(kernel, 1)
            return self
        self._check_map(kernel, self.n_features)
        origin = np.zeros((1, self.n_features))
        return self.fit(origin) if kernel.resolve(origin) == kernel else self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Takes the number of features, and what the kernel has to learn, from the data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
        """
        kernel = self._checked_kernel()
        X, _ = read_training_data(self, X, None, accept_sparse=True, kinds=None)
        if self.n_features is not None and X.shape[1] != self.n_features:
            raise InputError(
                f"X: expected {self.n_features} features, as n_features says, got {X.shape[1]}. Leave n_features out "
                "to take them from the data."
            )
        self.n_features_out_ = self._check_map(kernel, X.shape[1])
        self.kernel_ = kernel.resolve(X)
        return self

    def transform(self, X: Any) -> Any:
        """φ of every row.

        Returns
        -------
        {ndarray, CSR matrix} of shape (n_samples, n_features_out_)
            Sparse where X is and no feature is a product of variables.
        """
        check_is_fitted(self)
        X = read_queries(self, X, accept_sparse=True)
        with np.errstate(over="ignore", invalid="ignore"):
            mapped = self.kernel_.map_rows(X, self.degree)
        if not np.all(np.isfinite(mapped.data if is_sparse(mapped) else mapped)):
            raise kernel_overflow(self.kernel_)
        return mapped

    def error_bound(self, X: Any) -> Floats:
        """What a cut map may miss: |k(x, z) − φ(x)ᵀφ(z)| ≤ √(bound of x · bound of z), up to rounding.

        It is the squared length of the features that are left out, so that at z = x the bound is the error, and its
        largest value is the largest error among all pairs of rows. Zero for kernels with a finite map.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.kernel_.map_remainder(read_queries(self, X, accept_sparse=True), self.degree)

    def get_feature_names_out(self, input_features: Any = None) -> Labels:
        """The features as formulas, such as "√2 x0 x1". Features that are the same have the same name.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the variables; None takes those of the training data, or x0, x1, ….

        Returns
        -------
        ndarray of str objects
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        terms = self.kernel_.map_terms(len(names), self.degree)
        return np.array([name_feature(term, names) for term in terms], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked_kernel(self) -> Kernel:
        if self.kernel is not None and not isinstance(self.kernel, Kernel):
            raise ParameterError(
                f"kernel: expected a kernel object such as Polynomial(2), got {self.kernel!r}. mercer.kernels has them."
            )
        for name, value, least in (
            ("n_features", self.n_features, 1),
            ("degree", self.degree, 0),
            ("max_features", self.max_features, 1),
        ):
            whole = isinstance(value, Integral) and not isinstance(value, bool) and value >= least
            if not whole and (value is not None or name == "max_features"):
                raise ParameterError(f"{name}: expected an integer ≥ {least}, got {value!r}.")
        return Linear() if self.kernel is None else self.kernel

    def _check_map(self, kernel: Kernel, features: int) -> int:
        """Features of the map for rows of so many; raises where there is none, or too large a one."""
        size = kernel.map_size(features, self.degree)
        if kernel.map_size(features, 0) is None:
            raise no_finite_map(kernel)
        if size is None:
            raise KernelError(
                f"{kernel} has no finite feature map, for RBF holds monomials of all degrees: expected a degree to cut "
                "it at, got None. Give one, as in RBF(0.5).feature_map(2, degree=4)."
            )
        if self.degree is not None and kernel.map_size(features) is not None:
            raise ParameterError(f"degree: expected None, as the map of {kernel} is finite, got {self.degree!r}.")
        if self.degree is not None and self.degree > _MOST_DEGREE:
            raise ParameterError(f"degree: expected at most {_MOST_DEGREE}, where factorials end, got {self.degree!r}.")
        if size > max(self.max_features, features):
            raise ParameterError(
                f"max_features: expected a map of at most {self.max_features} features, got one of {size}. Use the "
                "kernel in SVC, which needs no map, lower the degree, or raise max_features if there is memory for it."
            )
        return size
