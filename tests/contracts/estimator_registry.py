"""Every estimator of a dual problem with the optimum it must reach. A new estimator is tested by adding a line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from tests.reference.problems import solve_nu_svc_dual, solve_nu_svr_dual, solve_one_class_dual, solve_svr_dual
from tests.reference.qp import solve_svc_dual


@dataclass(frozen=True)
class Entry:
    """An estimator, the parameters it is tested with, what its targets are, and the largest value of its dual.

    `targets` are "classes", "numbers" or None where it has none; `optimum(K, y, v, **parameters)` is Clarabel's answer
    to the definition, given a Gram matrix, targets and weights.
    """

    kind: type
    parameters: Mapping[str, float]
    targets: str | None
    optimum: Callable[..., float]


def _signs(y):
    return np.where(y == np.max(y), 1.0, -1.0)


ENTRIES = [
    Entry(SVC, {"C": 2.0}, "classes", lambda K, y, v, C: solve_svc_dual(K, _signs(y), C * v).value),
    Entry(NuSVC, {"nu": 0.4}, "classes", lambda K, y, v, nu: solve_nu_svc_dual(K, _signs(y), v, nu).value),
    Entry(
        SVR,
        {"C": 2.0, "epsilon": 0.1},
        "numbers",
        lambda K, y, v, C, epsilon: solve_svr_dual(K, y, v, C, epsilon).value,
    ),
    Entry(NuSVR, {"C": 2.0, "nu": 0.4}, "numbers", lambda K, y, v, C, nu: solve_nu_svr_dual(K, y, v, C, nu).value),
    Entry(OneClassSVM, {"nu": 0.3}, None, lambda K, y, v, nu: solve_one_class_dual(K, v, nu).value),
]


def named(entry):
    return entry.kind.__name__
