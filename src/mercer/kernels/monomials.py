"""Kernels as sums of monomials, and the explicit maps that follow.

Where k(x, z) = Σ weight · Π γ x_j z_j with weights ≥ 0, the features √weight · Π √γ x_j have the kernel as their dot
product. All such sums grow out of one formula, the multinomial theorem:

    (γ xᵀz)^k / k! = Σ over |a| = k of Π (γ x_j z_j)^a_j / a_j!
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mercer.data import core_ready, is_sparse

__all__ = ["Term", "count_monomials", "map_features", "name_feature", "power_terms"]

# Numbers in names have six digits; a number that differs from those by rounding only is shown as it is.
_ROUNDING = 1e-12


class Term(NamedTuple):
    """weight · exp(−decay ‖x‖²) exp(−decay ‖z‖²) · Π γ x_j z_j over the pairs (j, γ) of `factors`.

    Each variable keeps its own γ: the power of a tiny γ may be no number where that of √γ x_j is one. A decay for each
    variable stands for exp(−Σ decay_j x_j²).
    """

    weight: float
    factors: tuple[tuple[int, float], ...] = ()
    decay: float | tuple[float, ...] = 0.0

    def times(self, other: Term) -> Term:
        decay = np.add(self.decay, other.decay).tolist()
        decay = tuple(decay) if isinstance(decay, list) else decay
        return Term(self.weight * other.weight, self.factors + other.factors, decay)


def count_monomials(variables: int, degree: int) -> int:
    """Monomials of exactly this degree."""
    return math.comb(variables + degree - 1, degree) if variables else int(degree == 0)


def power_terms(
    variables: Sequence[tuple[int, float]], degree: int, ways: int = 1, weight: float = 1.0
) -> Iterator[Term]:
    """weight · ways · (Σ γ_j x_j z_j)^degree / degree! over variables (j, γ_j), one term a monomial."""
    for factors in combinations_with_replacement(variables, degree):
        repeats = math.prod(math.factorial(count) for count in Counter(factors).values())
        # Whole numbers are divided first, so that multinomial coefficients are exact.
        yield Term(weight * (ways / repeats), factors)


def map_features(terms: Sequence[Term], X: Any) -> Any:
    """The features of the terms at every row; sparse where X is and no feature is a product of variables."""
    if is_sparse(X):
        if all(len(term.factors) <= 1 and term.decay == 0 for term in terms):
            return _map_sparsely(terms, X)
        X = X.toarray()
    X = np.asarray(X, dtype=np.float64)
    gammas = {gamma for term in terms for _, gamma in term.factors}
    columns = {gamma: math.sqrt(gamma) * X.T for gamma in gammas}
    damping = {decay: _damping(X, decay) for decay in {term.decay for term in terms}}
    found = np.empty((X.shape[0], len(terms)))
    for k, term in enumerate(terms):
        # What is damped to nothing stays so, however large the powers that follow.
        value: Any = math.sqrt(term.weight) * damping[term.decay]
        for j, gamma in term.factors:
            value = value * columns[gamma][j]
        found[:, k] = value
    return found


def _damping(X: Any, decay: float | tuple[float, ...]) -> Any:
    """exp(−decay ‖x‖²) of every row."""
    if isinstance(decay, tuple):
        return np.exp(-np.einsum("ij,ij,j->i", X, X, decay))
    return np.exp(-decay * np.einsum("ij,ij->i", X, X)) if decay else 1.0


def _map_sparsely(terms: Sequence[Term], X: Any) -> Any:
    """[X 1] times the matrix that takes each term's variable, or the one, as often as it counts."""
    taken = [term.factors[0][0] if term.factors else X.shape[1] for term in terms]
    roots = [math.sqrt(term.weight) * math.prod(math.sqrt(gamma) for _, gamma in term.factors) for term in terms]
    choice = sp.csr_matrix((roots, (taken, range(len(terms)))), shape=(X.shape[1] + 1, len(terms)))
    return core_ready(sp.hstack([X, np.ones((X.shape[0], 1))], format="csr") @ choice)


def name_feature(term: Term, names: Sequence[str]) -> str:
    """The feature as a formula, such as "√2 x0 x1", from the names of the variables."""
    square = term.weight * math.prod(gamma for _, gamma in term.factors)
    powers = sorted(Counter(j for j, _ in term.factors).items())
    parts = [names[j] if count == 1 else f"{names[j]}^{count}" for j, count in powers]
    if isinstance(term.decay, tuple):
        exponent = "".join(f"-{decay:g}{names[j]}²" for j, decay in enumerate(term.decay) if decay)
        parts.insert(0, f"exp({exponent})")
    elif term.decay:
        parts.insert(0, f"exp(-{term.decay:g}‖x‖²)")
    if square != 1 or not parts:
        parts.insert(0, _root(square))
    return " ".join(parts)


def _root(square: float) -> str:
    """√square, as a short number where it is one."""
    plain, under_root = f"{math.sqrt(square):g}", f"{square:g}"
    is_plain = math.isclose(float(plain), math.sqrt(square), rel_tol=_ROUNDING)
    is_short = math.isclose(float(under_root), square, rel_tol=_ROUNDING)
    return f"√{under_root}" if is_short and not is_plain else plain
