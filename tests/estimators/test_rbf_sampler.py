"""Random Fourier features are scikit-learn's for the same seed."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import kernel_approximation
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline

from mercer import LinearSVC, ParameterError, RBFSampler


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).standard_normal((200, 5))


@pytest.mark.parametrize("gamma", [0.3, "scale"])
@pytest.mark.parametrize("form", [np.asarray, np.float32, sp.csr_matrix, sp.csr_array])
def test_features_are_scikit_learns_for_the_same_seed(rows, form, gamma):
    X = form(rows)
    own, peer = (
        kind(gamma=gamma, n_components=40, random_state=7).fit(X)
        for kind in (RBFSampler, kernel_approximation.RBFSampler)
    )
    rounding = 1e-5 if X.dtype == np.float32 else 1e-12
    for name in ("random_weights_", "random_offset_"):
        assert getattr(own, name).dtype == getattr(peer, name).dtype == X.dtype
        np.testing.assert_allclose(getattr(own, name), getattr(peer, name), rtol=rounding)
    features = own.transform(X)
    assert features.dtype == X.dtype
    np.testing.assert_allclose(features, peer.transform(X), atol=rounding)
    assert list(own.get_feature_names_out()) == list(peer.get_feature_names_out())


def test_dot_products_are_about_the_kernel(rows):
    features = RBFSampler(gamma=0.3, n_components=10_000, random_state=0).fit_transform(rows)
    # Five standard errors, of which each value has at most √(1 / n_components).
    np.testing.assert_allclose(features @ features.T, rbf_kernel(rows, gamma=0.3), atol=5 / 100)


def test_pipeline_before_a_linear_machine():
    X, y = load_digits(return_X_y=True)
    steps = RBFSampler(gamma=0.001, n_components=500, random_state=0), LinearSVC()
    assert make_pipeline(*steps).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.9


@pytest.mark.parametrize("options", [{"gamma": -1.0}, {"gamma": "large"}, {"n_components": 0}, {"random_state": "a"}])
def test_parameters_are_checked(rows, options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        RBFSampler(**options).fit(rows)
