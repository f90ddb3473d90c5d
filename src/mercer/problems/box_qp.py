"""The one quadratic problem that the core solves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["BoxQP"]


@dataclass(frozen=True)
class BoxQP:
    """min ½ aᵀQa + linearᵀa with signsᵀa = signsᵀstart, 0 ≤ a ≤ upper and Q_ij = signs_i signs_j K_ij.

    `start` is feasible; `upper` may be infinite.
    """

    linear: np.ndarray
    signs: np.ndarray
    upper: np.ndarray
    start: np.ndarray
