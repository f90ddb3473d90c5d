"""What local fits at the training rows tell: leverages, errors with a row left out, degrees of freedom, noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mercer._runtime import available_threads
from mercer.local.selection import left_out_residuals, leverage_of
from mercer.local.smoother import LocalFits, Smoother
from mercer.plain_state import PlainState
from mercer.typing import Floats

__all__ = ["FittedSmoothers", "Interval"]

# From the median of |r| to the standard deviation of normal errors.
_NORMAL = 1.4826022185056018
# Fewer degrees of freedom are rounding.
_NO_DOF = 1e-8


class Interval(NamedTuple):
    """Predictions with what they lie between."""

    value: Floats
    lower: Floats
    upper: Floats


@dataclass(eq=False, repr=False)
class FittedSmoothers(PlainState):
    """One smoother for all targets or, where rows weigh differently for each, one for each."""

    smoothers: list[Smoother]
    is_robust: bool
    threads: int | None = None  # those that are available

    def fits(self, Q: Floats, threads: int, squares: bool = False) -> list[LocalFits]:
        """Around queries, of each smoother; those at the training rows, which the noise is told from, only once."""
        if squares and np.array_equal(Q, self.smoothers[0].X):
            return self.own
        return [smoother.fits(Q, threads, squares) for smoother in self.smoothers]

    @cached_property
    def own(self) -> list[LocalFits]:
        """The fits at the training rows."""
        threads = self.threads or available_threads()
        return [smoother.fits(smoother.X, threads, squares=True) for smoother in self.smoothers]

    @cached_property
    def values(self) -> Floats:
        """Predictions at the training rows, of each target."""
        return np.concatenate([fits.values for fits in self.own], axis=1)

    @cached_property
    def residuals(self) -> Floats:
        """Targets less predictions."""
        return np.concatenate([smoother.Y for smoother in self.smoothers], axis=1) - self.values

    @cached_property
    def leverage(self) -> Floats:
        """What each row contributes to its own prediction, one column a smoother."""
        pairs = zip(self.smoothers, self.own, strict=True)
        return np.stack([leverage_of(smoother, fits) for smoother, fits in pairs], axis=1)

    @cached_property
    def left_out(self) -> Floats:
        """Targets less what the other rows predict."""
        pairs = zip(self.smoothers, self.own, strict=True)
        return np.concatenate([left_out_residuals(smoother, fits) for smoother, fits in pairs], axis=1)

    @cached_property
    def residual_dof(self) -> Floats:
        """tr (I − L)ᵀ(I − L) of each smoother, with rows in units of their own uncertainty."""
        weights = self.smoothers[0].weights
        squares = np.array([np.sum(weights * fits.squares) for fits in self.own])
        return np.asarray(len(weights) - 2 * self.leverage.sum(axis=0) + squares)

    @cached_property
    def sigma(self) -> Floats:
        """The standard deviation of the errors of each target; NaN where nothing is left to tell it from."""
        weights = self.smoothers[0].weights[:, None]
        if self.is_robust:
            return np.asarray(_NORMAL * np.median(np.abs(self.residuals) * np.sqrt(weights), axis=0))
        squares = np.sum(weights * self.residuals**2, axis=0)
        dof = np.broadcast_to(self.residual_dof, squares.shape)
        return np.asarray(np.sqrt(np.divide(squares, dof, out=np.full_like(squares, np.nan), where=dof > _NO_DOF)))
