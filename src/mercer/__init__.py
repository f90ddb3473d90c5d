"""Mercer: fast, certified kernel machines.

>>> from sklearn.datasets import load_breast_cancer
>>> from mercer import SVC
>>> X, y = load_breast_cancer(return_X_y=True)
>>> model = SVC().fit(X, y)
>>> print(model.status_.value)
Solved: the certificate is within the tolerance.
"""

from typing import TYPE_CHECKING, Any

from mercer import estimators
from mercer.certificates import Certificate, RidgeCertificate, SparseRidgeCertificate
from mercer.errors import (
    InputError,
    KernelError,
    MercerError,
    MissingPackageError,
    NotSeparableError,
    NumericsWarning,
    ParameterError,
    TimeLimitError,
    UnsolvedWarning,
)
from mercer.estimators import *  # noqa: F403
from mercer.kernels import FeatureMap, catalogue
from mercer.kernels.catalogue import *  # noqa: F403
from mercer.solvers import Progress, Status, Trace

if TYPE_CHECKING:
    from mercer.estimators import FeatureRelevance as FeatureRelevance
    from mercer.estimators import GaussianProcessClassifier as GaussianProcessClassifier
    from mercer.estimators import GaussianProcessRegressor as GaussianProcessRegressor
    from mercer.estimators import KernelDensity as KernelDensity
    from mercer.estimators import KernelRidge as KernelRidge
    from mercer.estimators import KernelRidgeClassifier as KernelRidgeClassifier
    from mercer.estimators import KernelRidgeCV as KernelRidgeCV
    from mercer.estimators import KNeighborsClassifier as KNeighborsClassifier
    from mercer.estimators import KNeighborsRegressor as KNeighborsRegressor
    from mercer.estimators import KNNImputer as KNNImputer
    from mercer.estimators import LocallyWeightedRegression as LocallyWeightedRegression
    from mercer.estimators import NearestNeighbors as NearestNeighbors
    from mercer.estimators import Nystroem as Nystroem
    from mercer.estimators import ParzenClassifier as ParzenClassifier
    from mercer.estimators import ParzenRegressor as ParzenRegressor
    from mercer.estimators import RadiusNeighborsClassifier as RadiusNeighborsClassifier
    from mercer.estimators import RadiusNeighborsRegressor as RadiusNeighborsRegressor
    from mercer.estimators import RBFSampler as RBFSampler
    from mercer.estimators import Relevance as Relevance
    from mercer.estimators import SparseGaussianProcessRegressor as SparseGaussianProcessRegressor
    from mercer.estimators import SparseKernelRidge as SparseKernelRidge
    from mercer.estimators import SparseKernelRidgeCV as SparseKernelRidgeCV
    from mercer.estimators import lowess as lowess
    from mercer.estimators import relevance as relevance

__version__ = "0.1.0"

__all__ = [
    "Certificate",
    "RidgeCertificate",
    "SparseRidgeCertificate",
    "Status",
    "Progress",
    "Trace",
    "FeatureMap",
    "MercerError",
    "InputError",
    "ParameterError",
    "KernelError",
    "NotSeparableError",
    "MissingPackageError",
    "TimeLimitError",
    "NumericsWarning",
    "UnsolvedWarning",
]
# New estimators and kernels are public without a line here.
__all__ += estimators.__all__
__all__ += estimators.LATER
__all__ += catalogue.__all__

# The search for parameters stands on scikit-learn's, which takes longer to import than all of Mercer.
_SEARCH = ["GridSearchCV", "TunedSVC", "TunedSVR", "machine_path", "MachinePath", "ChoiceCertificate", "SearchProgress"]
__all__ += _SEARCH


def __getattr__(name: str) -> Any:
    if name in _SEARCH:
        from mercer import tune

        return getattr(tune, name)
    if name in estimators.LATER:
        return getattr(estimators, name)
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_SEARCH, *estimators.LATER})
