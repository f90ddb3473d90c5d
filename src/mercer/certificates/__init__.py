"""The proof: how far from the optimum a machine can be at most.

Everything here is computed from the fitted coefficients, the intercept, the data and the kernel. It shares nothing with
the solvers: `decision values in, numbers out`. `separation` proves that a hard margin has no solution.
"""

from mercer.certificates.certificate import Certificate
from mercer.certificates.classification import certify_classification
from mercer.certificates.rounding import accuracy_of_products
from mercer.certificates.separation import InseparabilityProof, prove_inseparable

__all__ = ["Certificate", "accuracy_of_products", "certify_classification", "InseparabilityProof", "prove_inseparable"]
