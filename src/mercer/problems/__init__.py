"""What is minimised: each problem knows its box QP, its primal and dual values, and its intercept.

A problem is a value of the targets and weights; it sees kernel values only through the products it is given. Solvers
see its `BoxQP`, certificates see `slope` and the box.
"""

from mercer.problems.box_qp import BoxQP
from mercer.problems.svc import SupportVectorClassification

__all__ = ["BoxQP", "SupportVectorClassification"]
