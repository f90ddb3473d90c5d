"""With passes enough the objective comes within a percent of the optimum that other solvers find, intercept free."""

import numpy as np
import pytest
import scipy.optimize
import sklearn.linear_model
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.linear_model import ElasticNet, LogisticRegression, Ridge
from sklearn.preprocessing import scale
from sklearn.svm import SVC, SVR

from mercer import SGDClassifier, SGDRegressor
from tests.reference.sgd import loss_and_slope, objective

ONE_PERCENT = 1.01
# Two ways to sum the same float64 numbers.
SUMMATION = 1e-12
ALPHA = 0.01

# A long descent with ever shorter steps: what is left is far below a percent.
PATIENT = {"learning_rate": "adaptive", "eta0": 0.02, "tol": 1e-7, "max_iter": 5000, "alpha": ALPHA, "random_state": 0}
AVERAGED = {
    "learning_rate": "invscaling",
    "eta0": 0.1,
    "power_t": 0.5,
    "tol": None,
    "max_iter": 2000,
    "average": 500_000,
    "alpha": ALPHA,
    "random_state": 0,
}


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return scale(X), scale(y)


def smooth_optimum(loss, X, y, epsilon=0.1):
    """By L-BFGS on the objective and its gradient, row by row."""

    def value_and_gradient(w):
        both = [loss_and_slope(loss, t, x @ w[:-1] + w[-1], epsilon) for x, t in zip(X, y, strict=True)]
        slopes = np.array([slope for _, slope in both]) / len(y)
        gradient = np.append(slopes @ X + ALPHA * w[:-1], slopes.sum())
        return objective(loss, X, y, w[:-1], w[-1], ALPHA, epsilon=epsilon), gradient

    return scipy.optimize.minimize(
        value_and_gradient, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    ).fun


def optimum_of_classification(loss, X, signs):
    C = 1 / (ALPHA * len(X))
    if loss == "hinge":
        model = SVC(kernel="linear", C=C, tol=1e-6).fit(X, signs)
        return objective(loss, X, signs, model.coef_, model.intercept_, ALPHA)
    if loss == "log_loss":
        model = LogisticRegression(C=C, tol=1e-8, max_iter=1000).fit(X, signs)
        return objective(loss, X, signs, model.coef_, model.intercept_, ALPHA)
    return smooth_optimum(loss, X, signs)


def optimum_of_regression(loss, X, y):
    if loss == "squared_error":
        model = Ridge(alpha=ALPHA * len(X)).fit(X, y)
        return objective(loss, X, y, model.coef_, model.intercept_, ALPHA)
    if loss == "epsilon_insensitive":
        model = SVR(kernel="linear", C=1 / (ALPHA * len(X)), epsilon=0.1, tol=1e-6).fit(X, y)
        return objective(loss, X, y, model.coef_, model.intercept_, ALPHA)
    return smooth_optimum(loss, X, y)


def assert_near(model, loss, X, targets, best):
    reached = objective(loss, X, targets, model.coef_, model.intercept_, ALPHA)
    assert model.objective_ == pytest.approx(reached, rel=SUMMATION)
    assert best * (1 - 1e-6) <= reached <= ONE_PERCENT * best


@pytest.mark.parametrize("way", [PATIENT, AVERAGED], ids=["adaptive", "averaged"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "log_loss", "modified_huber", "huber"])
def test_classifier_comes_within_a_percent_of_the_optimum(tumours, loss, way):
    X, y = tumours
    signs = np.where(y == 1, 1.0, -1.0)
    model = SGDClassifier(loss, **way).fit(X, y)
    assert_near(model, loss, X, signs, optimum_of_classification(loss, X, signs))


