"""Windows around rows whose features are multiplied by numbers, sums of windows, and kernels as such."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.kernels import Kernel
from mercer.neighbours.all_distances import by_name
from mercer.neighbours.own_units import in_own_units
from mercer.typing import Floats, Integers
from mercer.windows.euclidean import EuclideanWindows
from mercer.windows.kernel_profiles import KernelProfile, factor_of, profile_of_kernel, without_factor
from mercer.windows.pairwise import DistanceWindows, KernelWindows, far_queries
from mercer.windows.sums import EXACT, Tolerance, Windows, WindowSums

__all__ = ["ScaledWindows", "SummedWindows", "windows_of_kernel"]


class ScaledWindows:
    """Windows whose queries are multiplied, feature by feature, as their rows were.

    Parameters
    ----------
    windows : Windows
        Around rows that are multiplied already.
    scales : ndarray of shape (features,)
    """

    def __init__(self, windows: Windows, scales: Floats) -> None:
        self._windows, self._scales = windows, scales

    @property
    def plan(self) -> str:
        return self._windows.plan

    def sums(
        self,
        Q: Any,
        bandwidths: Floats,
        coef: Floats,
        threads: int,
        excluded: Integers | None = None,
        tolerance: Tolerance = EXACT,
    ) -> WindowSums:
        """As in `Windows`."""
        return self._windows.sums(Q * self._scales, bandwidths, coef, threads, excluded, tolerance)

    def fitted(self, room: float) -> ScaledWindows:
        return ScaledWindows(self._windows.fitted(room), self._scales)


class SummedWindows:
    """Windows that are sums of others, each of which counts times a factor.

    Parameters
    ----------
    parts : list of (factor, Windows)
    """

    def __init__(self, parts: list[tuple[float, Windows]]) -> None:
        self._parts = parts

    @property
    def plan(self) -> str:
        return " ".join(dict.fromkeys(windows.plan for _, windows in self._parts))

    def sums(
        self,
        Q: Any,
        bandwidths: Floats,
        coef: Floats,
        threads: int,
        excluded: Integers | None = None,
        tolerance: Tolerance = EXACT,
    ) -> WindowSums:
        """As in `Windows`; an absolute tolerance is not made use of."""
        relative = Tolerance(None, tolerance.relative)
        found = [one.sums(Q, bandwidths, coef, threads, excluded, relative) for _, one in self._parts]
        # Logarithms count for parts that hold a row; that the others have is of nothing.
        logs = np.max([np.where(one.values[:, :, 0] > 0, one.logs, -np.inf) for one in found], axis=0)
        logs[np.isinf(logs)] = 0.0
        values = np.zeros_like(found[0].values)
        for (factor, _), one in zip(self._parts, found, strict=True):
            values += factor * one.values * np.exp(np.minimum(one.logs - logs, 0.0))[:, :, None]
        return WindowSums(values, logs, max(one.error for one in found))

    def fitted(self, room: float) -> SummedWindows:
        """The windows that are added share the memory."""
        return SummedWindows([(factor, one.fitted(room / len(self._parts))) for factor, one in self._parts])


def windows_of_kernel(X: Any, kernel: Kernel) -> Windows:
    """Rows under a kernel whose parameters are numbers; a bandwidth divides rows and queries."""
    terms = [(factor_of(term), without_factor(term)) for term in kernel.terms()]
    profiles = [profile_of_kernel(term, X.shape[1]) for _, term in terms]
    parts = [
        (factor, _windows_of_profile(X, profile))
        for (factor, _), profile in zip(terms, profiles, strict=True)
        if profile is not None
    ]
    if len(parts) < len(terms):
        return KernelWindows(X, kernel)
    return SummedWindows(parts) if len(parts) > 1 or parts[0][0] != 1 else parts[0][1]


def _windows_of_profile(X: Any, profile: KernelProfile) -> Windows:
    rows = np.ascontiguousarray(X * profile.scales)
    if profile.name is not None:
        return ScaledWindows(EuclideanWindows(rows, profile.name), profile.scales)
    distances = _euclidean if profile.metric == "euclidean" else by_name(profile.metric, 2.0, {})
    return ScaledWindows(DistanceWindows(rows, distances, profile.log_values), profile.scales)


def _euclidean(Q: Any, X: Any) -> Floats:
    """Distances, of queries however far out."""
    far = far_queries(Q)
    if far is None:
        return by_name("euclidean", 2.0, {})(Q, X)
    found = np.empty((len(Q), len(X)))
    found[far], found[~far] = in_own_units(Q[far], X), by_name("euclidean", 2.0, {})(Q[~far], X)
    return found
