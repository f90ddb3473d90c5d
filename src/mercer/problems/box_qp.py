"""The one quadratic problem that the core solves."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.typing import Floats

__all__ = ["BoxQP"]


@dataclass(frozen=True)
class BoxQP:
    """min ½ aᵀQa + linearᵀa with signsᵀa = signsᵀstart, 0 ≤ a ≤ upper and Q_ij = signs_i signs_j K_ij.

    `start` is feasible; `upper` may be infinite.
    """

    linear: Floats
    signs: Floats
    upper: Floats
    start: Floats
