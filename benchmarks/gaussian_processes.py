"""Gaussian processes beside scikit-learn's, alternately in one run: `python -m benchmarks.gaussian_processes`.

Both start from the same kernel and stop by the same rule; the likelihoods that they reach are printed beside the times.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels

from benchmarks.memory import peak_mb, reset_peak, resident_mb
from mercer import GaussianProcessRegressor

FEATURES = 8
SCALES = {"one length scale": 1.0, "8 length scales": np.ones(FEATURES)}


def observations(rows: int) -> tuple[Any, Any]:
    """A function of a few features among eight, with noise."""
    random = np.random.default_rng(0)
    X = random.uniform(-2, 2, size=(rows, FEATURES))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.3 * np.cos(X[:, 3]) + 0.1 * random.normal(size=rows)
    return X, y


def timed(model: Any, X: Any, y: Any) -> float:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[2000, 5000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--evaluations", action="store_true", help="time one likelihood with its gradient instead")
    options = parser.parse_args()
    for rows in options.rows:
        X, y = observations(rows)
        for name, scale in SCALES.items():
            kernel = 1.0 * kernels.RBF(scale) + kernels.WhiteKernel(0.1)
            optimizer = None if options.evaluations else "fmin_l_bfgs_b"
            models = [kind(kernel, optimizer=optimizer) for kind in (GaussianProcessRegressor, Theirs)]
            best = [np.inf, np.inf]
            for _ in range(options.repeats):
                for place, model in enumerate(models):
                    taken = timed(model, X, y)
                    if options.evaluations:
                        start = time.perf_counter()
                        model.log_marginal_likelihood(kernel.theta, eval_gradient=True)
                        taken = time.perf_counter() - start
                    best[place] = min(best[place], taken)
            values = [model.log_marginal_likelihood_value_ for model in models]
            print(
                f"{rows} rows, {name}: {best[0]:.2f} s and {best[1]:.2f} s, {best[1] / best[0]:.1f} times; "
                f"likelihoods {values[0]:.4f} and {values[1]:.4f}; {_matrices(models[0], X, y, kernel):.1f} n² doubles",
                flush=True,
            )


def _matrices(model: Any, X: Any, y: Any, kernel: Any) -> float:
    """The most memory that one likelihood with its gradient takes, in matrices of rows × rows doubles."""
    before = resident_mb()
    reset_peak()
    model.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    return (peak_mb() - before) * 2**20 / (8 * len(y) ** 2)


if __name__ == "__main__":
    main()
