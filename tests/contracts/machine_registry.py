"""Fitted machines of every kind, each with the sums it must equal. A new kind is tested by adding a line here."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mercer import RBF, SVC, SVR, KernelRidge, Linear, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM
from mercer.machines import LinearMachine, Machine
from tests.contracts.kernel_registry import squared_product
from tests.reference import kernels as twin

ROWS = 120
QUERIES = 30


class Made(NamedTuple):
    """A machine, new rows as it takes them, and what its functions are sums of: kernel values, or the rows themselves.

    `gram` has a row for each new row, and a column for each support vector or feature.
    """

    machine: Machine
    queries: Any
    gram: np.ndarray


@dataclass(frozen=True)
class Entry:
    """A machine; `make()` fits it, and `coefficients(machine)` reads what its sums are taken with, a row a function.

    `forms` are what else its rows may be. A machine whose kernel is a Python function has no plain arrays.
    """

    name: str
    make: Callable[[], Made]
    coefficients: Callable[[Machine], np.ndarray]
    forms: tuple[Callable[[Any], Any], ...] = ()
    has_arrays: bool = True


def _rows(count, seed):
    """Some features of some rows are zero."""
    random = np.random.default_rng(seed)
    return random.normal(size=(count, 5)) * (random.random((count, 5)) < 0.8)


X, NEW = _rows(ROWS, 0), _rows(QUERIES, 1)
NUMBERS = np.sin(2 * X[:, 0]) + X[:, 1]
TWO_NUMBERS = np.column_stack([NUMBERS, X[:, 2] - NUMBERS])
CODES = 2 * (X[:, 0] + 0.3 * X[:, 2] > 0) + (X[:, 1] > 0.2)
NAMES = np.array(["north", "east", "south", "west"])[CODES]


# ---------------------------------------------------------------- the layouts of coefficients, from their definitions


def of_one(machine):
    return machine.dual_coef


def of_pairs(machine):
    """LIBSVM's layout: a vector of class c has its coefficient against o in row o − 1 where o > c, else in row o."""
    of_class = np.repeat(np.arange(len(machine.n_support)), machine.n_support)
    functions = []
    for first, second in combinations(range(len(machine.n_support)), 2):
        rows = np.where(of_class == first, second - 1, np.where(of_class == second, first, -1))
        functions.append([machine.dual_coef[row, j] if row >= 0 else 0.0 for j, row in enumerate(rows)])
    return np.array(functions)


def of_precise(machine):
    exact = np.vectorize(Fraction, otypes=[object])
    return exact(machine.dual_coef) + (0 if machine.low is None else exact(machine.low))


def of_weights(machine):
    return machine.weights


# ---------------------------------------------------------------- fits


def _of_kernel(model, y, formula, form=np.asarray):
    @cache
    def make():
        machine = model.fit(form(X), y)._machine
        return Made(machine, form(NEW), twin.gram(formula, NEW, X[machine.support]))

    return make


def _of_values(model, y, formula):
    @cache
    def make():
        machine = model.fit(twin.gram(formula, X), y)._machine
        values = twin.gram(formula, NEW, X)
        return Made(machine, values, values[:, machine.support])

    return make


def _of_weights(model, y):
    @cache
    def make():
        model.fit(X, y)
        return Made(LinearMachine(np.atleast_2d(model.coef_), model.intercept_), NEW, NEW)

    return make


@cache
def _precise():
    """Rows far from the origin, whose values cancel to less than float64 tells; the sums are rational numbers."""
    far = X[::4] + 1e5
    y = CODES[::4] + 0.1 * X[::4, 0]
    machine = SVR(kernel="poly", degree=2, gamma=1.0, C=100.0).fit(far, y)._machine
    assert machine.is_precise
    exact = np.vectorize(Fraction, otypes=[object])
    return Made(machine, NEW + 1e5, (exact(NEW + 1e5) @ exact(far[machine.support]).T) ** 2)


SPARSE = (sp.csr_matrix, sp.csr_array)
DENSE = (np.asarray,)
SUM = twin.total(twin.rbf(0.5), twin.linear())
CUBE = twin.polynomial(3, 0.2, 1.0)
SQUARE = twin.polynomial(2, 1.0, 0.0)

ENTRIES = [
    Entry("one function", _of_kernel(SVR(kernel=RBF(0.5) + Linear()), NUMBERS, SUM), of_one, SPARSE),
    Entry(
        "one function of polynomials",
        _of_kernel(NuSVR(kernel="poly", gamma=0.2, coef0=1.0), NUMBERS, CUBE),
        of_one,
        SPARSE,
    ),
    Entry(
        "several functions", _of_kernel(KernelRidge(kernel=RBF(0.5)), NUMBERS[:, None] * [1, 2], twin.rbf(0.5)), of_one
    ),
    Entry("support", _of_kernel(OneClassSVM(nu=0.2, gamma=0.5), None, twin.rbf(0.5)), of_one, SPARSE),
    Entry("one function, sparse", _of_kernel(SVR(gamma=0.5), NUMBERS, twin.rbf(0.5), sp.csr_matrix), of_one, DENSE),
    Entry("one function, precomputed", _of_values(SVR(kernel="precomputed"), NUMBERS, twin.rbf(0.5)), of_one),
    Entry("one function, callable", _of_kernel(SVR(kernel=squared_product), NUMBERS, SQUARE), of_one, has_arrays=False),
    Entry("two classes", _of_kernel(SVC(kernel="linear"), CODES > 1, twin.linear()), of_one, SPARSE),
    Entry("four classes", _of_kernel(SVC(gamma=0.5), NAMES, twin.rbf(0.5)), of_pairs, SPARSE),
    Entry("four classes by nu", _of_kernel(NuSVC(gamma=0.5, nu=0.2), CODES, twin.rbf(0.5)), of_pairs, SPARSE),
    Entry("four classes, sparse", _of_kernel(SVC(gamma=0.5), CODES, twin.rbf(0.5), sp.csr_array), of_pairs, DENSE),
    Entry("four classes, precomputed", _of_values(SVC(kernel="precomputed"), CODES, CUBE), of_pairs),
    Entry("four classes, callable", _of_kernel(SVC(kernel=squared_product), CODES, SQUARE), of_pairs, has_arrays=False),
    Entry("one-vs-rest", _of_kernel(SVC(gamma=0.5, multi_class="ovr"), NAMES, twin.rbf(0.5)), of_one, SPARSE),
    Entry("one-vs-rest, precomputed", _of_values(SVC(kernel="precomputed", multi_class="ovr"), CODES, CUBE), of_one),
    Entry("precise", _precise, of_precise),
    Entry("one linear function", _of_weights(LinearSVR(), NUMBERS), of_weights, SPARSE),
    Entry("linear functions", _of_weights(LinearSVC(), CODES), of_weights, SPARSE),
]


def named(entry):
    return entry.name
