"""Kernel ridge regression beside its peers: `python -m benchmarks.ridge` writes RIDGE.md.

Rows are drawn from a normal distribution in twenty dimensions; the kernel is RBF with γ = 1/20, and α = 1. Ways take
turns in one process, and a time is the least of its repetitions. "Bare" is what no solver in float32 can do without:
the kernel matrix in float32, by Mercer's core, and its Cholesky factor. What a factor in float64 of 50,000 rows would
take is told from its operations, at the speed of one of 5,000 rows.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, spotrf
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge

from benchmarks.markdown import seconds, table, times
from mercer import RBF, KernelRidge, KernelRidgeCV
from mercer.rows import rows_of
from mercer.typing import Floats

HERE = Path(__file__).resolve().parent
_GAMMA = 1 / 20
_ALPHAS = np.logspace(-3, 3, 20)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the page; returns the exit code."""
    parser = argparse.ArgumentParser(prog="benchmarks.ridge", description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--large", type=int, default=50_000, help="rows for conjugate gradients; 0 for none")
    parser.add_argument("--output", type=Path, default=HERE / "RIDGE.md")
    options = parser.parse_args(arguments)
    # Before anything larger, so that the peak of memory is its own.
    lines = [_large(options.large, options.threads)] if options.large else []
    fits = [_fit(n, options.threads, options.repetitions) for n in (5_000, 10_000)]
    lines.append(_left_out(options.threads))
    about = (__doc__ or "").partition("\n\n")[2]
    head = ["rows", "Mercer", "÷ bare", "scikit-learn ÷ Mercer", "relative residual"]
    page = f"# Kernel ridge regression\n\n{about}\n{table(head, fits)}\n\n" + "\n".join(f"- {line}" for line in lines)
    options.output.write_text(page + "\n")
    print(page)
    return 0


def _data(n: int) -> tuple[Floats, Floats]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 20))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * random.normal(size=n)


def _timed(do: Callable[[], Any]) -> tuple[float, Any]:
    began = perf_counter()
    made = do()
    return perf_counter() - began, made


def _bare(X: Floats, dtype: Any, factor: Any, threads: int) -> None:
    K = rows_of(RBF(_GAMMA), X).matrix(threads, dtype)
    K.reshape(-1)[:: len(K) + 1] += 1
    factor(K.T, lower=1, overwrite_a=1, clean=0)


def _fit(n: int, threads: int, repetitions: int) -> list[str]:
    X, y = _data(n)
    ours = KernelRidge(kernel="rbf", gamma=_GAMMA, n_jobs=threads)
    theirs = SklearnKernelRidge(kernel="rbf", gamma=_GAMMA)
    spent: dict[str, float] = dict.fromkeys(("ours", "bare", "theirs"), np.inf)
    for _ in range(repetitions):
        spent["ours"] = min(spent["ours"], _timed(lambda: ours.fit(X, y))[0])
        spent["bare"] = min(spent["bare"], _timed(lambda: _bare(X, np.float32, spotrf, threads))[0])
        spent["theirs"] = min(spent["theirs"], _timed(lambda: theirs.fit(X, y))[0])
    ratios = (times(spent["ours"] / spent["bare"]), times(spent["theirs"] / spent["ours"]))
    return [f"{n:,}", seconds(spent["ours"]), *ratios, f"{ours.certificate_.residual:.1e}"]


def _left_out(threads: int) -> str:
    X, y = _data(5_000)
    form: dict[str, Any] = {"kernel": "rbf", "gamma": _GAMMA, "n_jobs": threads}
    one = min(_timed(lambda: KernelRidge(**form).fit(X, y))[0] for _ in range(2))
    exact, _ = _timed(lambda: KernelRidgeCV(_ALPHAS, **form).fit(X, y))
    rough, model = _timed(lambda: KernelRidgeCV(_ALPHAS, left_out="estimate", **form).fit(X, y))
    off = float(np.max(model.standard_errors_ / model.errors_))
    return (
        f"20 alphas by rows left out, 5,000 rows: exact {seconds(exact)}, {exact / one:.0f} fits; estimated "
        f"{seconds(rough)}, {rough / one:.0f} fits, to {100 * off:.1f} % (one standard error, the worst α)"
    )


def _large(n: int, threads: int) -> str:
    X, y = _data(n)
    time, model = _timed(lambda: KernelRidge(kernel="rbf", gamma=_GAMMA, n_jobs=threads).fit(X, y))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    small = min(_timed(lambda: _bare(_data(5_000)[0], np.float64, dpotrf, threads))[0] for _ in range(2))
    factor = small * (n / 5_000) ** 3
    return (
        f"{n:,} rows by conjugate gradients: {seconds(time)}, {model.n_iter_} steps, residual "
        f"{model.certificate_.residual:.1e}, at most {peak:.2f} GiB in memory; a factor in float64 would take "
        f"{seconds(factor)}, {times(factor / time)} as long"
    )


if __name__ == "__main__":
    sys.exit(main())
