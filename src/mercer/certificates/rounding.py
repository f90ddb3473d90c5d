"""How far rounding can have moved the sums Σ_j c_j k(x_j, x_i) that a certificate rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mercer.problems import Groups
from mercer.rows import Rows
from mercer.typing import Floats, Integers

__all__ = ["accuracy_of_products", "accuracy_bound", "accuracy_of_rounded"]

# Kernel values whose relative error is below this many units need no closer look.
_ORDINARY = 1e4

# Half of one of a product, of the difference to a slope, and of that to an offset.
_ROUNDINGS = 1.5

_EPS = float(np.finfo(np.float64).eps)


def accuracy_of_products(
    rows: Rows,
    members: Sequence[Integers],
    groups: Groups,
    coef: Floats,
    slope: Floats,
    threads: int,
    enough: float = 0.0,
) -> Floats:
    """A bound on the rounding error of the products at the rows of each group and of what they leave of the slopes.

    One value a group.

    A kernel value k_ij is off by (r_i + r_j) eps relative to the magnitudes of both rows, and for kernels of the
    distance relative to k_ij itself: rows far out have large r but tiny values, so a closer look takes the sums with
    the values where the first bound is above what is `enough`. What is true of one term of a sum of kernels is not true
    of another, so each is looked at by itself.
    """
    size, chosen = np.abs(coef), np.concatenate(members)
    of_sum = groups.spread(np.sqrt(groups.count(coef != 0)) + 8)
    error = groups.max(np.abs(slope))

    def expanded(term: Rows, weights: Floats) -> Floats:
        return np.concatenate(term.expand(members, members, groups.split(weights), threads))

    for term in rows.terms:
        rounding, scale = term.rounding[chosen], term.magnitude[chosen]
        of_term = groups.max(scale * (rounding + of_sum)) * groups.sum(size * scale)
        of_term += groups.max(scale) * groups.sum(size * scale * rounding)
        if term.is_computed and _EPS * np.max(of_term) > enough and np.max(rounding) > _ORDINARY:
            plain, weighted = expanded(term, size), expanded(term, size * rounding)
            of_term = groups.max((rounding + of_sum) * np.abs(plain) + np.abs(weighted))
        error += of_term
    return _EPS * error


def accuracy_bound(rows: Rows, terms: int, size: float, slope: float) -> float:
    """No less than the accuracy of sums of so many terms with Σ |coef| ≤ `size`, and of their differences to slopes.

    For definite kernels. Quick, and loose: it looks at the diagonal only.
    """
    units = 2 * rows.rounding_bound + math.sqrt(terms) + 8
    return _EPS * units * (slope + size * float(rows.diagonal.max()))


def accuracy_of_rounded(groups: Groups, products: Floats, slope: Floats) -> Floats:
    """The same of products that were rounded once, from sums in twice the precision."""
    return np.asarray(_ROUNDINGS * _EPS * groups.max(np.abs(products) + np.abs(slope)))
