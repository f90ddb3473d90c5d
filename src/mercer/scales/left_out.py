"""What ridge regression says of rows that it was fitted without, in closed form.

*Returns* ½ log mean_i |e_i|², e_i = (A⁻¹y)_i / (A⁻¹)_ii the error at row i of the machine without it. With c = A⁻¹y, a
the diagonal of A⁻¹ and U = A⁻¹(e / a), its slopes by A are (A⁻¹ diag(e·c / a²) A⁻¹ − (Ucᵀ + cUᵀ) / 2) / Σ_i |e_i|².
By the logarithm a step from 0.02 to 0.01 counts as much as one from 1 to ½.
Classes are columns of one against the rest, which makes it the leave-one-out error of a least-squares SVM.
See Cawley, Talbot (2007), Preventing over-fitting during model selection via Bayesian regularisation of the
hyper-parameters.
"""

from __future__ import annotations

import math

import numpy as np

from mercer.scales.gram import Gram
from mercer.typing import Floats

__all__ = ["LeftOut"]


class LeftOut(Gram):
    """The logarithm of the root mean square of errors at rows left out."""

    def _judge(self, inverse: Floats, log_determinant: float) -> tuple[float, Floats]:
        coef, own = inverse @ self._targets, np.diagonal(inverse)[:, None]
        missed = coef / own
        pulled = inverse @ (missed / own)
        stretched = inverse * ((missed * coef).sum(axis=1) / own[:, 0] ** 2)
        M = stretched @ inverse
        crossed = pulled @ coef.T
        M -= (crossed + crossed.T) / 2
        total = max(float(np.vdot(missed, missed)), np.finfo(np.float64).tiny)
        M /= total
        return 0.5 * math.log(total / len(inverse)), M
