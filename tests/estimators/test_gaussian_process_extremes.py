"""Gaussian processes at their limits: a right answer or a clear error, and what scikit-learn's users look for."""

import copy
import pickle
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels as theirs

from mercer import (
    RBF,
    Constant,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    InputError,
    KernelRidge,
    Linear,
    Matern,
    ParameterError,
    Polynomial,
    Precomputed,
    Sigmoid,
    UnsolvedWarning,
    White,
)

NOISY = RBF(0.5) + White(0.1)
SMOOTH = 1.0 * RBF(0.5)
EACH = pytest.mark.parametrize("kind", [GaussianProcessRegressor, GaussianProcessClassifier])


@pytest.fixture
def data(random):
    X = random.normal(size=(30, 3))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=30)
    return X, y


def targets(kind, y):
    return (y > 0).astype(int) if kind is GaussianProcessClassifier else y


# ---------------------------------------------------------------- targets and features of any size


@pytest.mark.parametrize("size", [1e12, 1e-12, 1e200, 1e-200])
def test_normalised_targets_of_any_size_give_the_same_process_in_their_units(size, data):
    X, y = data
    mean, std = GaussianProcessRegressor(NOISY, normalize_y=True).fit(X, y).predict(X, return_std=True)
    found = GaussianProcessRegressor(NOISY, normalize_y=True).fit(X, size * y).predict(X, return_std=True)
    np.testing.assert_allclose(found[0] / size, mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[1] / size, std, rtol=1e-5)


def test_normalisation_is_that_of_scikit_learn_to_the_last_bit(data):
    X, y = data
    ours = GaussianProcessRegressor(NOISY, optimizer=None, normalize_y=True).fit(X, 3.7 * y + 12.3)
    other = Theirs(optimizer=None, normalize_y=True).fit(X, 3.7 * y + 12.3)
    np.testing.assert_array_equal(ours.y_train_, other.y_train_)


def test_likelihood_that_is_no_number_anywhere_is_told(data):
    X, y = data
    with pytest.warns(UnsolvedWarning, match="found no likelihood that is a number"):
        model = GaussianProcessRegressor(NOISY).fit(X, 1e200 * y)
    assert model.kernel_.left.gamma == pytest.approx(0.5)
    assert np.all(np.isfinite(model.predict(X)))


@EACH
def test_features_whose_squares_are_no_numbers_are_refused(kind, data):
    X, y = data
    with pytest.raises(InputError, match="Scale the features"):
        kind(1.0 * RBF(0.5)).fit(1e160 * X, targets(kind, y))


@EACH
def test_offsets_of_features_change_little(kind, data):
    X, y = data
    models = [kind(1.0 * RBF(0.5) + White(0.1), optimizer=None).fit(rows, targets(kind, y)) for rows in (X, X + 1e8)]
    asked = [model.predict_proba if kind is GaussianProcessClassifier else model.predict for model in models]
    np.testing.assert_allclose(asked[1](X + 1e8), asked[0](X), atol=1e-6)  # of 1e8, float64 holds some 1e-8


def test_standard_deviations_of_almost_equal_rows_are_never_below_zero(random):
    count = 0
    for kernel in (RBF(1e-4), Matern(1e-2, nu=0.5), Matern(1.0, nu=2.5), Linear() + 1.0, Polynomial(2)):
        for gap in (0.0, 1e-15, 1e-12, 1e-9, 1e-6):
            X = random.normal(size=(40, 2))
            X[20:] = X[:20] + gap * random.normal(size=(20, 2))
            model = GaussianProcessRegressor(kernel, alpha=1e-6, optimizer=None).fit(X, random.normal(size=40))
            queries = np.concatenate([X, X + 1e-13, 10 * random.normal(size=(4000, 2))])
            std = model.predict(queries, return_std=True)[1]
            assert np.all(std >= 0)
            assert np.all(np.diagonal(model.predict(queries[:60], return_cov=True)[1]) >= 0)
            count += len(std)
    assert count > 1e5


# ---------------------------------------------------------------- parameters


