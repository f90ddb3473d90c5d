"""How wide windows are to be: each row is left out in turn, and no fit is made anew for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mercer._runtime import core
from mercer.local.smoother import LocalFits, Smoother
from mercer.local.windows import FixedWindows, NearestWindows, Windows
from mercer.typing import Floats, Integers

__all__ = ["Selection", "leverage_of", "left_out_residuals", "select_windows"]

# Numbers of neighbours that are tried, each about as much larger than the one before.
_CANDIDATES = 14
# Rows that tell how far away so many neighbours are.
_SAMPLE = 256
# A row that a fit stands on alone is not predicted by others.
_ALONE = 1 - 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """What was tried, what each missed by when rows are left out (mean of squares), and which is taken."""

    candidates: list[Windows]
    errors: Floats

    @property
    def windows(self) -> Windows:
        return self.candidates[int(np.argmin(self.errors))]


def leverage_of(smoother: Smoother, fits: LocalFits) -> Floats:
    """What each row contributes to its own prediction: the diagonal of the smoother matrix."""
    prior = smoother.weights if smoother.robustness is None else smoother.weights * smoother.robustness
    return prior * fits.inverse


def left_out_residuals(smoother: Smoother, fits: LocalFits) -> Floats:
    """y_i less what the other rows predict in the same window: (y_i − f_i) / (1 − l_ii); infinite of a row that its
    fit stands on alone."""
    leverage = leverage_of(smoother, fits)
    is_alone = leverage >= _ALONE
    left = np.where(is_alone, 1.0, 1 - leverage)[:, None]
    return np.where(is_alone[:, None], np.inf, (smoother.Y - fits.values) / left)


def select_windows(smoother: Smoother, threads: int) -> Selection:
    """Tries windows of the same kind, from narrow to wide, on all rows."""
    counts = _counts(smoother)
    candidates: list[Windows]
    if isinstance(smoother.windows, NearestWindows):
        candidates = [NearestWindows(int(k)) for k in counts]
    else:
        candidates = [FixedWindows(width) for width in _widths(smoother, counts, threads)]
    errors = []
    for windows in candidates:
        own = replace(smoother, windows=windows)
        missed = left_out_residuals(own, own.fits(own.X, threads))
        with np.errstate(invalid="ignore", over="ignore"):
            error = float(np.average((missed**2).mean(axis=1), weights=own.weights))
        errors.append(error if np.isfinite(error) else np.inf)
    return Selection(candidates, np.array(errors))


def _counts(smoother: Smoother) -> Integers:
    """From about as many as a polynomial has coefficients up to all rows."""
    n, d = smoother.X.shape
    coefficients = {0: 1, 1: d + 1, 2: (d + 1) * (d + 2) // 2}[smoother.order]
    least = min(n, coefficients + 2)
    return np.unique(np.geomspace(least, n, _CANDIDATES).round().astype(np.int64))


def _widths(smoother: Smoother, counts: Integers, threads: int) -> list[float]:
    """Median distances of the rows from so many neighbours, and twice the largest."""
    some = np.linspace(0, len(smoother.X) - 1, min(_SAMPLE, len(smoother.X)), dtype=np.int64)
    X = np.ascontiguousarray(smoother.X)
    widths = np.unique([np.median(core.kth_distances(X, X[some], int(k), threads)) for k in counts])
    widths = widths[widths > 0]
    return [float(width) for width in widths] + [float(2 * widths[-1])] if len(widths) else [1.0]
