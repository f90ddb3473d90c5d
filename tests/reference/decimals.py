"""Kernel values and sums with sixty decimal digits, one number at a time: nothing that float64 rounds is lost.

Matrices are lists of rows. Coefficients are float64 numbers, or pairs of arrays whose sums they are.
"""

from decimal import Decimal, localcontext

import numpy as np

DIGITS = 60


def exact(numbers):
    """float64 numbers as decimals, which hold them exactly."""
    return [Decimal(x) for x in np.ravel(numbers).tolist()]


def kernel_value(name, x, z, gamma=1.0, coef0=0.0, degree=1):
    """One value of rows of decimals."""
    gamma, coef0 = Decimal(float(gamma)), Decimal(float(coef0))
    with localcontext(prec=DIGITS):
        if name == "rbf":
            return (-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True))).exp()
        if name == "laplacian":
            return (-gamma * sum(abs(a - b) for a, b in zip(x, z, strict=True))).exp()
        dot = sum((a * b for a, b in zip(x, z, strict=True)), Decimal(0))
        if name == "linear":
            return dot
        inner = gamma * dot + coef0
        if name == "poly":
            return inner**degree if degree else Decimal(1)
        if name == "sigmoid":
            up, down = inner.exp(), (-inner).exp()
            return (up - down) / (up + down)
    raise ValueError(name)


def matrix(name, X, Z=None, **parameters):
    rows, columns = ([exact(row) for row in np.asarray(part, float)] for part in (X, X if Z is None else Z))
    return [[kernel_value(name, x, z, **parameters) for z in columns] for x in rows]


def total(*parts):
    """The sum of float64 numbers, whatever arrays they are in."""
    with localcontext(prec=DIGITS):
        return sum((x for part in parts for x in exact(part)), Decimal(0))


def products(K, high, low=None):
    """Σ_j c_j K_ij of every row, with c = high + low."""
    with localcontext(prec=DIGITS):
        c = exact(high) if low is None else [a + b for a, b in zip(exact(high), exact(low), strict=True)]
        return [sum((a * b for a, b in zip(row, c, strict=True)), Decimal(0)) for row in K]


def gain(slope, c):
    """slopeᵀc of arrays of float64."""
    with localcontext(prec=DIGITS):
        return sum((a * b for a, b in zip(exact(slope), exact(c), strict=True)), Decimal(0))


def rounded(decimals):
    return np.array([float(x) for x in decimals])