@pytest.mark.parametrize("loss", ["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regressor_comes_within_a_percent_of_the_optimum(diabetes, loss):
    X, y = diabetes
    model = SGDRegressor(loss, **PATIENT).fit(X, y)
    assert_near(model, loss, X, y, optimum_of_regression(loss, X, y))


@pytest.mark.parametrize("loss", ["hinge", "log_loss"])
def test_default_learning_rate_comes_within_a_percent_with_its_average(tumours, loss):
    X, y = tumours
    signs = np.where(y == 1, 1.0, -1.0)
    model = SGDClassifier(loss, alpha=ALPHA, tol=None, max_iter=400, average=50_000, random_state=0).fit(X, y)
    assert_near(model, loss, X, signs, optimum_of_classification(loss, X, signs))


@pytest.mark.parametrize("loss", ["huber", "modified_huber"])
def test_long_descent_of_scikit_learn_ends_where_ours_does(tumours, loss):
    X, y = tumours
    signs = np.where(y == 1, 1.0, -1.0)
    ours, theirs = (kind(loss, **PATIENT).fit(X, y) for kind in (SGDClassifier, sklearn.linear_model.SGDClassifier))
    reached = objective(loss, X, signs, theirs.coef_, theirs.intercept_, ALPHA)
    assert ours.objective_ == pytest.approx(reached, rel=0.01)


@pytest.mark.parametrize("batch_size", [4, 32])
def test_batches_come_within_a_percent_too(tumours, batch_size):
    X, y = tumours
    signs = np.where(y == 1, 1.0, -1.0)
    model = SGDClassifier("log_loss", **{**PATIENT, "eta0": 0.05}, batch_size=batch_size).fit(X, y)
    assert_near(model, "log_loss", X, signs, optimum_of_classification("log_loss", X, signs))


def test_softmax_comes_within_a_percent_of_multinomial_regression():
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    theirs = LogisticRegression(C=1 / (ALPHA * len(X)), tol=1e-8, max_iter=1000).fit(X, y)
    best = objective("softmax", X, y, theirs.coef_, theirs.intercept_, ALPHA)
    model = SGDClassifier("softmax", **PATIENT).fit(X, y)
    assert_near(model, "softmax", X, y, best)
    # Steps of all rows have no noise, and go to the optimum itself.
    exact = SGDClassifier("softmax", alpha=ALPHA, learning_rate="constant", eta0=0.5, batch_size=178, tol=None)
    exact.set_params(max_iter=4000).fit(X, y)
    assert exact.objective_ == pytest.approx(best, rel=1e-9)
    np.testing.assert_allclose(exact.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_classes_against_the_rest_have_an_objective_each():
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    model = SGDClassifier("log_loss", **PATIENT).fit(X, y)
    assert model.objective_.shape == (3,)
    for number in range(3):
        signs = np.where(y == number, 1.0, -1.0)
        best = optimum_of_classification("log_loss", X, signs)
        reached = objective("log_loss", X, signs, model.coef_[number], model.intercept_[number], ALPHA)
        assert model.objective_[number] == pytest.approx(reached, rel=SUMMATION)
        assert reached <= ONE_PERCENT * best


@pytest.mark.parametrize("l1_ratio", [0.4, 1.0])
def test_penalty_of_sizes_comes_within_a_percent_and_leaves_the_same_features(diabetes, l1_ratio):
    X, y = diabetes
    alpha = 0.05
    theirs = ElasticNet(alpha=alpha, l1_ratio=l1_ratio, tol=1e-8).fit(X, y)
    best = objective("squared_error", X, y, theirs.coef_, theirs.intercept_, alpha, l1_ratio)
    way = {**PATIENT, "alpha": alpha}
    model = SGDRegressor(penalty="elasticnet", l1_ratio=l1_ratio, **way).fit(X, y)
    assert model.objective_ == pytest.approx(
        objective("squared_error", X, y, model.coef_, model.intercept_, alpha, l1_ratio), rel=SUMMATION
    )
    assert best * (1 - 1e-6) <= model.objective_ <= ONE_PERCENT * best
    clear = np.abs(theirs.coef_) > 0.02
    assert np.all(model.coef_[clear] != 0)
    assert np.all(np.abs(model.coef_[theirs.coef_ == 0]) < 0.02)


def test_weights_count_as_repetitions_in_the_objective(diabetes):
    X, y = diabetes
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = SGDRegressor("squared_error", **PATIENT).fit(X, y, sample_weight=times)
    repeated = SGDRegressor("squared_error", **PATIENT).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.objective_ == pytest.approx(
        objective("squared_error", X, y, weighted.coef_, weighted.intercept_, ALPHA, weights=times), rel=SUMMATION
    )
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=0.01)


def test_balanced_classes_weigh_the_same(tumours):
    X, y = tumours
    shares = np.bincount(y) / len(y)
    balanced = SGDClassifier("log_loss", class_weight="balanced", **PATIENT).fit(X, y)
    named = SGDClassifier("log_loss", class_weight={k: 0.5 / shares[k] for k in (0, 1)}, **PATIENT).fit(X, y)
    np.testing.assert_allclose(balanced.coef_, named.coef_, atol=1e-9)
    signs = np.where(y == 1, 1.0, -1.0)
    weights = 0.5 / shares[y]
    assert balanced.objective_ == pytest.approx(
        objective("log_loss", X, signs, balanced.coef_, balanced.intercept_, ALPHA, weights=weights), rel=1e-9
    )
