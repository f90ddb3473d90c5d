"""Rows of one feature with the windows that an estimator puts around them, checked against what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.data import class_weights
from mercer.errors import InputError
from mercer.estimators import KernelDensity, NearestNeighbors, ParzenClassifier, ParzenRegressor
from mercer.kernels import Kernel
from mercer.typing import Floats, Labels
from mercer.windows import SYNONYMS, log_volume
from mercer.windows.profiles import UNBOUNDED, log_values

__all__ = ["Said", "WindowedRows", "says"]

# How far beyond the outermost rows windows are shown, in bandwidths: the whole of one, and what can be seen of those
# that do not end.
_WHOLE, _SEEN = 1.1, 3.5
# Places at which the sum over the windows is compared with the estimator, and by what share they may differ.
_PLACES, _ROUNDING = 16, 1e-6
# Sums below this are of numbers that have lost digits.
_LEAST_SUM = 1e-290
# Multiples of it, without whole numbers, are all over the unit interval and on no grid that rows may be on.
_GOLDEN = (5**0.5 - 1) / 2

_METRICS = ("euclidean", "l2", "minkowski", "p")


@dataclass(frozen=True)
class WindowedRows:
    """Rows, and the height and width of the window of each.

    Attributes
    ----------
    x : ndarray of shape (n,)
        Rows that weigh something.
    y : ndarray of shape (n,) or None
        Their labels or targets; None of a density.
    heights, widths : ndarray of shape (n,)
        The window of row i is heights[i] K(|x − x[i]| / widths[i]). Of a density these windows add up to it; otherwise
        the highest is one.
    profile : str
        The name of K.
    is_closed : bool
        Whether the edge of a hard window counts.
    """

    x: Floats
    y: Labels | None
    heights: Floats
    widths: Floats
    profile: str
    is_closed: bool

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, sample_weight: Any) -> WindowedRows:
        """Raises unless the estimator has named windows and was fitted on these rows of one feature."""
        is_density = isinstance(estimator, KernelDensity)
        if not is_density and not isinstance(estimator, (ParzenClassifier, ParzenRegressor)):
            raise InputError(
                "Expected a KernelDensity, ParzenClassifier or ParzenRegressor of Mercer, got "
                f"{type(estimator).__name__}."
            )
        check_is_fitted(estimator)
        if getattr(estimator, "outputs_2d_", False):
            raise InputError(f"Expected a classifier of one output, got {len(estimator.classes_)}. Fit one on each.")
        metric = getattr(estimator, "metric", "euclidean")
        if isinstance(estimator.kernel, Kernel) or not (isinstance(metric, str) and metric in _METRICS):
            raise InputError(
                f"Expected windows with a name and of the Euclidean distance, got kernel={estimator.kernel!r} and "
                f"metric={metric!r}."
            )
        rows, targets = np.asarray(X, dtype=np.float64), None if y is None else np.asarray(y)
        if rows.ndim != 2 or rows.shape[1] != 1:
            raise InputError(f"X: expected rows of one feature, got shape {rows.shape}. Pick one of them.")
        if is_density != (targets is None) or (targets is not None and targets.shape != (len(rows),)):
            expected = "None" if is_density else f"a label or target for each of {len(rows)} rows"
            got = "None" if targets is None else f"shape {targets.shape}"
            raise InputError(f"y: expected {expected} with {type(estimator).__name__}, got {got}.")
        weights = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weights.shape != (len(rows),):
            raise InputError(f"sample_weight: expected one for each of {len(rows)} rows, got shape {weights.shape}.")
        if getattr(estimator, "class_weight", None) is not None and targets is not None:
            weights = weights * _of_classes(estimator, targets, weights)
        counts = weights > 0
        x, weights = rows[counts, 0], weights[counts]
        widths = _widths(estimator, x)
        profile = SYNONYMS.get(estimator.kernel, estimator.kernel)
        heights = weights / widths
        heights /= weights.sum() * np.exp(log_volume(profile, 1)) if is_density else heights.max()
        y = None if targets is None else targets[counts]
        found = cls(x, y, heights, widths, profile, not is_density)
        found._check(estimator)
        return found

    def windows(self, rows: Any, places: Floats) -> Floats:
        """The windows of some rows, one a line, at places."""
        away = np.abs(places - self.x[rows, None]) / self.widths[rows, None]
        return np.asarray(self.heights[rows, None] * np.exp(log_values(self.profile, away, self.is_closed)))

    @property
    def limits(self) -> tuple[float, float]:
        """From the left end of the windows to the right one."""
        reach = (_SEEN if self.profile in UNBOUNDED else _WHOLE) * self.widths
        return float(np.min(self.x - reach)), float(np.max(self.x + reach))

    def _check(self, estimator: Any) -> None:
        """The sums over all windows are what the estimator says, or these are not its rows."""
        low, high = self.limits
        places = np.asarray(low + (high - low) * (_GOLDEN * np.arange(1, _PLACES + 1) % 1), dtype=np.float64)
        windows, said = self.windows(slice(None), places), says(estimator, places)
        sums = windows.sum(axis=0)
        # The rule for empty windows answers where there is no row.
        is_heard = sums > _LEAST_SUM
        if self.y is None:
            expected, slack = sums[None], _ROUNDING * sums.max() + estimator.atol + estimator.rtol * sums
            is_heard[:] = True
        else:
            targets = self.y[None].astype(float) if said.classes is None else said.classes[:, None] == self.y
            expected = targets @ windows / np.where(is_heard, sums, 1.0)
            slack = np.full(len(places), _ROUNDING * max(1.0, np.abs(expected).max()))
        is_near = np.abs(said.values - expected) <= slack
        if not is_near[:, is_heard].all():
            raise InputError(
                "Expected the rows, targets and weights that the estimator was fitted on, got others: the sums over "
                "their windows are not what it says."
            )


def _of_classes(estimator: ParzenClassifier, labels: Any, weights: Floats) -> Floats:
    """What each row counts by its class."""
    classes, codes = np.unique(labels, return_inverse=True)
    return class_weights(estimator.class_weight, classes, codes, weights)[codes]


def _widths(estimator: Any, x: Floats) -> Floats:
    """The bandwidth of each row."""
    widths = np.full(len(x), np.ravel(estimator.bandwidth_)[0], dtype=np.float64)
    if estimator.n_neighbors is not None:
        widths *= NearestNeighbors(n_neighbors=estimator.n_neighbors).fit(x[:, None]).kneighbors()[0][:, -1]
    if not np.all(widths > 0):
        raise InputError("Expected windows of a positive width, got 0. Fit with a positive bandwidth.")
    return widths


@dataclass(frozen=True)
class Said:
    """What an estimator says at some places: a line for a density or a mean, or the share of each class."""

    values: Floats
    classes: Labels | None


def says(estimator: Any, places: Floats) -> Said:
    """The density, the mean, or the shares of the classes at places."""
    queries = places[:, None]
    if isinstance(estimator, KernelDensity):
        return Said(np.exp(estimator.score_samples(queries))[None], None)
    if isinstance(estimator, ParzenClassifier):
        return Said(estimator.predict_proba(queries).T, estimator.classes_)
    means = estimator.predict(queries)
    if means.ndim != 1:
        raise InputError(f"Expected a regressor of one target, got {means.shape[1]}. Fit one on each.")
    return Said(means[None], None)
