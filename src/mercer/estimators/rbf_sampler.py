"""Random Fourier features of the RBF kernel, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer import checks
from mercer.data import read_queries, read_training_data
from mercer.estimators.atomic import restored_on_error
from mercer.kernels.base import Gamma, gamma_value
from mercer.typing import Floats

__all__ = ["RBFSampler"]


class RBFSampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's `RBFSampler`: random features φ(x) with φ(x)ᵀφ(z) ≈ exp(−gamma ‖x − z‖²).

    φ_k(x) = √(2 / n_components) cos(w_kᵀx + b_k) for w_k from N(0, 2 gamma) and b_k from [0, 2π]. They know nothing of
    the data; a value of the kernel is off by about 1 / √n_components. `Nystroem` looks at the rows and tells its error.

    Parameters
    ----------
    gamma : float, "scale" or "auto", default=1.0
        Of the kernel. "scale" is 1 / (n_features · variance of all entries), "auto" is 1 / n_features.
    n_components : int, default=100
        How many features.
    random_state : int, RandomState instance or None, default=None
        Decides w and b, which are scikit-learn's for the same one.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        The w_k.
    random_offset_ : ndarray of shape (n_components,)
        The b_k.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from mercer import LinearSVC, RBFSampler
    >>> from sklearn.datasets import make_circles
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = make_circles(200, factor=0.5, random_state=0)
    >>> make_pipeline(RBFSampler(random_state=0), LinearSVC()).fit(X, y).score(X, y)
    1.0
    """

    def __init__(self, *, gamma: Gamma = 1.0, n_components: int = 100, random_state: Any = None) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draws the features, as many weights each as the rows have features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows; gamma="scale" alone looks at their values.
        y : None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
        """
        with restored_on_error(self):
            checks.check_gamma("RBFSampler", self.gamma)
            count = checks.integer("n_components", self.n_components, least=1)
            random = check_random_state(checks.seed("random_state", self.random_state))
            X, _ = read_training_data(self, X, None, accept_sparse=True, kinds=None)
            self._gamma = gamma_value(self.gamma, X)
            weights = np.sqrt(2 * self._gamma) * random.normal(size=(X.shape[1], count))
            self.random_weights_ = weights.astype(X.dtype, copy=False)
            self.random_offset_ = random.uniform(0, 2 * np.pi, size=count).astype(X.dtype, copy=False)
            self._n_features_out = count
        return self

    def transform(self, X: Any) -> Floats:
        """φ of every row.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = read_queries(self, X, accept_sparse=True)
        features = np.asarray(X @ self.random_weights_)
        features += self.random_offset_
        np.cos(features, out=features)
        features *= np.sqrt(2 / self._n_features_out)
        return features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
