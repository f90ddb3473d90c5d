"""Looking into fitted machines: which training rows a prediction comes from, and how far rows are from a boundary.

A leaf: nothing else imports it. `functions` finds in a fitted model, Mercer's or scikit-learn's, the one function that
is asked about; the other files answer one question each.
"""

from mercer.inspection.contributions import contributions
from mercer.inspection.least_squares import LeastSquaresInExamples, least_squares_in_examples
from mercer.inspection.leave_one_out import leave_one_out_residuals
from mercer.inspection.margins import Margin, functional_margins, geometric_margins, margin_of
from mercer.inspection.xi_alpha import XiAlphaBound, xi_alpha_bound

__all__ = [
    "contributions",
    "least_squares_in_examples",
    "LeastSquaresInExamples",
    "leave_one_out_residuals",
    "xi_alpha_bound",
    "XiAlphaBound",
    "functional_margins",
    "geometric_margins",
    "margin_of",
    "Margin",
]
