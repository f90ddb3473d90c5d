"""Kernel ridge regression beside scikit-learn's, and beside what no solver in float32 can do without."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.linalg.lapack import spotrf
from sklearn.kernel_ridge import KernelRidge as Theirs

from benchmarks.smooth.rows import GAMMA, twenty_features
from benchmarks.ways.bars import at_least, at_most, figure_at_most
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer import RBF, KernelRidge, RidgeCertificate, certify
from mercer.rows import rows_of
from mercer.typing import Floats

PEER, BARE, RESIDUAL = "scikit-learn", "bare factor", "relative residual"

TOLD = """\
Normal rows in twenty dimensions, RBF with γ = 1/20, α = 1. *bare factor*: the kernel matrix in float32, by Mercer's \
core, and its Cholesky factor by LAPACK, without which no solver in float32 can do. *relative residual*: what the \
linear system leaves of the targets, in float64, by `mercer.certify`."""


def _bare(X: Floats, threads: int) -> Any:
    K = rows_of(RBF(GAMMA), X).matrix(threads, np.float32)
    K.reshape(-1)[:: len(K) + 1] += 1
    return spotrf(K.T, lower=1, overwrite_a=1, clean=0)


def _measured(rows: int, terms: Terms) -> Measured:
    X, y = twenty_features(terms.at_most(rows))
    ways = [
        Way(OURS, lambda: KernelRidge(kernel="rbf", gamma=GAMMA, n_jobs=terms.threads).fit(X, y)),
        Way(BARE, lambda: _bare(X, terms.threads)),
        Way(PEER, lambda: Theirs(kernel="rbf", gamma=GAMMA).fit(X, y)),
    ]

    def judge(way: Way, model: Any, _: Any) -> dict[str, float | str]:
        proof = None if way.name == BARE else certify(model, X, y)
        return {RESIDUAL: proof.residual} if isinstance(proof, RidgeCertificate) else {}

    return Measured(f"{len(X):,} × {X.shape[1]}", race(ways, terms, judge))


_SIZES = {f"{rows:,} rows": rows for rows in (5_000, 10_000)}

RIDGE = Section(
    "Ridge regression",
    TOLD,
    {name: partial(_measured, rows) for name, rows in _SIZES.items()},
    tuple(
        bar
        for name in _SIZES
        for bar in (
            at_least(name, 4, PEER, OURS),
            at_most(name, 1.3, OURS, BARE),
            figure_at_most(name, 1e-10, OURS, RESIDUAL),
        )
    ),
)
