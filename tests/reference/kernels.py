"""Each kernel as one formula on one pair of rows."""

import math

import numpy as np
import scipy.sparse as sp
from scipy import special


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


def distance(x, z, gammas=(1.0,)):
    """The distance in length scales, where each feature's is (2 gamma)^(-1/2)."""
    return math.sqrt(2 * math.fsum(g * (a - b) ** 2 for g, a, b in _together(gammas, x, z)))


def matern(nu, gammas):
    """By its general formula with Bessel's function."""

    def value(x, z):
        r = math.sqrt(2 * nu) * distance(x, z, gammas)
        return 2 ** (1 - nu) / math.gamma(nu) * r**nu * special.kv(nu, r) if r > 0 else 1.0

    return value


def rational_quadratic(alpha, gammas):
    return lambda x, z: (1 + distance(x, z, gammas) ** 2 / (2 * alpha)) ** -alpha


def periodic(period, length_scale):
    return lambda x, z: math.exp(-2 * (math.sin(math.pi * math.dist(x, z) / period) / length_scale) ** 2)


def white(noise):
    return lambda x, z: noise if list(x) == list(z) else 0.0


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
