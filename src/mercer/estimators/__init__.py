"""scikit-learn's face: parameters, fit, predict; thin.

`base` holds the one way from data to a certified machine, `classifier` and `regressor` what these kinds share; each
estimator has a file of its own.
"""

from mercer.estimators.certify import certify
from mercer.estimators.nu_svc import NuSVC
from mercer.estimators.nu_svr import NuSVR
from mercer.estimators.one_class import OneClassSVM
from mercer.estimators.svc import SVC
from mercer.estimators.svr import SVR

__all__ = ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "certify"]
