"""Mercer: fast, certified kernel machines.

>>> from sklearn.datasets import load_breast_cancer
>>> from mercer import SVC
>>> X, y = load_breast_cancer(return_X_y=True)
>>> model = SVC().fit(X, y)
>>> print(model.status_.value)
Solved: the certificate is within the tolerance.
"""

from mercer import estimators
from mercer.certificates import Certificate
from mercer.errors import (
    InputError,
    KernelError,
    MercerError,
    MissingPackageError,
    NotSeparableError,
    NumericsWarning,
    ParameterError,
    UnsolvedWarning,
)
from mercer.estimators import *  # noqa: F403
from mercer.kernels import (
    RBF,
    CallableKernel,
    Constant,
    FeatureMap,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from mercer.solvers import Progress, Status, Trace

__version__ = "0.1.0"

__all__ = [
    "Certificate",
    "Status",
    "Progress",
    "Trace",
    "Kernel",
    "Linear",
    "Polynomial",
    "RBF",
    "Laplacian",
    "Sigmoid",
    "Constant",
    "Precomputed",
    "CallableKernel",
    "FeatureMap",
    "MercerError",
    "InputError",
    "ParameterError",
    "KernelError",
    "NotSeparableError",
    "MissingPackageError",
    "NumericsWarning",
    "UnsolvedWarning",
]
__all__ += estimators.__all__
