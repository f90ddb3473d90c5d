"""scikit-learn's face: parameters, fit, predict; thin.

`base` holds the one way from data to a certified kernel machine, `classifier` and `regressor` what these kinds share;
`linear` the way to certified weights. `sgd` and `sgd_classification` (stochastic gradient descent), `kernel_regression`
(the same in the coefficients of the rows) and `perceptron` (mistakes) prove nothing. `neighbours` is what machines that
remember their rows share, `windows` and `parzen` what those share that put windows around them, `ridge` what those
share whose coefficients solve a linear system, `gaussian_process` what those share whose kernel a likelihood decides.
Each estimator has a file of its own.
"""

from mercer.estimators.certify import certify
from mercer.estimators.gaussian_process_classifier import GaussianProcessClassifier
from mercer.estimators.gaussian_process_regressor import GaussianProcessRegressor
from mercer.estimators.k_neighbors_classifier import KNeighborsClassifier
from mercer.estimators.k_neighbors_regressor import KNeighborsRegressor
from mercer.estimators.kernel_density import KernelDensity
from mercer.estimators.kernel_regression import KernelRegression
from mercer.estimators.kernel_ridge import KernelRidge
from mercer.estimators.kernel_ridge_classifier import KernelRidgeClassifier
from mercer.estimators.kernel_ridge_cv import KernelRidgeCV
from mercer.estimators.knn_imputer import KNNImputer
from mercer.estimators.l1_min_c import l1_min_c
from mercer.estimators.linear_svc import LinearSVC
from mercer.estimators.linear_svr import LinearSVR
from mercer.estimators.locally_weighted_regression import LocallyWeightedRegression
from mercer.estimators.lowess import lowess
from mercer.estimators.nearest_neighbors import NearestNeighbors
from mercer.estimators.nu_svc import NuSVC
from mercer.estimators.nu_svr import NuSVR
from mercer.estimators.one_class import OneClassSVM
from mercer.estimators.parzen_classifier import ParzenClassifier
from mercer.estimators.parzen_regressor import ParzenRegressor
from mercer.estimators.perceptron import Perceptron
from mercer.estimators.radius_neighbors_classifier import RadiusNeighborsClassifier
from mercer.estimators.radius_neighbors_regressor import RadiusNeighborsRegressor
from mercer.estimators.sgd_classifier import SGDClassifier
from mercer.estimators.sgd_one_class import SGDOneClassSVM
from mercer.estimators.sgd_regressor import SGDRegressor
from mercer.estimators.svc import SVC
from mercer.estimators.svr import SVR

__all__ = [
    "KNNImputer",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KernelDensity",
    "KernelRegression",
    "KernelRidge",
    "KernelRidgeCV",
    "KernelRidgeClassifier",
    "LinearSVC",
    "LinearSVR",
    "LocallyWeightedRegression",
    "NearestNeighbors",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "ParzenClassifier",
    "ParzenRegressor",
    "Perceptron",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "SGDClassifier",
    "SGDOneClassSVM",
    "SGDRegressor",
    "SVC",
    "SVR",
    "certify",
    "l1_min_c",
    "lowess",
]
