"""LIBSVM's noise of a regression, and its probability of belonging to a distribution."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import laplace
from sklearn.datasets import load_diabetes, make_blobs

import mercer
from mercer import SVR, NuSVR, OneClassSVM
from mercer.calibration import InlierProbability, LaplaceNoise


def libsvms_scale(errors):
    """As in LIBSVM's svm_svr_probability."""
    size = np.abs(errors)
    return size[size <= 5 * np.sqrt(2 * size.mean() ** 2)].mean()


def libsvms_marks(values):
    """As in LIBSVM's svm_one_class_probability."""
    ordered, n = sorted(values), len(values)
    below = next(i for i, value in enumerate(ordered) if value >= 0)
    ends = [ordered[i * below // 5] for i in range(5)] + [0.0]
    ends += [ordered[below - 1 + i * (n - below) // 5] for i in range(1, 6)]
    return [(a + b) / 2 for a, b in pairwise(ends)]


def test_noise_is_the_mean_size_of_errors_without_outliers():
    errors = np.append(np.random.default_rng(0).laplace(scale=2.0, size=5000), [1e3, -1e4])
    noise = LaplaceNoise.learn(errors, np.ones(len(errors)))
    assert noise.scale == pytest.approx(libsvms_scale(errors), rel=1e-12)
    assert noise.scale == pytest.approx(2.0, rel=0.05)


def test_noise_counts_a_row_of_weight_k_k_times():
    random = np.random.default_rng(1)
    errors, k = random.normal(size=50), random.integers(1, 5, size=50)
    repeated = LaplaceNoise.learn(np.repeat(errors, k), np.ones(k.sum()))
    assert LaplaceNoise.learn(errors, k.astype(float)).scale == pytest.approx(repeated.scale, rel=1e-12)


def test_noise_has_laplaces_density_and_intervals():
    noise, asked = LaplaceNoise(1.7), np.linspace(-5, 5, 11)
    np.testing.assert_allclose(noise.density(asked), laplace(scale=1.7).pdf(asked))
    low, high = noise.interval(np.array([3.0]), 0.8)
    np.testing.assert_allclose([low[0], high[0]], laplace(loc=3.0, scale=1.7).interval(0.8))
    with pytest.raises(mercer.ParameterError, match="coverage"):
        noise.interval(asked, 1.0)


@pytest.mark.parametrize("model", [SVR(C=100.0), NuSVR(C=100.0), SVR(C=10.0, kernel="linear", random_state=3)], ids=str)
def test_noise_of_a_regression_covers_what_it_says(model):
    X, y = load_diabetes(return_X_y=True)
    noise = model.laplace_noise(X[:300], y[:300])
    low, high = noise.interval(model.fit(X[:300], y[:300]).predict(X[300:]), 0.9)
    assert 0.85 <= ((low <= y[300:]) & (y[300:] <= high)).mean() <= 0.99
    assert noise == model.laplace_noise(X[:300], y[:300])


def test_noise_leaves_the_estimator_as_it_is_and_counts_weights():
    X, y = load_diabetes(return_X_y=True)
    model = SVR(C=100.0)
    weights = np.where(np.arange(len(y)) < 300, 1.0, 0.0)
    assert model.laplace_noise(X, y, weights).scale > 0
    assert not hasattr(model, "support_")


def test_noise_of_few_rows_holds_out_what_there_is():
    assert SVR().laplace_noise([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).scale > 0
    with pytest.raises(mercer.InputError, match="two rows or more"):
        SVR().laplace_noise([[0.0]], [0.0])


def test_marks_of_inliers_are_libsvms():
    values = np.random.default_rng(2).normal(loc=0.3, size=237)
    found = InlierProbability.learn(values)
    np.testing.assert_allclose(found.marks, libsvms_marks(values), rtol=1e-12)
    asked = [found.marks[0] - 1, found.marks[0], found.marks[4], found.marks[8] + 1e-9, found.marks[9] + 1]
    np.testing.assert_allclose(found(np.array(asked)), [0.001, 0.1, 0.5, 0.9, 0.999])


def test_inliers_are_more_probable_than_outliers():
    X, _ = make_blobs(300, centers=1, random_state=0)
    model = OneClassSVM(nu=0.2).fit(X)
    p = model.inlier_probability(X)
    np.testing.assert_allclose(
        InlierProbability.learn(model.decision_function(X)).marks, model._inliers.marks, atol=1e-9
    )
    assert p[model.predict(X) == 1].min() >= 0.5 >= p[model.predict(X) == -1].max()
    assert model.inlier_probability([[100.0, 100.0]]) == 0.001


def test_inliers_of_too_few_rows_are_an_error_that_says_so():
    X, _ = make_blobs(30, centers=1, random_state=0)
    with pytest.raises(mercer.InputError, match="five training rows"):
        OneClassSVM(nu=0.05).fit(X).inlier_probability(X)
