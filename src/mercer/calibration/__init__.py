"""From the values of a machine to probabilities of classes.

A calibration is learnt from `HeldOutValues`: what machines that were fitted without a row say of it. `sigmoid`,
`isotonic` and `temperature` have one kind each; `combining` makes one probability a class of those that the functions
of a machine give. `laplace` has the noise of a regression, `inliers` the probability of belonging to a distribution.
`conformal` has sets of classes and intervals of targets that cover the truth as often as they say.
"""

from mercer.calibration.calibration import Calibration, HeldOutValues
from mercer.calibration.catalogue import CALIBRATIONS, calibration_from_arrays
from mercer.calibration.conformal import CrossIntervals, CrossSets, SplitIntervals, SplitSets
from mercer.calibration.conformal_arrays import conformal_arrays, conformal_from_arrays
from mercer.calibration.inliers import InlierProbability
from mercer.calibration.isotonic import IsotonicCalibration
from mercer.calibration.laplace import LaplaceNoise
from mercer.calibration.sigmoid import SigmoidCalibration
from mercer.calibration.temperature import TemperatureCalibration

__all__ = [
    "CALIBRATIONS",
    "Calibration",
    "CrossIntervals",
    "CrossSets",
    "HeldOutValues",
    "InlierProbability",
    "IsotonicCalibration",
    "LaplaceNoise",
    "SigmoidCalibration",
    "SplitIntervals",
    "SplitSets",
    "TemperatureCalibration",
    "calibration_from_arrays",
    "conformal_arrays",
    "conformal_from_arrays",
]
