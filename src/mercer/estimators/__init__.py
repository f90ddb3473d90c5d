"""scikit-learn's face: parameters, fit, predict; thin.

`base` holds the one way from data to a certified kernel machine, `classifier` and `regressor` what these kinds share;
`linear` the way to certified weights. `sgd` and `sgd_classification` (stochastic gradient descent), `kernel_regression`
(the same in the coefficients of the rows) and `perceptron` (mistakes) prove nothing. `neighbours` is what machines that
remember their rows share, `gaussian_process` what those share whose kernel a likelihood decides. Each estimator has a
file of its own.
"""

from mercer.estimators.certify import certify
from mercer.estimators.gaussian_process_classifier import GaussianProcessClassifier
from mercer.estimators.gaussian_process_regressor import GaussianProcessRegressor
from mercer.estimators.k_neighbors_classifier import KNeighborsClassifier
from mercer.estimators.k_neighbors_regressor import KNeighborsRegressor
from mercer.estimators.kernel_regression import KernelRegression
from mercer.estimators.l1_min_c import l1_min_c
from mercer.estimators.linear_svc import LinearSVC
from mercer.estimators.linear_svr import LinearSVR
from mercer.estimators.nearest_neighbors import NearestNeighbors
from mercer.estimators.nu_svc import NuSVC
from mercer.estimators.nu_svr import NuSVR
from mercer.estimators.one_class import OneClassSVM
from mercer.estimators.perceptron import Perceptron
from mercer.estimators.radius_neighbors_classifier import RadiusNeighborsClassifier
from mercer.estimators.radius_neighbors_regressor import RadiusNeighborsRegressor
from mercer.estimators.sgd_classifier import SGDClassifier
from mercer.estimators.sgd_one_class import SGDOneClassSVM
from mercer.estimators.sgd_regressor import SGDRegressor
from mercer.estimators.svc import SVC
from mercer.estimators.svr import SVR

__all__ = [
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KernelRegression",
    "LinearSVC",
    "LinearSVR",
    "NearestNeighbors",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
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
]
