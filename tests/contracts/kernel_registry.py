"""Every kernel with the twin it must equal. A new kernel is tested by adding a line here."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from mercer import (
    RBF,
    Constant,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
    White,
)
from mercer.kernels import CallableKernel
from tests.reference import kernels as twin


@dataclass(frozen=True)
class Entry:
    """A kernel, its formula on one pair, and whether theory says that it is positive semi-definite.

    `window` says whether it has a finite integral over rows of three features, so that densities are made of it.
    """

    name: str
    kernel: Kernel
    twin: object
    definite: bool
    window: bool = False


@dataclass(frozen=True)
class PerFeature(Kernel):
    """A kernel of the distance with these gammas for the features, over and over: it fits data of any width."""

    kind: type
    gammas: tuple

    def resolve(self, X):
        return self.kind(gamma=np.resize(self.gammas, X.shape[1]))

    @property
    def is_definite(self):
        return True


def squared_product(X, Z):
    """(xᵀz)² as a user would write it, for dense and sparse rows."""
    products = X.astype(np.float64) @ Z.astype(np.float64).T
    return np.square(products.toarray() if sp.issparse(products) else products)


# A feature left out is one of them.
GAMMAS = (0.3, 0.1, 0.0, 0.7)

ENTRIES = [
    Entry("linear", Linear(), twin.linear(), True),
    Entry("polynomial", Polynomial(3, 0.5, 1.0), twin.polynomial(3, 0.5, 1.0), True),
    Entry("homogeneous", Polynomial(2, 1.0, 0.0), twin.polynomial(2, 1.0, 0.0), True),
    Entry("inhomogeneous", Polynomial(2, 1.0, 1.0), twin.polynomial(2, 1.0, 1.0), True),
    Entry("general", Polynomial.general(4.0, 0.5, 5), twin.general_polynomial(4.0, 0.5, 5), True),
    Entry("degree one", Polynomial(1, 2.0, 0.5), twin.polynomial(1, 2.0, 0.5), True),
    Entry("degree zero", Polynomial(0, 2.0, 0.5), twin.polynomial(0, 2.0, 0.5), True),
    Entry("signed", Polynomial(2, 1.0, -1.0), twin.polynomial(2, 1.0, -1.0), False),
    Entry("rbf", RBF(0.3), twin.rbf(0.3), True, window=True),
    Entry("flat rbf", RBF(0.0), twin.rbf(0.0), True),
    Entry("laplacian", Laplacian(0.2), twin.laplacian(0.2), True, window=True),
    Entry("rbf per feature", PerFeature(RBF, GAMMAS), twin.weighted_rbf(GAMMAS), True),
    Entry("laplacian per feature", PerFeature(Laplacian, GAMMAS), twin.weighted_laplacian(GAMMAS), True),
    Entry(
        "sum per feature",
        2.0 * (PerFeature(RBF, GAMMAS) + Linear()) * PerFeature(Laplacian, GAMMAS) + RBF(0.3),
        twin.total(
            twin.scaled(
                2.0,
                twin.product(
                    twin.total(twin.weighted_rbf(GAMMAS), twin.linear()),
                    twin.weighted_laplacian(GAMMAS),
                ),
            ),
            twin.rbf(0.3),
        ),
        True,
    ),
    Entry("sigmoid", Sigmoid(0.1, 0.2), twin.sigmoid(0.1, 0.2), False),
    Entry("constant", Constant(1.5), twin.constant(1.5), True),
    Entry("matern 1/2", Matern(0.3, nu=0.5), twin.matern(0.5, [0.3]), True, window=True),
    Entry("matern 3/2", Matern(0.3, nu=1.5), twin.matern(1.5, [0.3]), True, window=True),
    Entry("matern 5/2", Matern(0.3, nu=2.5), twin.matern(2.5, [0.3]), True, window=True),
    Entry("matern per feature", PerFeature(Matern, GAMMAS), twin.matern(1.5, GAMMAS), True),
    Entry("rational quadratic", RationalQuadratic(0.3, 0.7), twin.rational_quadratic(0.7, [0.3]), True),
    Entry("mixture per feature", PerFeature(RationalQuadratic, GAMMAS), twin.rational_quadratic(1, GAMMAS), True),
    Entry("periodic", Periodic(1.5, 2.0), twin.periodic(1.5, 2.0), False),
    Entry("white", White(0.4), twin.white(0.4), True),
    Entry(
        "smooth with noise",
        2.0 * Matern(0.3, nu=2.5) * RBF(0.1) + White(0.1),
        twin.total(twin.scaled(2.0, twin.product(twin.matern(2.5, [0.3]), twin.rbf(0.1))), twin.white(0.1)),
        True,
    ),
    Entry("callable", CallableKernel(squared_product), twin.polynomial(2, 1.0, 0.0), True),
    Entry("sum", RBF(0.3) + Linear(), twin.total(twin.rbf(0.3), twin.linear()), True),
    Entry("sum with a number", Linear() + 2.0, twin.total(twin.linear(), twin.constant(2.0)), True),
    Entry("product", RBF(0.3) * Polynomial(2), twin.product(twin.rbf(0.3), twin.polynomial(2, 1.0, 1.0)), True),
    Entry("scaled", 0.5 * Laplacian(0.2), twin.scaled(0.5, twin.laplacian(0.2)), True, window=True),
    Entry("power", (0.5 * Linear() + 1.0) ** 3, twin.polynomial(3, 0.5, 1.0), True),
    Entry("power of zero", RBF(0.3) ** 0, twin.constant(1.0), True),
    Entry("divided", Laplacian(0.2) / 4, twin.scaled(0.25, twin.laplacian(0.2)), True, window=True),
    Entry("power of a callable", CallableKernel(squared_product) ** 2, twin.polynomial(4, 1.0, 0.0), True),
    Entry(
        "nested",
        (Linear() + Constant(1.0)) * RBF(0.3) + 2.0 * Polynomial(2),
        twin.total(
            twin.product(twin.total(twin.linear(), twin.constant(1.0)), twin.rbf(0.3)),
            twin.scaled(2.0, twin.polynomial(2, 1.0, 1.0)),
        ),
        True,
    ),
    Entry(
        "sum with a callable",
        RBF(0.3) + CallableKernel(squared_product),
        twin.total(twin.rbf(0.3), twin.polynomial(2, 1.0, 0.0)),
        True,
    ),
    Entry(
        "product with a callable",
        3.0 * (RBF(0.3) * CallableKernel(squared_product)),
        twin.scaled(3.0, twin.product(twin.rbf(0.3), twin.polynomial(2, 1.0, 0.0))),
        True,
    ),
]

# gamma named instead of given: the number comes from the data.
WITH_GAMMA = (RBF, Laplacian, Matern, RationalQuadratic, Sigmoid, Polynomial)
NAMED_GAMMA = [kind(gamma=gamma) for kind in WITH_GAMMA for gamma in ("scale", "auto")]

DEFINITE = [entry for entry in ENTRIES if entry.definite]


def named(entry):
    return entry.name
