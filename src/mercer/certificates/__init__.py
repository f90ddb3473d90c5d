"""The proof: how far from the optimum a machine can be at most.

Everything here is computed from the fitted coefficients, the intercept, the data and the kernel. It shares nothing with
the solvers: `decision values in, numbers out`. `Evidence` is what comes in, and puts the numbers off until somebody
asks for them. `ridge` proves solutions of linear systems, `sparse_ridge` those of some landmarks against all rows.
`separation` proves that a hard margin has no solution.
"""

from mercer.certificates.certificate import Certificate
from mercer.certificates.evidence import Evidence, Unevaluated, evidence_of, more_precise
from mercer.certificates.linear import certify_crammer_singer, certify_linear
from mercer.certificates.precise import PreciseValues
from mercer.certificates.products import Products, evaluate_in_time, evaluate_products
from mercer.certificates.ridge import RidgeCertificate, certify_ridge
from mercer.certificates.separation import InseparabilityProof, prove_inseparable
from mercer.certificates.sparse_ridge import SparseRidgeCertificate, certify_sparse_ridge

__all__ = [
    "Certificate",
    "Evidence",
    "InseparabilityProof",
    "PreciseValues",
    "Products",
    "RidgeCertificate",
    "SparseRidgeCertificate",
    "Unevaluated",
    "certify_crammer_singer",
    "certify_linear",
    "certify_ridge",
    "certify_sparse_ridge",
    "evaluate_in_time",
    "evaluate_products",
    "evidence_of",
    "more_precise",
    "prove_inseparable",
]
