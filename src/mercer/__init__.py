"""Mercer: fast, certified kernel machines.

>>> from sklearn.datasets import load_breast_cancer
>>> from mercer import SVC
>>> X, y = load_breast_cancer(return_X_y=True)
>>> model = SVC().fit(X, y)
>>> print(model.status_.value)
Solved: the certificate is within the tolerance.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.certificates import Certificate as Certificate
    from mercer.certificates import RidgeCertificate as RidgeCertificate
    from mercer.certificates import SparseRidgeCertificate as SparseRidgeCertificate
    from mercer.errors import InputError as InputError
    from mercer.errors import KernelError as KernelError
    from mercer.errors import MercerError as MercerError
    from mercer.errors import MissingPackageError as MissingPackageError
    from mercer.errors import ModelFileError as ModelFileError
    from mercer.errors import NotSeparableError as NotSeparableError
    from mercer.errors import NumericsWarning as NumericsWarning
    from mercer.errors import ParameterError as ParameterError
    from mercer.errors import TimeLimitError as TimeLimitError
    from mercer.errors import UnsolvedWarning as UnsolvedWarning
    from mercer.estimators import SVC as SVC
    from mercer.estimators import SVR as SVR
    from mercer.estimators import FeatureRelevance as FeatureRelevance
    from mercer.estimators import GaussianProcessClassifier as GaussianProcessClassifier
    from mercer.estimators import GaussianProcessRegressor as GaussianProcessRegressor
    from mercer.estimators import KernelDensity as KernelDensity
    from mercer.estimators import KernelRegression as KernelRegression
    from mercer.estimators import KernelRidge as KernelRidge
    from mercer.estimators import KernelRidgeClassifier as KernelRidgeClassifier
    from mercer.estimators import KernelRidgeCV as KernelRidgeCV
    from mercer.estimators import KNeighborsClassifier as KNeighborsClassifier
    from mercer.estimators import KNeighborsRegressor as KNeighborsRegressor
    from mercer.estimators import KNNImputer as KNNImputer
    from mercer.estimators import LinearSVC as LinearSVC
    from mercer.estimators import LinearSVR as LinearSVR
    from mercer.estimators import LocallyWeightedRegression as LocallyWeightedRegression
    from mercer.estimators import NearestNeighbors as NearestNeighbors
    from mercer.estimators import NuSVC as NuSVC
    from mercer.estimators import NuSVR as NuSVR
    from mercer.estimators import Nystroem as Nystroem
    from mercer.estimators import OneClassSVM as OneClassSVM
    from mercer.estimators import ParzenClassifier as ParzenClassifier
    from mercer.estimators import ParzenRegressor as ParzenRegressor
    from mercer.estimators import Perceptron as Perceptron
    from mercer.estimators import RadiusNeighborsClassifier as RadiusNeighborsClassifier
    from mercer.estimators import RadiusNeighborsRegressor as RadiusNeighborsRegressor
    from mercer.estimators import RBFSampler as RBFSampler
    from mercer.estimators import Relevance as Relevance
    from mercer.estimators import SGDClassifier as SGDClassifier
    from mercer.estimators import SGDOneClassSVM as SGDOneClassSVM
    from mercer.estimators import SGDRegressor as SGDRegressor
    from mercer.estimators import SparseGaussianProcessRegressor as SparseGaussianProcessRegressor
    from mercer.estimators import SparseKernelRidge as SparseKernelRidge
    from mercer.estimators import SparseKernelRidgeCV as SparseKernelRidgeCV
    from mercer.estimators import certify as certify
    from mercer.estimators import l1_min_c as l1_min_c
    from mercer.estimators import lowess as lowess
    from mercer.estimators import relevance as relevance
    from mercer.io import load as load
    from mercer.io import save as save
    from mercer.kernels import FeatureMap as FeatureMap
    from mercer.kernels.catalogue import *  # noqa: F403
    from mercer.solvers import Progress as Progress
    from mercer.solvers import Status as Status
    from mercer.solvers import Trace as Trace
    from mercer.tune import ChoiceCertificate as ChoiceCertificate
    from mercer.tune import GridSearchCV as GridSearchCV
    from mercer.tune import MachinePath as MachinePath
    from mercer.tune import SearchProgress as SearchProgress
    from mercer.tune import TunedSVC as TunedSVC
    from mercer.tune import TunedSVR as TunedSVR
    from mercer.tune import machine_path as machine_path

__version__ = "0.1.0"

# Rooms and what of theirs is public, imported when it is asked for: `mercer --help` needs none of it, predictions from
# files need no scikit-learn. Of estimators and kernels, all are.
_ROOMS = {
    "certificates": ["Certificate", "RidgeCertificate", "SparseRidgeCertificate"],
    "solvers": ["Status", "Progress", "Trace"],
    "kernels": ["FeatureMap"],
    "errors": [
        "MercerError",
        "InputError",
        "ParameterError",
        "KernelError",
        "NotSeparableError",
        "MissingPackageError",
        "ModelFileError",
        "TimeLimitError",
        "NumericsWarning",
        "UnsolvedWarning",
    ],
    "io": ["save", "load"],
    "tune": [
        "GridSearchCV",
        "TunedSVC",
        "TunedSVR",
        "machine_path",
        "MachinePath",
        "ChoiceCertificate",
        "SearchProgress",
    ],
}
_WHOLE_ROOMS = ["estimators", "kernels.catalogue"]


def _room_of(name: str) -> str | None:
    """The room that a public name is from."""
    for room, names in _ROOMS.items():
        if name in names:
            return room
    return next((room for room in _WHOLE_ROOMS if name in import_module(f"mercer.{room}").__all__), None)


def _public_names() -> list[str]:
    listed = [name for names in _ROOMS.values() for name in names]
    return listed + [name for room in _WHOLE_ROOMS for name in import_module(f"mercer.{room}").__all__]


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _public_names()
    room = None if name.startswith("_") else _room_of(name)
    if room is None:
        raise AttributeError(f"module 'mercer' has no attribute {name!r}")
    found = getattr(import_module(f"mercer.{room}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_public_names()})