@EACH
@pytest.mark.parametrize("kernel", ["rbf", 5, Precomputed(), lambda x, z: 1.0])
def test_what_is_no_kernel_is_refused_whatever_the_rows_are(kind, kernel):
    with pytest.raises(ParameterError, match="kernel: expected a kernel of Mercer's or scikit-learn's"):
        kind(kernel).fit(["a", "ab"], [0, 1])


@EACH
def test_compound_kernel_is_refused_as_in_scikit_learn(kind, data):
    X, y = data
    with pytest.raises(ParameterError, match="kernel cannot be a CompoundKernel"):
        kind(theirs.CompoundKernel(0)).fit(X, targets(kind, y))


@pytest.mark.parametrize(
    ("alpha", "told"),
    [
        (True, "got True"),
        (np.full((30, 1), 0.1), r"shape \(30, 1\)"),
        (np.r_[-1.0, np.ones(29)], "from -1"),
        ("a", "a"),
    ],
    ids=["bool", "column", "negative", "text"],
)
def test_noise_that_makes_no_sense_is_refused_in_a_line(alpha, told, data):
    with pytest.raises(ParameterError, match=told) as caught:
        GaussianProcessRegressor(alpha=alpha).fit(*data)
    assert len(str(caught.value)) < 200


def test_sparse_targets_are_refused(data):
    with pytest.raises(InputError, match="y: expected a dense array"):
        GaussianProcessRegressor().fit(data[0], sp.csr_matrix(data[1][:, None]))


@EACH
@pytest.mark.parametrize("kernel", [Polynomial(2, 1.0, 0.0), RBF([0.3, 0.0, 0.2]), Constant(0.0) + RBF(0.5)], ids=str)
def test_parameters_of_zero_stay_where_nothing_is_sought(kind, kernel, data):
    X, y = data
    model = kind(kernel + White(0.5), optimizer=None).fit(X, targets(kind, y))
    assert model.kernel_ == kernel + White(0.5)
    with pytest.raises(ParameterError, match="to begin from"):
        kind(kernel + White(0.5)).fit(X, targets(kind, y))


def test_slopes_by_the_numbers_above_zero_equal_finite_differences(data):
    X, y = data
    model = GaussianProcessRegressor(RBF([0.3, 0.0, 0.2]) + White(0.5), optimizer=None).fit(X, y)
    theta = np.log([0.3, 0.2, 0.5])
    slopes = model.log_marginal_likelihood(theta, eval_gradient=True)[1]
    for place, step in enumerate(1e-5 * np.eye(3)):
        above, below = (model.log_marginal_likelihood(theta + s) for s in (step, -step))
        assert slopes[place] == pytest.approx((above - below) / 2e-5, rel=1e-6, abs=1e-6)


# ---------------------------------------------------------------- what people match


def test_bounds_are_told_in_scikit_learns_words(data):
    X, y = data
    told = (
        "The optimal value found for dimension 0 of parameter length_scale is close to the specified upper bound "
        "0.001. Increasing the bound and calling fit again may find a better value."
    )
    with pytest.warns(ConvergenceWarning) as caught:
        GaussianProcessRegressor(theirs.RBF(length_scale_bounds=(1e-5, 1e-3))).fit(X, y)
    assert [str(one.message) for one in caught] == [told]
    own = GaussianProcessRegressor(RBF([0.5] * 3), alpha=1e-4, bounds={"gamma": (0.1, 10.0)})
    with pytest.warns(ConvergenceWarning) as caught:
        own.fit(X, np.sin(X[:, 0]))
    assert str(caught[-1].message).startswith(
        "The optimal value found for dimension 2 of parameter gamma is close to the specified lower bound 0.1. Decr"
    )


@pytest.mark.parametrize("kernel", [theirs.DotProduct(), Linear() + 1.0, Sigmoid(1.0, -1.0)], ids=str)
def test_singular_covariance_is_told_in_scikit_learns_words(kernel):
    X = np.arange(12.0).reshape(6, -1)
    with pytest.raises(np.linalg.LinAlgError) as caught:
        GaussianProcessRegressor(kernel, alpha=0.0).fit(X, np.ones(6))
    assert str(caught.value).startswith(
        f"The kernel, {kernel}, is not returning a positive definite matrix. Try gradually increasing the 'alpha' "
        "parameter of your GaussianProcessRegressor estimator."
    )


