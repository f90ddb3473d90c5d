"""What is minimised: each problem is a value of the targets and weights, and they all have one form.

`dual` holds that form with what follows from it: feasible points, optimality, objectives. The other files
translate into it, one problem a file. A problem sees kernel values only through the products it is given. `linear` has
the form of machines that are found through their weights, `crammer_singer` that of all classes at once, `losses` the
losses that are only ever gone down, `ridge` the one whose optimum is the solution of a linear system.
"""

from mercer.problems.bounds import bounds_of
from mercer.problems.crammer_singer import CrammerSingerProblem
from mercer.problems.dual import DualProblem, KktSummary, Offsets, Sides, Start
from mercer.problems.groups import Groups
from mercer.problems.linear import REGULARIZED, Intercept, InterceptColumn, LinearProblem, Penalty
from mercer.problems.losses import LOSSES, mean_loss, penalty_of
from mercer.problems.nu_svc import NuClassification
from mercer.problems.nu_svr import NuRegression, NuRegressionInTwins, NuRegressionWithoutTube
from mercer.problems.one_class import OneClass
from mercer.problems.ridge import RidgeProblem
from mercer.problems.svc import SupportVectorClassification
from mercer.problems.svc_without_intercept import ClassificationWithoutIntercept
from mercer.problems.svr import SupportVectorRegression

__all__ = [
    "ClassificationWithoutIntercept",
    "CrammerSingerProblem",
    "bounds_of",
    "DualProblem",
    "Offsets",
    "Sides",
    "KktSummary",
    "Start",
    "Groups",
    "Intercept",
    "InterceptColumn",
    "REGULARIZED",
    "LinearProblem",
    "LOSSES",
    "mean_loss",
    "penalty_of",
    "NuClassification",
    "NuRegression",
    "NuRegressionInTwins",
    "NuRegressionWithoutTube",
    "OneClass",
    "Penalty",
    "RidgeProblem",
    "SupportVectorClassification",
    "SupportVectorRegression",
]
