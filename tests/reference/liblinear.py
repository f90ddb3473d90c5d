"""The optima of LIBLINEAR, and the objectives of its problems by their formulas."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC


def _fitted(X, y, weights, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)
        return LinearSVC(tol=1e-10, random_state=0, **parameters).fit(X, y, sample_weight=weights)


def lasso(X, y, C, weights=None, intercept=True, scaling=1.0):
    """Weights with the offset column's behind them."""
    model = _fitted(
        X, y, weights, penalty="l1", dual=False, C=C, fit_intercept=intercept, intercept_scaling=scaling, max_iter=20000
    )
    return np.append(model.coef_[0], model.intercept_ / scaling) if intercept else model.coef_[0]


def crammer_singer(X, y, C, weights=None):
    """Weights of the classes, with the offset column's behind them."""
    model = _fitted(X, y, weights, multi_class="crammer_singer", C=C, max_iter=200000)
    return np.hstack([model.coef_, model.intercept_[:, None]])


def with_column(X, offset):
    """The features and the offset column, dense."""
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
    return np.hstack([X, np.full((len(X), 1), offset)]) if offset else X


def lasso_primal(X, signs, bounds, w, offset=1.0, free=False):
    price = np.abs(w[:-1] if free else w).sum()
    return price + bounds @ np.maximum(0, 1 - signs * (with_column(X, offset) @ w)) ** 2


def lasso_dual(X, signs, bounds, coef, offset=1.0, free=False):
    """The dual objective; asserts that the point is feasible, up to the rounding of its sums."""
    sums = coef @ with_column(X, offset)
    rounding = 1e-12 * (np.abs(coef) @ np.abs(with_column(X, offset)))
    assert np.all(coef * signs >= 0)
    if free:
        assert abs(sums[-1]) <= rounding[-1]
    priced = slice(None, -1) if free else slice(None)
    assert np.all(np.abs(sums[priced]) <= 1 + rounding[priced])
    counts = bounds > 0
    return coef @ signs - (coef[counts] ** 2 / (4 * bounds[counts])).sum()


def crammer_singer_objectives(X, labels, bounds, W, alpha=None, offset=1.0):
    """Primal, and with `alpha` dual objective; asserts that it is feasible and makes up W."""
    columns = with_column(X, offset)
    own = np.arange(len(W)) == labels[:, None]
    values = columns @ W.T + ~own
    primal = (W**2).sum() / 2 + bounds @ (values.max(axis=1) - values[own])
    if alpha is None:
        return primal
    assert np.all(alpha <= np.where(own, bounds[:, None], 0))
    np.testing.assert_allclose(alpha.sum(axis=1), 0, atol=1e-13 * bounds.max())
    np.testing.assert_allclose(W, alpha.T @ columns, rtol=1e-7, atol=1e-9)
    return primal, -((alpha.T @ columns) ** 2).sum() / 2 - alpha[~own].sum()
