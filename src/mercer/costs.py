"""What things cost: the speeds that all choices between methods rest on, in one place.

They are those of two cores of an x86-64 processor with AVX2. `python -m benchmarks.costs` measures them anew and prints
them beside these. A choice between methods needs no more than a factor of two: where one wins by less, either will do.
"""

from __future__ import annotations

__all__ = [
    "DENSE_FACTORING",
    "DENSE_FEATURE_SECONDS",
    "DENSE_VALUE_SECONDS",
    "EXACT_FEATURE_SECONDS",
    "EXACT_VALUE_SECONDS",
    "FACTORING",
    "GRAM_SUMS",
    "KERNEL_PRODUCTS",
    "LEAST_SECONDS_THROUGH_WEIGHTS",
    "PANEL_FEATURE_SECONDS",
    "PANEL_ROW_SECONDS",
    "PRODUCTS_BESIDE_A_VALUE",
    "SCREENED_FEATURE_SECONDS",
    "SCREENED_ROW_SECONDS",
    "SETTLED_FEATURE_SECONDS",
    "SETTLED_ROW_SECONDS",
    "STEPPING",
    "STREAMING",
    "TREE_FEATURE_SECONDS",
    "TREE_LEVEL_SECONDS",
    "TREE_ROW_SECONDS",
    "VALUES_PER_THREAD",
]

# ---------------------------------------------------------------- kernel values (float32, fused loop, two threads)

#: Multiplications a second in dot products of rows with rows.
KERNEL_PRODUCTS = 2e10
#: What else a kernel value takes in a fit (its exponential, and the steps that use it), in multiplications.
PRODUCTS_BESIDE_A_VALUE = 60
#: Kernel values that take a thread some 0.2 ms: for fewer, waking it takes longer than it saves.
VALUES_PER_THREAD = 100_000

#: A kernel value in float64 in sums over all rows, and each of its features, two threads.
EXACT_VALUE_SECONDS = 1.2e-9
EXACT_FEATURE_SECONDS = 8e-11

# ---------------------------------------------------------------- linear machines (float64, two threads)

#: Operations a second of a Cholesky factorisation.
FACTORING = 8e9
#: Multiplications a second of XᵀX.
GRAM_SUMS = 15e9
#: Entries a second that are read and multiplied with weights.
STREAMING = 1e9
#: Entries a second in steps of one coordinate at a time, on one thread.
STEPPING = 0.5e9
#: What a fit through weights takes however small it is.
LEAST_SECONDS_THROUGH_WEIGHTS = 3e-4

# ---------------------------------------------------------------- dense methods (twice the precision of float64)

#: A kernel value in twice the precision, and each of its features, on one thread.
DENSE_VALUE_SECONDS = 8e-7
DENSE_FEATURE_SECONDS = 1e-8
#: Operations a second of a factorisation, with what else belongs to a step of the interior-point method.
DENSE_FACTORING = 2e9

# ---------------------------------------------------------------- neighbours (two threads)

#: A row that a tree of boxes looks at for a query, with what leads there, and each of its features.
TREE_ROW_SECONDS = 3e-9
TREE_FEATURE_SECONDS = 6e-10
#: A row at one level of the tree, as it is made.
TREE_LEVEL_SECONDS = 1.2e-8
#: A row that is settled in float64, as it is, and each of its features.
SETTLED_ROW_SECONDS = 3e-8
SETTLED_FEATURE_SECONDS = 3e-10
#: A row that a bound in float32 is computed of, and each of its features.
SCREENED_ROW_SECONDS = 4e-10
SCREENED_FEATURE_SECONDS = 5e-11
#: A row whose distance is computed in float64 beside others, and each of its features.
PANEL_ROW_SECONDS = 2e-10
PANEL_FEATURE_SECONDS = 3e-11
