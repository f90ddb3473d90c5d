"""The yardstick: one evaluation of the decision function on the training rows by float32 GEMM and exp."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from benchmarks.dataset import Matrix
from benchmarks.kernels import blocks, kernel, squared_norms
from benchmarks.libraries.base import Coefficients

# Sparse rows are made dense for the GEMM as long as they fit into this many elements.
DENSE = 2**28


def evaluation_seconds(
    X: Matrix, machine: Coefficients, parameters: Mapping[str, float | int | str], threads: int
) -> float:
    """Best of at least three timings; a solver cannot do with much less than one such evaluation."""
    if sp.issparse(X) and X.shape[0] * X.shape[1] <= DENSE:
        X = X.toarray()
    X = X.astype(np.float32)
    weights = np.ascontiguousarray(machine.dual.T, dtype=np.float32)
    timings: list[float] = []
    with threadpool_limits(threads):
        while len(timings) < 3 or sum(timings) < 0.1:
            start = time.perf_counter()
            vectors = X[machine.support]
            norms, vector_norms = squared_norms(X), squared_norms(vectors)
            for block in blocks(X.shape[0], len(machine.support)):
                kernel(X[block], norms[block], vectors, vector_norms, parameters) @ weights
            timings.append(time.perf_counter() - start)
    return min(timings)
