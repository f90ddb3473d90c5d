"""The closed forms of leave-one-out against really leaving each row out."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge

from mercer import RBF, InputError, ParameterError, Polynomial, Sigmoid
from mercer.inspection import leave_one_out_residuals

# Two ways to the same numbers, through systems whose condition is some thousands.
ROUNDING = 1e-8


def left_out(fit_and_predict, n):
    """The residual of each row under the fit to all others."""
    return np.array([fit_and_predict(np.delete(np.arange(n), i), i) for i in range(n)])


@pytest.fixture
def rows(random):
    X = random.normal(size=(25, 4)) + 5.0
    return X, X @ [1.0, -2.0, 0.5, 0.0] + random.normal(size=25)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_residuals_are_those_of_refitting_without_each_row(ridge, intercept, rows):
    X, y = rows

    def residual(others, i):
        model = Ridge(alpha=ridge, fit_intercept=intercept) if ridge else LinearRegression(fit_intercept=intercept)
        return y[i] - model.fit(X[others], y[others]).predict(X[[i]])[0]

    got = leave_one_out_residuals(X, y, ridge, intercept)
    np.testing.assert_allclose(got, left_out(residual, len(y)), rtol=ROUNDING, atol=ROUNDING)


def test_residuals_of_more_features_than_rows_need_a_ridge(random):
    X, y = random.normal(size=(8, 20)), random.normal(size=8)
    with pytest.raises(InputError, match="ridge > 0"):
        leave_one_out_residuals(X, y)

    def residual(others, i):
        return y[i] - Ridge(alpha=0.3).fit(X[others], y[others]).predict(X[[i]])[0]

    np.testing.assert_allclose(leave_one_out_residuals(X, y, 0.3), left_out(residual, 8), rtol=ROUNDING)


def test_row_that_alone_decides_a_feature_is_named(rows):
    X, y = rows
    alone = np.column_stack([X, np.arange(25) == 6])
    with pytest.raises(InputError, match="row 6"):
        leave_one_out_residuals(alone, y)


def test_collinear_features_change_nothing(rows):
    X, y = rows
    doubled = np.column_stack([X, X[:, 0] - X[:, 1]])
    np.testing.assert_allclose(leave_one_out_residuals(doubled, y), leave_one_out_residuals(X, y), rtol=ROUNDING)


@pytest.mark.parametrize("kernel", [RBF(0.2), Polynomial(2, 0.1, 1.0)], ids=str)
def test_kernel_residuals_without_intercept_are_those_of_kernel_ridge(kernel, rows):
    X, y = rows
    K = kernel(X)

    def residual(others, i):
        model = KernelRidge(alpha=0.5, kernel="precomputed").fit(K[np.ix_(others, others)], y[others])
        return y[i] - model.predict(K[np.ix_([i], others)])[0]

    expected = left_out(residual, len(y))
    np.testing.assert_allclose(leave_one_out_residuals(X, y, 0.5, False, kernel=kernel), expected, rtol=1e-6)
    got = leave_one_out_residuals(K, y, 0.5, False, kernel="precomputed")
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_kernel_residuals_with_intercept_are_those_of_the_bordered_system(rows):
    X, y = rows
    K = RBF(0.2)(X)

    def residual(others, i):
        n = len(others)
        ones = np.ones((n, 1))
        system = np.block([[K[np.ix_(others, others)] + 0.5 * np.eye(n), ones], [ones.T, 0.0]])
        solution = np.linalg.solve(system, np.append(y[others], 0.0))
        return y[i] - K[i, others] @ solution[:-1] - solution[-1]

    got = leave_one_out_residuals(X, y, 0.5, kernel=RBF(0.2))
    np.testing.assert_allclose(got, left_out(residual, len(y)), rtol=1e-6)


def test_linear_kernel_is_ridge_on_the_features(rows):
    X, y = rows
    through_kernel = leave_one_out_residuals(X, y, 0.5, kernel="linear")
    np.testing.assert_allclose(through_kernel, leave_one_out_residuals(X, y, 0.5), rtol=1e-7)


def test_what_cannot_be_left_out_is_refused(rows):
    X, y = rows
    with pytest.raises(ParameterError, match="ridge: expected a finite number ≥ 0"):
        leave_one_out_residuals(X, y, -1.0)
    with pytest.raises(ParameterError, match="positive semi-definite"):
        leave_one_out_residuals(X - 5, y, 1.0, kernel=Sigmoid(1.0, -1.0))
    with pytest.raises(ValueError, match="NaN"):
        leave_one_out_residuals(np.full((3, 1), np.nan), y[:3])
    with pytest.raises(InputError, match="1 of 1 rows"):
        leave_one_out_residuals(X[:1], y[:1])
