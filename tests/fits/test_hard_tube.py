"""SVR with C = ∞: the flattest function within the tube, or an error that says there is none."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_regression

import mercer
from mercer import SVR, Status

TOL = 1e-3


def waves(n=120):
    x = np.linspace(0, 6, n)[:, None]
    return x, np.sin(x[:, 0]) * 3


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_every_target_is_within_the_tube(epsilon):
    X, y = waves()
    model = SVR(C=np.inf, epsilon=epsilon, gamma=1.0).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert np.abs(model.predict(X) - y).max() <= epsilon + 2 * TOL


def test_machine_is_that_of_every_C_above_its_coefficients():
    X, y = make_regression(random_state=1)
    hard = SVR(C=np.inf).fit(X, y)
    largest = np.abs(hard.dual_coef_).max()
    np.testing.assert_allclose(SVR(C=2 * largest).fit(X, y).predict(X), hard.predict(X), rtol=1e-6)
    assert not np.allclose(SVR(C=0.5 * largest).fit(X, y).predict(X), hard.predict(X), rtol=1e-3)


def test_certificate_is_about_the_flattest_function_and_certify_agrees():
    X, y = waves()
    model = SVR(C=np.inf, epsilon=0.1, gamma=1.0, tol=1e-6).fit(X, y)
    K = mercer.RBF(1.0)(X)
    c = np.zeros(len(y))
    c[model.support_] = model.dual_coef_[0]
    assert model.certificate_.dual == pytest.approx(0.5 * c @ K @ c, rel=1e-3)
    assert mercer.certify(model, X, y).primal == pytest.approx(model.certificate_.primal, rel=1e-6)
    assert mercer.certify(model, X, y).holds(1e-5)


def test_constant_targets_take_no_support_vector():
    X, _ = waves()
    model = SVR(C=np.inf).fit(X, np.full(len(X), 7.0))
    assert len(model.support_) == 0
    np.testing.assert_allclose(model.predict(X), 7.0, atol=0.1)


@pytest.mark.parametrize("case", ["a line", "the same row twice"])
def test_targets_that_no_function_meets_are_refused_with_a_bound(case):
    if case == "a line":
        X, y = load_diabetes(return_X_y=True)
        model = SVR(C=np.inf, kernel="linear")
    else:
        X, y = waves()
        X, y = np.vstack([X, X[:1]]), np.append(y, y[0] + 1)
        model = SVR(C=np.inf, gamma=1.0)
    with pytest.raises(mercer.InputError, match=r"C=inf expects a function.*½‖w‖² above \d.*Use a finite C"):
        model.fit(X[:100] if case == "a line" else X, y[:100] if case == "a line" else y)


def test_weights_do_not_count_but_absence_does():
    X, y = waves(60)
    weights = np.random.default_rng(0).uniform(0.1, 5, size=60)
    plain = SVR(C=np.inf, gamma=1.0).fit(X, y)
    np.testing.assert_array_equal(SVR(C=np.inf, gamma=1.0).fit(X, y, weights).dual_coef_, plain.dual_coef_)
    broken = np.append(y, 1e6)
    model = SVR(C=np.inf, gamma=1.0).fit(np.vstack([X, X[:1]]), broken, np.append(np.ones(60), 0.0))
    np.testing.assert_allclose(model.predict(X), plain.predict(X), atol=2 * TOL)


def test_step_limit_ends_it():
    X, y = waves()
    with pytest.warns(mercer.UnsolvedWarning, match=r"max_iter=5"):
        model = SVR(C=np.inf, gamma=1.0, max_iter=5).fit(X, y)
    assert model.status_ is Status.ITERATION_LIMIT
