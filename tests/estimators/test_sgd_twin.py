"""Every pass of the descent is that of a naive twin: each loss, each rate, batches, averages, penalties, orders."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model

from mercer import SGDClassifier, SGDRegressor
from mercer._runtime import core
from mercer.solvers import DescentState, DescentTargets, GradientDescent
from tests.reference.sgd import Descent, objective

# Sums of some hundred steps in another order.
ORDER_OF_SUMS = 1e-10

OF_NUMBERS = ["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]
OF_SIGNS = ["hinge", "squared_hinge", "log_loss", "modified_huber", "perceptron", *OF_NUMBERS]
RATES = {
    "constant": {"eta0": 0.05},
    "optimal": {},
    "invscaling": {"eta0": 0.3, "power_t": 0.4},
    "adaptive": {"eta0": 0.02},
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((75, 6)) / 2
    return X, X[:, 0] - X[:, 1] + 0.4 * rng.standard_normal(75)


def fitted(model, X, y, **parameters):
    """After passes of which none is judged, with what they came to: one function a row, its intercept last."""
    model = model(tol=None, shuffle=False, **parameters).fit(X, y)
    return np.column_stack([np.atleast_2d(model.coef_), model.intercept_])


@pytest.mark.filterwarnings("ignore::mercer.NumericsWarning")  # three passes promise nothing
@pytest.mark.parametrize("batch_size", [1, 8, 75, 1000])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("loss", OF_SIGNS)
def test_classifier_is_its_twin(rows, simd_level, loss, rate, batch_size):
    X, y = rows
    parameters = {"alpha": 0.05, "learning_rate": rate, "batch_size": batch_size, **RATES[rate]}
    ours = fitted(SGDClassifier, X, y > 0, loss=loss, max_iter=3, **parameters)
    theirs, _ = Descent(loss, **parameters).run(X, np.where(y > 0, 1.0, -1.0), passes=3)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ORDER_OF_SUMS * max(1, np.abs(theirs).max()))


@pytest.mark.filterwarnings("ignore::mercer.NumericsWarning")
@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("loss", OF_NUMBERS)
def test_regressor_is_its_twin(rows, loss, rate, batch_size):
    X, y = rows
    parameters = {"alpha": 0.05, "learning_rate": rate, "batch_size": batch_size, "epsilon": 0.2, **RATES[rate]}
    ours = fitted(SGDRegressor, X, y, loss=loss, max_iter=2, **parameters)
    theirs, _ = Descent(loss, **parameters).run(X, y, passes=2)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ORDER_OF_SUMS)


@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize("rate", RATES)
def test_softmax_is_its_twin(rows, rate, batch_size):
    X, y = rows
    classes = np.digitize(y, [-0.3, 0.3])
    parameters = {"alpha": 0.05, "learning_rate": rate, "batch_size": batch_size, **RATES[rate]}
    ours = fitted(SGDClassifier, X, classes, loss="softmax", max_iter=3, **parameters)
    theirs, _ = Descent("softmax", **parameters).run(X, classes, functions=3, passes=3)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ORDER_OF_SUMS)


def test_classes_against_the_rest_are_their_twins(rows):
    X, y = rows
    classes = np.digitize(y, [-0.3, 0.3])
    ours = fitted(SGDClassifier, X, classes, loss="log_loss", alpha=0.05, max_iter=3)
    for number in range(3):
        theirs, _ = Descent("log_loss", alpha=0.05).run(X, np.where(classes == number, 1.0, -1.0), passes=3)
        np.testing.assert_allclose(ours[[number]], theirs, rtol=0, atol=ORDER_OF_SUMS)


@pytest.mark.parametrize("average", [1, 40, 100])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_average_is_that_of_the_twin(rows, layout, average):
    X, y = rows
    ours = fitted(SGDClassifier, layout(X), y > 0, loss="hinge", alpha=0.05, max_iter=3, average=average)
    _, theirs = Descent("hinge", alpha=0.05, average=average).run(X, np.where(y > 0, 1.0, -1.0), passes=3)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ORDER_OF_SUMS)


@pytest.mark.filterwarnings("ignore::mercer.NumericsWarning")
@pytest.mark.parametrize("columns", [6, 300], ids=["few columns", "many columns"])
@pytest.mark.parametrize(("penalty", "share"), [("l1", 1.0), ("elasticnet", 0.3)])
@pytest.mark.parametrize("average", [0, 10])
def test_penalty_of_sizes_is_that_of_the_twin(rows, penalty, share, columns, average):
    X = np.random.default_rng(1).standard_normal((75, columns)) / 4
    y = rows[1]
    parameters = {"alpha": 0.2, "l1_ratio": share, "learning_rate": "invscaling", "eta0": 0.2}
    ours = fitted(
        SGDClassifier, X, y > 0, loss="log_loss", penalty=penalty, max_iter=3, average=average or False, **parameters
    )
    twin = Descent("log_loss", average=average, **parameters)
    last, mean = twin.run(X, np.where(y > 0, 1.0, -1.0), passes=3)
    theirs = mean if average else last
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ORDER_OF_SUMS)
    assert np.count_nonzero(last) < last.size
    np.testing.assert_array_equal(ours == 0, theirs == 0)


def test_without_penalty_alpha_sets_the_rate_only(rows):
    X, y = rows
    ours = fitted(SGDRegressor, X, y, penalty=None, max_iter=2, learning_rate="invscaling", eta0=0.1, power_t=0.25)
    theirs, _ = Descent("squared_error", alpha=0.0, learning_rate="invscaling", eta0=0.1, power_t=0.25).run(
        X, y, passes=2
    )
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ORDER_OF_SUMS)


def test_without_intercept_there_is_none(rows):
    X, y = rows
    ours = fitted(SGDClassifier, X, y > 0, alpha=0.05, fit_intercept=False, max_iter=2)
    theirs, _ = Descent("hinge", alpha=0.05, fit_intercept=False).run(X, np.where(y > 0, 1.0, -1.0), passes=2)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ORDER_OF_SUMS)
    assert ours[0, -1] == 0


def test_order_is_that_of_the_twins_shuffle(rows):
    X, y = rows
    descent = GradientDescent(
        loss="log_loss",
        epsilon=0.1,
        l2=0.01,
        l1=0.0,
        alpha=0.01,
        rate="optimal",
        eta0=0.01,
        power_t=0.5,
        batch_size=4,
        passes=3,
        tol=-np.inf,
        patience=5,
        average=0,
        fit_intercept=True,
        shuffle=True,
    )
    targets = DescentTargets((y > 0).astype(float), None, (1,))
    start = DescentState.at(np.zeros((1, 6)), np.zeros(1), 1)
    reached = descent.descend(X, targets, None, None, start, [2**40 + 5], 1, np.inf, None)
    twin = Descent("log_loss", alpha=0.01, batch_size=4)
    theirs, _ = twin.run(X, np.where(y > 0, 1.0, -1.0), passes=3, seed=2**40 + 5)
    np.testing.assert_allclose(reached.state.w, theirs, rtol=0, atol=ORDER_OF_SUMS)
    unshuffled, _ = twin.run(X, np.where(y > 0, 1.0, -1.0), passes=3)
    assert np.abs(unshuffled - theirs).max() > 1e-4


def test_weights_multiply_the_steps_of_partial_fit(rows):
    X, y = rows
    weights = np.random.default_rng(2).uniform(0.5, 2, 75)
    model = SGDClassifier("hinge", alpha=0.05, shuffle=False, class_weight={False: 1.0, True: 3.0})
    model.partial_fit(X, y > 0, classes=[False, True], sample_weight=weights)
    theirs, _ = Descent("hinge", alpha=0.05).run(
        X, np.where(y > 0, 1.0, -1.0), weights=weights * np.where(y > 0, 3.0, 1.0)
    )
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), theirs[0], rtol=0, atol=ORDER_OF_SUMS)


def test_fit_divides_by_the_mean_weight_of_the_samples_but_not_of_the_classes(rows):
    X, y = rows
    weights = np.random.default_rng(2).uniform(0.5, 2, 75)
    model = SGDClassifier(
        "hinge", alpha=0.05, shuffle=False, class_weight={False: 1.0, True: 3.0}, tol=None, max_iter=2
    )
    model.fit(X, y > 0, sample_weight=1e300 * weights)
    weights = weights / weights.mean() * np.where(y > 0, 3.0, 1.0)
    theirs, _ = Descent("hinge", alpha=0.05).run(X, np.where(y > 0, 1.0, -1.0), passes=2, weights=weights)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), theirs[0], rtol=0, atol=ORDER_OF_SUMS)


@pytest.mark.parametrize("loss", ["hinge", "softmax"])
def test_weights_of_several_classes_are_those_of_their_own_function_or_of_their_rows(rows, loss):
    X, y = rows
    classes = np.digitize(y, [-0.3, 0.3])
    by_class = np.array([0.5, 1.0, 3.0])
    model = SGDClassifier(loss, alpha=0.05, shuffle=False, class_weight=dict(enumerate(by_class)), tol=None, max_iter=2)
    model.fit(X, classes)
    ours = np.column_stack([model.coef_, model.intercept_])
    if loss == "softmax":
        theirs, _ = Descent(loss, alpha=0.05).run(X, classes, functions=3, passes=2, weights=by_class[classes])
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=ORDER_OF_SUMS)
        return
    for number in range(3):
        signs = np.where(classes == number, 1.0, -1.0)
        weights = np.where(classes == number, by_class[number], 1.0)
        theirs, _ = Descent(loss, alpha=0.05).run(X, signs, passes=2, weights=weights)
        np.testing.assert_allclose(ours[[number]], theirs, rtol=0, atol=ORDER_OF_SUMS)
        mean = objective(loss, X, signs, theirs[0, :-1], theirs[0, -1], 0.0, weights=weights) * weights.mean()
        assert model.objective_[number] == pytest.approx(mean + 0.025 * np.square(theirs[0, :-1]).sum(), rel=1e-9)


def test_softmax_of_two_scores_of_which_one_is_zero_has_the_gradient_of_the_logistic(rows):
    X, y = rows
    data = core.Data.dense(X)
    labels = (y > 0).astype(float)
    w = np.random.default_rng(3).standard_normal((1, 7))

    def step(loss, functions, positive, start):
        options = core.SgdOptions(
            loss, 0.1, 0.0, 0.0, core.SgdRate.CONSTANT, 1.0, 1.0, 0.5, len(X), 1, -np.inf, 5, 0, True, False, 0.0, False
        )
        known = core.KnownRows(data, None, labels, None)
        return core.descend(
            known,
            None,
            [positive],
            [(1.0, 1.0)],
            functions,
            start,
            np.zeros_like(start),
            [0],
            [0],
            options,
            1,
            np.inf,
            None,
        )[0]

    logistic = step(core.SgdLoss.LOGISTIC, 1, 1, w) - w
    start = np.concatenate([np.zeros((1, 7)), w], axis=1)
    both = step(core.SgdLoss.SOFTMAX, 2, -1, start) - start
    np.testing.assert_allclose(both[0, 7:], logistic[0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(both[0, :7], -logistic[0], rtol=0, atol=1e-14)


@pytest.mark.filterwarnings("ignore::mercer.NumericsWarning")
@pytest.mark.parametrize("loss", OF_SIGNS)
def test_steps_in_the_order_of_the_rows_are_scikit_learns(rows, loss):
    X, y = rows
    way = {"alpha": 0.05, "learning_rate": "constant", "eta0": 0.05, "max_iter": 4, "tol": None, "shuffle": False}
    ours, theirs = (kind(loss, **way).fit(X, y > 0) for kind in (SGDClassifier, sklearn.linear_model.SGDClassifier))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=ORDER_OF_SUMS)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=0, atol=ORDER_OF_SUMS)


@pytest.mark.parametrize("epsilon", [0.1, 0.7])
@pytest.mark.parametrize("loss", OF_NUMBERS)
def test_steps_of_regression_in_the_order_of_the_rows_are_scikit_learns(rows, loss, epsilon):
    X, y = rows
    way = {"epsilon": epsilon, "learning_rate": "constant", "eta0": 0.05, "max_iter": 4, "tol": None, "shuffle": False}
    ours, theirs = (kind(loss, **way).fit(X, y) for kind in (SGDRegressor, sklearn.linear_model.SGDRegressor))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=ORDER_OF_SUMS)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=0, atol=ORDER_OF_SUMS)
