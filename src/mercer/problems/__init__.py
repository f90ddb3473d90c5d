"""What is minimised: each problem knows its box QP, its feasible points and its intercept.

A problem is a value of the targets and weights; it sees kernel values only through the products it is given. Solvers
see its `BoxQP`s, certificates its signs and bounds.
"""

from mercer.problems.box_qp import BoxQP
from mercer.problems.groups import Groups
from mercer.problems.svc import Intercepts, SupportVectorClassification

__all__ = ["BoxQP", "Groups", "Intercepts", "SupportVectorClassification"]
