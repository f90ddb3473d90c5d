"""Rows at the edge of what linear machines can be asked to learn from."""

import numpy as np
import scipy.sparse as sp

N = 80


def rows(n=N, d=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def noise(n=N, seed=1):
    return np.random.default_rng(seed).normal(size=n)


def outlier_row(value):
    X = rows()
    X[0] = value
    return X


ORDINARY_ROWS = {
    "plain": rows(),
    "rank-deficient": rows(d=2) @ rows(2, 6, seed=3),
    "a column twice": np.c_[rows(), rows()],
    "a constant column": np.c_[rows(), np.full(N, 3.0)],
    "a column of zeros": np.c_[rows(), np.zeros(N)],
    "constant columns only": np.full((N, 2), 3.0),
    "one feature": rows(d=1),
    "more features than rows": rows(N, 200),
    "rows that are zero": np.where(np.arange(N)[:, None] % 4 == 0, 0.0, rows()),
    "all zero": np.zeros((N, 3)),
    "rows four times": np.tile(rows(N // 4), (4, 1)),
    "all rows alike": np.tile(rows(1), (N, 1)),
    "float32": rows().astype(np.float32),
    "sparse": sp.random(N, 40, density=0.1, format="csr", random_state=0),
    "sparse, one feature, most rows empty": sp.random(N, 1, density=0.1, format="csr", random_state=0),
    "sparse, all rows empty": sp.csr_matrix((N, 3)),
    "sparse, float32": sp.random(N, 40, density=0.1, format="csr", random_state=0, dtype=np.float32),
    "integers": (10 * rows()).astype(int),
}
# Conditioning, not shape: an honest status is enough where the tolerance cannot be reached.
UNSCALED_ROWS = {
    "columns from 1e-8 to 1e8": rows() * np.logspace(-8, 8, 5),
    "a column of 1e8": np.c_[rows(), 1e8 * noise()],
    "all of 1e-8": 1e-8 * rows(),
    "all of 1e8": 1e8 * rows(),
    "far from the origin": rows() + 1e6,
    "an outlier of 1e12": outlier_row(1e12),
    "float32 of 1e30": (1e30 * rows()).astype(np.float32),
    "of 1e100": 1e100 * rows(),
    "denormal": 5e-320 * rows(),
}
