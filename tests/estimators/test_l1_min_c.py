"""The least price at which absolute prices leave a weight: scikit-learn's number, and what machines do around it."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from mercer import InputError, LinearSVC, ParameterError, l1_min_c


@pytest.mark.parametrize("scaling", [1.0, 30.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("loss", ["squared_hinge", "log"])
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix, sp.csc_array, lambda X: X.tolist()])
def test_answer_is_scikit_learns(layout, labels, loss, fit_intercept, scaling):
    X, y = load_iris(return_X_y=True)
    X, y = layout(X[y < labels] - 3.0), np.array(["a", "b", "c"])[y[y < labels]]
    given = {"loss": loss, "fit_intercept": fit_intercept, "intercept_scaling": scaling}
    assert l1_min_c(X, y, **given) == pytest.approx(sklearn.svm.l1_min_c(X, y, **given), rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), classes=st.integers(2, 4), fit_intercept=st.booleans(), scaling=st.floats(0.1, 10))
def test_below_it_all_weights_are_zero_and_above_it_some_are_not(seed, classes, fit_intercept, scaling):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 5)), rng.integers(0, classes, 40)
    assume(len(np.unique(y)) == classes)
    shared = {"fit_intercept": fit_intercept, "intercept_scaling": scaling}
    least = l1_min_c(X, y, **shared)

    def weights(C):
        # A gap of a share of the objective hides weights that gain less than it.
        model = LinearSVC(penalty="l1", C=C, tol=1e-9, **shared).fit(X, y)
        return np.append(model.coef_, model.intercept_)

    assert not np.any(weights(0.99 * least))
    assert np.any(weights(1.01 * least))


@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_bound_of_the_logistic_loss_is_that_of_logistic_regression(factor):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < 2], y[y < 2]
    least = l1_min_c(X, y, loss="log", fit_intercept=False)
    # From 1.8 on scikit-learn's l1_ratio says it alone.
    named = inspect.signature(LogisticRegression).parameters["penalty"].default == "l2"
    shrunk = {"penalty": "l1"} if named else {"l1_ratio": 1.0}
    model = LogisticRegression(**shrunk, solver="liblinear", C=factor * least, fit_intercept=False, tol=1e-8)
    assert np.any(model.fit(X, y).coef_) == (factor > 1)


def test_what_it_cannot_answer_is_refused():
    X, y = np.array([[1.0], [1.0]]), [0, 1]
    with pytest.raises(InputError, match=r"Ill-posed.*expected a feature"):
        l1_min_c(X, y)
    with pytest.raises(InputError, match="got 1 class"):
        l1_min_c(X, [1, 1])
    with pytest.raises(ValueError, match="inconsistent"):
        l1_min_c(X, [0, 1, 1])
    for bad, message in (
        ({"loss": "hinge"}, "loss: expected one of 'squared_hinge', 'log'"),
        ({"fit_intercept": "yes"}, "fit_intercept: expected True or False"),
        ({"intercept_scaling": 0.0}, "intercept_scaling: expected a finite number > 0"),
    ):
        with pytest.raises(ParameterError, match=message):
            l1_min_c(np.array([[1.0], [2.0]]), y, **bad)
