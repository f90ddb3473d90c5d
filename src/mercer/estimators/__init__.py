"""scikit-learn's face: parameters, fit, predict. Thin; what happens is in the folders above."""

from mercer.estimators.certify import certify
from mercer.estimators.svc import SVC

__all__ = ["SVC", "certify"]
