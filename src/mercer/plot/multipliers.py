"""The multipliers of a binary machine at its training rows, with their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.errors import InputError
from mercer.plot.labelled_rows import check_two_classes
from mercer.typing import Booleans, Floats

__all__ = ["Multipliers"]

# A multiplier so near to its bound, as a share of it, is at it.
_AT_BOUND = 1e-9


@dataclass(frozen=True)
class Multipliers:
    """a_i of each training row with its bound C_i and its sign; rows that support nothing may have the sign 0.

    Bounds of rows without a sign are those of the class whose bound is larger: nothing is decided by them.
    """

    alpha: Floats
    upper: Floats
    signs: Floats

    @classmethod
    def of(cls, estimator: Any, sample_weight: Any = None) -> Multipliers:
        """Reads a fitted `SVC` for two classes; `sample_weight` as it was given to fit."""
        check_two_classes(estimator)
        if not hasattr(estimator, "dual_coef_") or not hasattr(estimator, "C"):
            raise InputError(f"Expected an SVC, with multipliers between 0 and C, got {type(estimator).__name__}.")
        rows, coef = estimator.shape_fit_[0], estimator.dual_coef_
        signed = np.zeros(rows)
        signed[estimator.support_] = (coef.toarray() if sp.issparse(coef) else np.asarray(coef))[0]
        weights = np.ones(rows) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weights.shape != (rows,):
            raise InputError(f"sample_weight: expected one for each of {rows} rows, got shape {weights.shape}.")
        signs, (negative, positive) = np.sign(signed), estimator.class_weight_
        factors = np.where(signs > 0, positive, np.where(signs < 0, negative, max(negative, positive)))
        found = cls(np.abs(signed), float(estimator.C) * factors * weights, signs)
        if np.any(found.alpha > found.upper * (1 + _AT_BOUND)):
            raise InputError(
                "Expected multipliers between 0 and C · class weight, got larger ones. Pass the sample_weight of fit."
            )
        return found

    @property
    def bounded(self) -> Booleans:
        return (self.alpha > 0) & (self.alpha >= self.upper * (1 - _AT_BOUND))

    @property
    def free(self) -> Booleans:
        return (self.alpha > 0) & ~self.bounded
