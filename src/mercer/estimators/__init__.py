"""scikit-learn's face: parameters, fit, predict; thin.

`base` holds the one way from data to a certified kernel machine, `classifier` and `regressor` what these kinds share;
`linear` the way to certified weights. `sgd` and `sgd_classification` (stochastic gradient descent), `kernel_regression`
(the same in the coefficients of the rows) and `perceptron` (mistakes) prove nothing. `neighbours` is what machines that
remember their rows share, `windows` and `parzen` what those share that put windows around them, `ridge` what those
share whose coefficients solve a linear system, `landmark_regressor` those that solve one over some landmarks,
`gaussian_process` what those share whose kernel a likelihood decides (`gaussian_process_regression`: of numbers);
`nystroem` and `rbf_sampler` make features for linear machines, `feature_relevance` scales them by how much they matter.
Each estimator has a file of its own, which is imported when it is asked for: scikit-learn, on which all of them stand,
takes longer to import than all of Mercer.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.estimators.certification import certify as certify
    from mercer.estimators.feature_relevance import FeatureRelevance as FeatureRelevance
    from mercer.estimators.gaussian_process_classifier import GaussianProcessClassifier as GaussianProcessClassifier
    from mercer.estimators.gaussian_process_regressor import GaussianProcessRegressor as GaussianProcessRegressor
    from mercer.estimators.k_neighbors_classifier import KNeighborsClassifier as KNeighborsClassifier
    from mercer.estimators.k_neighbors_regressor import KNeighborsRegressor as KNeighborsRegressor
    from mercer.estimators.kernel_density import KernelDensity as KernelDensity
    from mercer.estimators.kernel_regression import KernelRegression as KernelRegression
    from mercer.estimators.kernel_ridge import KernelRidge as KernelRidge
    from mercer.estimators.kernel_ridge_classifier import KernelRidgeClassifier as KernelRidgeClassifier
    from mercer.estimators.kernel_ridge_cv import KernelRidgeCV as KernelRidgeCV
    from mercer.estimators.knn_imputer import KNNImputer as KNNImputer
    from mercer.estimators.least_c import l1_min_c as l1_min_c
    from mercer.estimators.linear_svc import LinearSVC as LinearSVC
    from mercer.estimators.linear_svr import LinearSVR as LinearSVR
    from mercer.estimators.locally_weighted_regression import LocallyWeightedRegression as LocallyWeightedRegression
    from mercer.estimators.nearest_neighbors import NearestNeighbors as NearestNeighbors
    from mercer.estimators.nu_svc import NuSVC as NuSVC
    from mercer.estimators.nu_svr import NuSVR as NuSVR
    from mercer.estimators.nystroem import Nystroem as Nystroem
    from mercer.estimators.one_class import OneClassSVM as OneClassSVM
    from mercer.estimators.parzen_classifier import ParzenClassifier as ParzenClassifier
    from mercer.estimators.parzen_regressor import ParzenRegressor as ParzenRegressor
    from mercer.estimators.perceptron import Perceptron as Perceptron
    from mercer.estimators.radius_neighbors_classifier import RadiusNeighborsClassifier as RadiusNeighborsClassifier
    from mercer.estimators.radius_neighbors_regressor import RadiusNeighborsRegressor as RadiusNeighborsRegressor
    from mercer.estimators.rbf_sampler import RBFSampler as RBFSampler
    from mercer.estimators.relevance_report import Relevance as Relevance
    from mercer.estimators.relevance_report import relevance as relevance
    from mercer.estimators.scatterplot_smoother import lowess as lowess
    from mercer.estimators.sgd_classifier import SGDClassifier as SGDClassifier
    from mercer.estimators.sgd_one_class import SGDOneClassSVM as SGDOneClassSVM
    from mercer.estimators.sgd_regressor import SGDRegressor as SGDRegressor
    from mercer.estimators.sparse_gaussian_process_regressor import (
        SparseGaussianProcessRegressor as SparseGaussianProcessRegressor,
    )
    from mercer.estimators.sparse_kernel_ridge import SparseKernelRidge as SparseKernelRidge
    from mercer.estimators.sparse_kernel_ridge_cv import SparseKernelRidgeCV as SparseKernelRidgeCV
    from mercer.estimators.svc import SVC as SVC
    from mercer.estimators.svr import SVR as SVR

# Names and their files.
_FILES = {
    "FeatureRelevance": "feature_relevance",
    "GaussianProcessClassifier": "gaussian_process_classifier",
    "GaussianProcessRegressor": "gaussian_process_regressor",
    "KernelDensity": "kernel_density",
    "KernelRegression": "kernel_regression",
    "KernelRidge": "kernel_ridge",
    "KernelRidgeClassifier": "kernel_ridge_classifier",
    "KernelRidgeCV": "kernel_ridge_cv",
    "KNeighborsClassifier": "k_neighbors_classifier",
    "KNeighborsRegressor": "k_neighbors_regressor",
    "KNNImputer": "knn_imputer",
    "LinearSVC": "linear_svc",
    "LinearSVR": "linear_svr",
    "LocallyWeightedRegression": "locally_weighted_regression",
    "NearestNeighbors": "nearest_neighbors",
    "NuSVC": "nu_svc",
    "NuSVR": "nu_svr",
    "Nystroem": "nystroem",
    "OneClassSVM": "one_class",
    "ParzenClassifier": "parzen_classifier",
    "ParzenRegressor": "parzen_regressor",
    "Perceptron": "perceptron",
    "RadiusNeighborsClassifier": "radius_neighbors_classifier",
    "RadiusNeighborsRegressor": "radius_neighbors_regressor",
    "RBFSampler": "rbf_sampler",
    "Relevance": "relevance_report",
    "SGDClassifier": "sgd_classifier",
    "SGDOneClassSVM": "sgd_one_class",
    "SGDRegressor": "sgd_regressor",
    "SparseGaussianProcessRegressor": "sparse_gaussian_process_regressor",
    "SparseKernelRidge": "sparse_kernel_ridge",
    "SparseKernelRidgeCV": "sparse_kernel_ridge_cv",
    "SVC": "svc",
    "SVR": "svr",
    "certify": "certification",
    "l1_min_c": "least_c",
    "lowess": "scatterplot_smoother",
    "relevance": "relevance_report",
}

__all__ = list(_FILES)


def __getattr__(name: str) -> Any:
    if name not in _FILES:
        raise AttributeError(f"module 'mercer.estimators' has no attribute {name!r}")
    found = getattr(import_module(f"mercer.estimators.{_FILES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_FILES})
