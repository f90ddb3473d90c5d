"""Upper bounds of multipliers from C and weights."""

from __future__ import annotations

import numpy as np

from mercer.errors import InputError
from mercer.typing import Floats

__all__ = ["bounds_of"]


def bounds_of(C: float, weights: Floats) -> Floats:
    """C · weight of rows that weigh something: positive and, unless C is not, finite."""
    least, most = float(weights.min()), float(weights.max())
    if C * least == 0 or (C * most == np.inf and not np.isinf(C)):
        raise InputError(
            f"C · weight is beyond what float64 holds: expected finite bounds > 0, got C={C:g} with weights "
            f"from {least:g} to {most:g}. Rescale C or the weights."
        )
    return C * weights
