"""The speeds of mercer/costs.py, measured anew: `python -m benchmarks.costs` prints them beside those in use."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
import scipy.linalg

from mercer import RBF, costs
from mercer._runtime import available_threads, core
from mercer.data import as_core_data
from mercer.rows import TwofoldGram, rows_of
from mercer.typing import Floats

_REPETITIONS = 5


def best_of(call: Callable[[], object]) -> float:
    """Seconds of the quickest of some calls, after one that warms up."""
    call()
    seconds = []
    for _ in range(_REPETITIONS):
        began = perf_counter()
        call()
        seconds.append(perf_counter() - began)
    return min(seconds)


def rows(n: int, d: int) -> Floats:
    return np.random.default_rng(0).normal(size=(n, d))


def kernel_products() -> float:
    """Sums of RBF values of 4,000 rows of 400 features with each other, in float32."""
    n, d, threads = 4000, 400, available_threads()
    data, everyone = rows_of(RBF(1 / d), rows(n, d)), np.arange(n)
    return n * n * d / best_of(lambda: data.expand([everyone], [everyone], [np.ones(n)], threads, np.float32))


def exact_seconds() -> tuple[float, float]:
    """A kernel value in float64 in sums over 6,000 rows, and each of its features: from 10 and 210 features."""
    n, few, many, threads = 6000, 10, 210, available_threads()

    def per_value(d: int) -> float:
        data = rows_of(RBF(1 / d), rows(n, d))
        return best_of(lambda: data.products(np.ones((n, 1)), threads)) / n**2

    at_few, at_many = per_value(few), per_value(many)
    feature = (at_many - at_few) / (many - few)
    return at_few - few * feature, feature


def factoring() -> float:
    """A Cholesky factorisation of a matrix of 1,000 rows by SciPy, in float64."""
    n = 1000
    X = rows(2 * n, n)
    G = X.T @ X
    return n**3 / 3 / best_of(lambda: scipy.linalg.cho_factor(G))


def gram_sums() -> float:
    """XᵀX of 50,000 rows of 100 features by NumPy, in float64."""
    n, d = 50_000, 100
    X = rows(n, d)
    return n * d * d / best_of(lambda: X.T @ X)


def streaming() -> float:
    """wᵀx at 200,000 rows of 50 features by the core."""
    n, d, threads = 200_000, 50, available_threads()
    data, w = as_core_data(rows(n, d)), np.ones(d)
    return n * d / best_of(lambda: core.linear_values(data, None, w, threads))


def dense_seconds() -> tuple[float, float]:
    """A kernel value in twice the precision on one thread, and each of its features: from 10 and 210 features."""
    n, few, many = 300, 10, 210

    def per_value(d: int) -> float:
        subset = rows_of(RBF(1 / d), rows(n, d)).subset(np.arange(n))
        return best_of(lambda: TwofoldGram.of(subset, 1)) / (n * n / 2)

    at_few, at_many = per_value(few), per_value(many)
    feature = (at_many - at_few) / (many - few)
    return at_few - few * feature, feature


def main() -> None:
    value, feature = dense_seconds()
    exact_value, exact_feature = exact_seconds()
    measured = {
        "KERNEL_PRODUCTS": kernel_products(),
        "EXACT_VALUE_SECONDS": exact_value,
        "EXACT_FEATURE_SECONDS": exact_feature,
        "FACTORING": factoring(),
        "GRAM_SUMS": gram_sums(),
        "STREAMING": streaming(),
        "DENSE_VALUE_SECONDS": value,
        "DENSE_FEATURE_SECONDS": feature,
    }
    print(f"{'':24} {'measured':>10} {'in use':>10}")
    for name, found in measured.items():
        print(f"{name:24} {found:>10.2g} {getattr(costs, name):>10.2g}")


if __name__ == "__main__":
    main()
