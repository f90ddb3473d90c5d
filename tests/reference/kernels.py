"""Each kernel as one formula on one pair of rows."""

import math

import numpy as np
import scipy.sparse as sp


def dot(x, z):
    return math.fsum(a * b for a, b in zip(x, z, strict=True))


def linear():
    return dot


def polynomial(degree, gamma, coef0):
    return lambda x, z: (gamma * dot(x, z) + coef0) ** degree


def general_polynomial(alpha, beta, gamma):
    return lambda x, z: (dot(x, z) / alpha + beta) ** gamma


def sigmoid(gamma, coef0):
    return lambda x, z: math.tanh(gamma * dot(x, z) + coef0)


def rbf(gamma):
    return lambda x, z: math.exp(-gamma * math.fsum((a - b) ** 2 for a, b in zip(x, z, strict=True)))


def laplacian(gamma):
    return lambda x, z: math.exp(-gamma * math.fsum(abs(a - b) for a, b in zip(x, z, strict=True)))


def weighted_rbf(gammas):
    return lambda x, z: math.exp(-math.fsum(g * (a - b) ** 2 for g, a, b in _together(gammas, x, z)))


def weighted_laplacian(gammas):
    return lambda x, z: math.exp(-math.fsum(g * abs(a - b) for g, a, b in _together(gammas, x, z)))


def _together(gammas, x, z):
    """The gammas over and over, as many as there are features."""
    return ((gammas[j % len(gammas)], a, b) for j, (a, b) in enumerate(zip(x, z, strict=True)))


def constant(value):
    return lambda x, z: value


def total(left, right):
    return lambda x, z: left(x, z) + right(x, z)


def product(left, right):
    return lambda x, z: left(x, z) * right(x, z)


def scaled(factor, kernel):
    return lambda x, z: factor * kernel(x, z)


def gram(kernel, X, Z=None):
    """The matrix of values, one pair at a time; sparse rows are written out first."""
    X, Z = _listed(X), _listed(X if Z is None else Z)
    return np.array([[kernel(x, z) for z in Z] for x in X])


def _listed(X):
    return (X.toarray() if sp.issparse(X) else np.asarray(X)).astype(np.float64).tolist()
