"""What ridge regression says of rows that it was fitted without, in closed form.

*Returns* mean_i |e_i|², e_i = (A⁻¹y)_i / (A⁻¹)_ii the error at row i of the machine without it. With c = A⁻¹y, a the
diagonal of A⁻¹ and U = A⁻¹(e / a), its slopes by A are (2/n) (A⁻¹ diag(e·c / a²) A⁻¹ − (Ucᵀ + cUᵀ) / 2).
Classes are columns of one against the rest, which makes it the leave-one-out error of a least-squares SVM.
See Cawley, Talbot (2007), Preventing over-fitting during model selection via Bayesian regularisation of the
hyper-parameters.
"""

from __future__ import annotations

import numpy as np

from mercer.scales.gram import Gram
from mercer.typing import Floats

__all__ = ["LeftOut"]


class LeftOut(Gram):
    """The mean square of errors at rows left out."""

    def _judge(self, inverse: Floats, log_determinant: float) -> tuple[float, Floats]:
        n = len(inverse)
        coef, own = inverse @ self._targets, np.diagonal(inverse)[:, None]
        missed = coef / own
        pulled = inverse @ (missed / own)
        stretched = inverse * ((missed * coef).sum(axis=1) / own[:, 0] ** 2)
        M = stretched @ inverse
        crossed = pulled @ coef.T
        M -= (crossed + crossed.T) / 2
        M *= 2 / n
        return float(np.vdot(missed, missed)) / n, M
