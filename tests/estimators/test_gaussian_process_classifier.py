"""GaussianProcessClassifier against scikit-learn's and finite differences."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.gaussian_process import GaussianProcessClassifier as Theirs
from sklearn.gaussian_process import kernels as theirs

from mercer import RBF, GaussianProcessClassifier, InputError, Matern, ParameterError, White

ROUNDING = 1e-6


@pytest.fixture
def data(random):
    X = random.normal(size=(50, 2))
    y = np.where(X[:, 0] + 0.5 * random.normal(size=50) > 0, "yes", "no")
    return X, y, random.normal(size=(30, 2))


@pytest.mark.parametrize("optimizer", [None, "fmin_l_bfgs_b"])
def test_two_classes_equal_those_of_scikit_learn(data, optimizer):
    X, y, queries = data
    kernel = 1.0 * theirs.RBF(1.0)
    ours, other = (kind(kernel, optimizer=optimizer).fit(X, y) for kind in (GaussianProcessClassifier, Theirs))
    tolerance = ROUNDING if optimizer is None else 1e-3
    np.testing.assert_allclose(ours.predict_proba(queries), other.predict_proba(queries), atol=tolerance)
    np.testing.assert_array_equal(ours.predict(queries), other.predict(queries))
    assert ours.log_marginal_likelihood_value_ == pytest.approx(other.log_marginal_likelihood_value_, rel=tolerance)


def test_slopes_equal_those_of_scikit_learn(data):
    X, y, _ = data
    kernel = 1.5 * theirs.Matern([1.0, 2.0], nu=2.5) + theirs.WhiteKernel(0.1)
    ours, other = (kind(kernel, optimizer=None).fit(X, y) for kind in (GaussianProcessClassifier, Theirs))
    found = ours.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    expected = other.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    np.testing.assert_allclose(found[0], expected[0], rtol=ROUNDING)
    np.testing.assert_allclose(found[1], expected[1], rtol=ROUNDING, atol=ROUNDING)


def test_slopes_equal_finite_differences(data):
    X, y, _ = data
    model = GaussianProcessClassifier(2.0 * RBF([0.5, 0.2]) + Matern(0.1), optimizer=None).fit(X, y)
    theta = np.log([2.0, 0.5, 0.2, 0.1])
    slopes = model.log_marginal_likelihood(theta, eval_gradient=True)[1]
    for place, step in enumerate(1e-5 * np.eye(4)):
        above, below = (model.log_marginal_likelihood(theta + s) for s in (step, -step))
        assert slopes[place] == pytest.approx((above - below) / 2e-5, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_several_classes_equal_those_of_scikit_learn(n_jobs):
    X, y = load_iris(return_X_y=True)
    kernel = 1.0 * theirs.RBF(1.0)
    ours = GaussianProcessClassifier(kernel, optimizer=None, n_jobs=n_jobs).fit(X, y)
    other = Theirs(kernel, optimizer=None).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=ROUNDING)
    assert ours.log_marginal_likelihood(kernel.theta) == pytest.approx(
        other.log_marginal_likelihood(kernel.theta), rel=ROUNDING
    )
    assert ours.kernel_.kernels == [kernel] * 3  # as scikit-learn has them


def test_latent_function_is_that_of_scikit_learn(data):
    X, y, queries = data
    kernel = 1.0 * theirs.RBF(1.0)
    ours, other = (kind(kernel, optimizer=None).fit(X, y) for kind in (GaussianProcessClassifier, Theirs))
    for found, expected in zip(
        ours.latent_mean_and_variance(queries), other.latent_mean_and_variance(queries), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=ROUNDING)


def test_warm_starts_lead_to_the_same_modes(data):
    X, y, queries = data
    cold, warm = (GaussianProcessClassifier(1.0 * RBF(0.5), warm_start=flag).fit(X, y) for flag in (False, True))
    np.testing.assert_allclose(cold.predict_proba(queries), warm.predict_proba(queries), atol=1e-4)


def test_certain_rows_have_finite_numbers():
    """Where the classes lie far apart the curvature is next to nothing."""
    X = np.array([[-1.0], [-1.1], [1.0], [1.1]])
    model = GaussianProcessClassifier(1e6 * RBF(0.5) + White(1.0), optimizer=None).fit(X, [0, 0, 1, 1])
    value, slopes = model.log_marginal_likelihood(np.log([1e6, 0.5, 1.0]), eval_gradient=True)
    assert np.isfinite([value, *slopes]).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_what_cannot_be_learnt_is_refused(data):
    X, y, _ = data
    with pytest.raises(InputError, match="greater than one"):
        GaussianProcessClassifier().fit(X, np.ones(50))
    with pytest.raises(ParameterError, match="multi_class"):
        GaussianProcessClassifier(multi_class="one_vs_one").fit(X, y)
    several = GaussianProcessClassifier(1.0 * RBF(0.5), optimizer=None).fit(X, np.arange(50) % 3)
    with pytest.raises(NotImplementedError):
        several.log_marginal_likelihood([0.0, 0.0], eval_gradient=True)
    with pytest.raises(ParameterError, match="only supported for binary classification, received 3 classes"):
        several.latent_mean_and_variance(X)


def test_default_kernel_is_kept_as_scikit_learn_keeps_it(data):
    X, y, _ = data
    ours, other = GaussianProcessClassifier().fit(X, y), Theirs().fit(X, y)
    assert ours.kernel_ == 1.0 * RBF(0.5)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=ROUNDING)
    learnt = GaussianProcessClassifier(bounds={"factor": (1e-2, 1e2)}).fit(X, y)
    assert learnt.log_marginal_likelihood_value_ > ours.log_marginal_likelihood_value_