def test_classes_under_an_indefinite_kernel_are_refused_with_advice(data):
    X, y = data
    with pytest.raises(np.linalg.LinAlgError, match=r"not returning a positive semi-definite matrix.*add White"):
        GaussianProcessClassifier(Sigmoid(1.0, -1.0), optimizer=None).fit(X, y > 0)


def test_likelihoods_are_numbers_of_numpy(data):
    """So that sums with float32 keep their digits: NumPy takes Python's numbers for weak."""
    X, y = data
    theta = np.log([1.0, 0.5])
    for kind in (GaussianProcessRegressor, GaussianProcessClassifier):
        model = kind(SMOOTH, optimizer=None).fit(X, targets(kind, y))
        for value in (
            model.log_marginal_likelihood_value_,
            model.log_marginal_likelihood(theta),
            model.log_marginal_likelihood(theta, eval_gradient=True)[0],
        ):
            assert isinstance(value, np.float64)


def test_classes_under_a_kernel_that_is_fixed_have_a_likelihood(data):
    X, y = data
    fixed = theirs.RBF(1.0, "fixed")
    for classes in (y > 0, np.digitize(y, [-0.5, 0.5])):
        model = GaussianProcessClassifier(fixed).fit(X, classes)
        assert model.log_marginal_likelihood(model.kernel_.theta) == pytest.approx(model.log_marginal_likelihood())


# ---------------------------------------------------------------- what happens to a fitted process


@EACH
def test_copies_and_parameters_set_after_a_fit_change_nothing(kind, data):
    X, y = data
    model = kind(SMOOTH, alpha=0.1) if kind is GaussianProcessRegressor else kind(SMOOTH)
    model.fit(X, targets(kind, y))

    def told(one):
        return one.predict(X, return_std=True)[1] if kind is GaussianProcessRegressor else one.predict_proba(X)

    before = told(model)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(told(again), before)
    model.set_params(kernel=Linear(), optimizer=None, random_state=3)
    np.testing.assert_array_equal(told(model), before)
    assert not hasattr(clone(model), "X_train_")


@EACH
def test_fits_in_several_threads_are_the_same(kind, data):
    X, y = data
    kernel = NOISY if kind is GaussianProcessRegressor else SMOOTH
    expected = kind(kernel).fit(X, targets(kind, y)).log_marginal_likelihood_value_
    found = []
    threads = [
        threading.Thread(
            target=lambda: found.append(kind(kernel).fit(X, targets(kind, y)).log_marginal_likelihood_value_)
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_allclose(found, [expected] * 4, rtol=1e-9)


def test_samples_have_the_mean_and_covariance_that_are_told(data):
    X, y = data
    both = np.column_stack([y, 5 + 2 * X[:, 1]])
    for normalize_y in (False, True):
        model = GaussianProcessRegressor(RBF(0.3), alpha=0.1, optimizer=None, normalize_y=normalize_y).fit(X, both)
        queries = X[:4] + 0.3
        mean, covariance = model.predict(queries, return_cov=True)
        drawn = model.sample_y(queries, 40_000, random_state=3)
        for k in range(2):
            size = covariance[..., k].max()
            # Of 40,000 draws: 1 / 200 of a standard deviation, five of these.
            np.testing.assert_allclose(drawn[:, k].mean(axis=1), mean[:, k], atol=0.025 * np.sqrt(size))
            np.testing.assert_allclose(np.cov(drawn[:, k]), covariance[..., k], atol=0.04 * size)


def test_noise_for_each_observation_is_a_weight_of_kernel_ridge(data, random):
    X, y = data
    both, noise = np.column_stack([y, X[:, 1] ** 2]), random.uniform(0.01, 0.5, 30)
    kernel = (RBF(0.3) + Constant(0.2)) * (Matern(0.2) + Linear())
    ours = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None).fit(X, both)
    ridge = KernelRidge(1.0, kernel=kernel).fit(X, both, 1 / noise)
    np.testing.assert_allclose(ours.predict(X + 0.1), ridge.predict(X + 0.1), rtol=1e-9, atol=1e-9)
