"""Mercer: fast, certified kernel machines.

>>> from sklearn.datasets import load_breast_cancer
>>> from mercer import SVC
>>> X, y = load_breast_cancer(return_X_y=True)
>>> model = SVC().fit(X, y)
>>> print(model.status_.value)
Solved: the certificate is within the tolerance.
"""

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
from mercer.estimators import (
    SVC,
    SVR,
    KernelRegression,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
    certify,
    l1_min_c,
)
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
    "SVC",
    "NuSVC",
    "SVR",
    "NuSVR",
    "OneClassSVM",
    "LinearSVC",
    "LinearSVR",
    "SGDClassifier",
    "SGDRegressor",
    "SGDOneClassSVM",
    "KernelRegression",
    "Perceptron",
    "certify",
    "l1_min_c",
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
