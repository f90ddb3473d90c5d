"""A fit, and the memory that it took at most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.memory import peak_mb, reset_peak, resident_mb

__all__ = ["Fitted", "fitted"]


@dataclass(frozen=True)
class Fitted:
    """What a fit made, and its peak of resident memory beside what was there before it, in MB."""

    model: Any
    peak: float


def fitted(fit: Callable[[], Any]) -> Fitted:
    """Does it."""
    before = resident_mb()
    reset_peak()
    model = fit()
    return Fitted(model, peak_mb() - before)
