"""Naive twins of the objectives that scales of features are learnt by: loops over rows, and machines refitted."""

import numpy as np


def weighted_square(x, z, weights):
    return float(sum(w * (a - b) ** 2 for w, a, b in zip(weights, x, z, strict=True)))


def soft_neighbours(X, targets, is_classes, weights):
    """The loss of rows that are left to the votes of the others, beside that of equal votes."""
    return _lost(X, targets, is_classes, weights) / _lost(X, targets, is_classes, np.zeros(X.shape[1]))


def _lost(X, targets, is_classes, weights):
    losses = []
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i]
        votes = np.array([np.exp(-weighted_square(X[i], X[j], weights)) for j in others])
        said = (votes / votes.sum()) @ targets[others]
        if is_classes:
            losses.append(-np.log(1 / len(X) + said[np.argmax(targets[i])]))
        else:
            losses.append(((said - targets[i]) ** 2).sum())
    return float(np.mean(losses))


def kernel(X, weights):
    return np.array([[np.exp(-weighted_square(x, z, weights)) for z in X] for x in X])


def left_out(X, targets, weights, noise):
    """The logarithm of the root mean square of the errors at each row of a machine that is solved anew without it."""
    K = kernel(X, weights) + 1
    errors = []
    for i in range(len(X)):
        others = np.delete(np.arange(len(X)), i)
        coef = np.linalg.solve(K[np.ix_(others, others)] + noise * np.eye(len(others)), targets[others])
        errors.append(((targets[i] - K[i, others] @ coef) ** 2).sum())
    return float(np.log(np.sqrt(np.mean(errors))))


def evidence(X, targets, weights, noise):
    """Minus the logarithm of the likelihood, a row and target, at the variance of the process that makes it largest."""
    n, columns = targets.shape
    A = kernel(X, weights) + 1 + noise * np.eye(n)

    def minus_log_likelihood(log_variance):
        covariance = np.exp(log_variance) * A
        fit = np.trace(targets.T @ np.linalg.solve(covariance, targets))
        return 0.5 * (fit + columns * np.linalg.slogdet(covariance)[1])

    from scipy.optimize import minimize_scalar

    best = minimize_scalar(minus_log_likelihood, bracket=(-2, 2), tol=1e-12).fun
    # What does not depend on the weights: the fit at the best variance is n · columns.
    return float((best - 0.5 * n * columns) / (n * columns))
