"""What must not matter to stochastic gradient descent, and what must: layouts, pieces, threads, seeds, precision."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale

from mercer import SGDClassifier, SGDRegressor
from mercer.solvers import DescentState, DescentTargets

# Sums of many steps in another order.
ORDER_OF_SUMS = 1e-9
# The rounding of the data to float32, carried through all passes.
FLOAT32 = 1e-4


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def passes(kind=SGDClassifier, **parameters):
    return kind(**{"alpha": 0.01, "max_iter": 4, "tol": None, "random_state": 0, **parameters})


def assert_same(model, other, atol=ORDER_OF_SUMS):
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=0, atol=atol)
    np.testing.assert_allclose(model.intercept_, other.intercept_, rtol=0, atol=atol)
    assert model.t_ == other.t_


@pytest.mark.parametrize("parameters", [{}, {"average": True}, {"penalty": "elasticnet"}, {"batch_size": 7}], ids=str)
@pytest.mark.parametrize("loss", ["hinge", "log_loss", "softmax"])
@pytest.mark.parametrize("layout", [sp.csr_matrix, sp.csc_matrix, sp.coo_array, np.asfortranarray])
def test_every_layout_gives_the_same_machine(digits, layout, loss, parameters):
    X, y = digits
    X, y = X[:300], y[:300]
    assert_same(passes(loss=loss, **parameters).fit(layout(X), y), passes(loss=loss, **parameters).fit(X, y))


def test_sparse_numbers_of_64_bits_are_taken(tumours):
    X, y = tumours
    wide = sp.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert_same(passes().fit(wide, y), passes().fit(X, y))


@pytest.mark.parametrize("loss", ["squared_error", "epsilon_insensitive"])
def test_float32_is_close_to_float64(tumours, loss):
    X, y = tumours
    single = passes(SGDRegressor, loss=loss).fit(X.astype(np.float32), y)
    assert_same(single, passes(SGDRegressor, loss=loss).fit(X, y), atol=FLOAT32)
    assert single.coef_.dtype == np.float64
    assert_same(single, passes(SGDRegressor, loss=loss).fit(sp.csr_matrix(X.astype(np.float32)), y))


@pytest.mark.parametrize("average", [False, True, 100])
@pytest.mark.parametrize("batch_size", [1, 10])
@pytest.mark.parametrize("loss", ["hinge", "softmax"])
def test_partial_fit_in_pieces_is_one_pass(digits, loss, batch_size, average):
    X, y = digits
    model = passes(loss=loss, max_iter=1, shuffle=False, batch_size=batch_size, average=average)
    whole = clone(model).fit(X[:500], y[:500])
    for first in range(0, 500, 100):
        piece = slice(first, first + 100)
        model.partial_fit(X[piece], y[piece], classes=range(10))
    assert_same(model, whole)
    assert model.n_iter_ == 1
    assert model.t_ == 1 + 500 / batch_size


def test_regressor_in_pieces_is_one_pass(tumours):
    X, y = tumours
    model = passes(SGDRegressor, max_iter=1, shuffle=False)
    whole = clone(model).fit(X[:400], y[:400])
    for first in range(0, 400, 50):
        model.partial_fit(X[first : first + 50], y[first : first + 50])
    assert_same(model, whole)


def test_partial_fit_goes_on_after_fit_and_after_a_pickle(tumours):
    X, y = tumours
    model = passes(average=True).fit(X, y)
    steps, coef = model.t_, model.coef_
    other = pickle.loads(pickle.dumps(model)).partial_fit(X, y)
    model.partial_fit(X, y)
    assert model.t_ == steps + len(X)
    np.testing.assert_array_equal(model.coef_, other.coef_)
    assert not np.array_equal(model.coef_, coef)
    assert not hasattr(model, "objective_")  # of rows that are no longer at hand


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "softmax"])
def test_same_seed_gives_the_same_bits_with_any_number_of_threads(digits, loss):
    X, y = digits
    one, two, four = (passes(loss=loss, n_jobs=n).fit(X, y) for n in (1, 2, 4))
    for other in (two, four):
        np.testing.assert_array_equal(one.coef_, other.coef_)
        np.testing.assert_array_equal(one.intercept_, other.intercept_)
        np.testing.assert_array_equal(one.objective_, other.objective_)
        np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_seed_decides_the_order_and_nothing_does_without_shuffle(tumours):
    X, y = tumours
    assert not np.array_equal(passes(random_state=0).fit(X, y).coef_, passes(random_state=1).fit(X, y).coef_)
    calm = [passes(random_state=seed, shuffle=False).fit(X, y).coef_ for seed in (0, 1)]
    np.testing.assert_array_equal(*calm)


def test_average_that_has_not_begun_is_the_last_weights(tumours):
    X, y = tumours
    np.testing.assert_array_equal(passes(average=10**6).fit(X, y).coef_, passes().fit(X, y).coef_)


def test_generator_of_numpy_is_a_seed_too(tumours):
    X, y = tumours
    first, second = (passes(random_state=np.random.RandomState(3)).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.coef_, second.coef_)


def test_zero_weight_is_the_same_as_leaving_the_row_out(tumours):
    X, y = tumours
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    left_out = passes().fit(X[weights > 0], y[weights > 0])
    weighted = passes().fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(weighted.coef_, left_out.coef_)
    assert weighted.objective_ == pytest.approx(left_out.objective_, rel=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "squared_error"])
def test_weight_k_is_the_same_as_k_rows_where_a_step_takes_all_of_them(tumours, loss):
    X, y = tumours
    times = np.random.default_rng(0).integers(0, 4, len(y))
    many = passes(loss=loss, learning_rate="constant", eta0=0.05, batch_size=10**6, max_iter=200)
    repeated = clone(many).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    weighted = many.fit(X, y, sample_weight=times)
    assert_same(weighted, repeated)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)


def test_scale_of_the_sample_weights_does_not_matter(tumours):
    X, y = tumours
    weights = np.random.default_rng(0).uniform(1, 2, len(y))
    np.testing.assert_allclose(
        passes().fit(X, y, sample_weight=1e-3 * weights).coef_,
        passes().fit(X, y, sample_weight=weights).coef_,
        atol=ORDER_OF_SUMS,
    )


def test_softmax_of_two_classes_is_logistic_regression_bit_by_bit(tumours):
    X, y = tumours
    softmax, logistic = passes(loss="softmax").fit(X, y), passes(loss="log_loss").fit(X, y)
    np.testing.assert_array_equal(softmax.coef_, logistic.coef_)
    np.testing.assert_array_equal(softmax.predict_proba(X), logistic.predict_proba(X))
    assert softmax.objective_ == logistic.objective_


def test_scores_for_both_of_two_classes_find_the_logistic_optimum_of_half_the_penalty(tumours):
    # Weights w/2 and −w/2 cost ¼‖w‖² together, so that alpha counts half; and their difference moves twice as fast.
    # Steps of all rows have no noise, and go to the optimum itself.
    X, y = tumours
    way = {"learning_rate": "constant", "batch_size": len(y), "max_iter": 6000}
    descent, _ = passes(loss="softmax", alpha=0.02, eta0=0.2, **way)._checked_parameters()
    targets = DescentTargets(y.astype(float), None, (-1,), functions=2)
    start = DescentState.at(np.zeros((2, X.shape[1])), np.zeros(2), 1)
    both = descent.descend(X, targets, None, None, start, [0], 1, np.inf, None).state.w.reshape(2, -1)
    logistic = passes(loss="log_loss", alpha=0.01, eta0=0.4, **way).fit(X, y)
    np.testing.assert_allclose(both[1] - both[0], np.append(logistic.coef_, logistic.intercept_), atol=ORDER_OF_SUMS)
    best = LogisticRegression(C=1 / (0.01 * len(y)), tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(logistic.coef_, best.coef_, atol=1e-4)


def test_fit_does_not_remember_an_earlier_one_without_warm_start(tumours):
    X, y = tumours
    model = passes().fit(X, y)
    coef = model.coef_
    np.testing.assert_array_equal(model.fit(X, y).coef_, coef)
    assert not np.array_equal(model.set_params(warm_start=True).fit(X, y).coef_, coef)


def test_warm_start_is_a_start_from_the_given_weights(tumours):
    X, y = tumours
    warm = passes(warm_start=True).fit(X, y)
    given = passes().fit(X, y, coef_init=warm.coef_, intercept_init=warm.intercept_)
    np.testing.assert_array_equal(warm.fit(X, y).coef_, given.coef_)


@pytest.mark.parametrize("second", ["other classes", "other features"])
def test_warm_start_on_other_data_is_a_cold_one(tumours, second):
    X, y = tumours
    X2, y2 = (X, y + 5) if second == "other classes" else (X[:, :-1], y)
    warm = passes(warm_start=True).fit(X, y).fit(X2, y2)
    np.testing.assert_array_equal(warm.coef_, passes().fit(X2, y2).coef_)
