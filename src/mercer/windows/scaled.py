"""Windows around rows whose features are multiplied by numbers, and kernels as such windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.kernels import Kernel
from mercer.neighbours.all_distances import by_name
from mercer.typing import Floats, Integers
from mercer.windows.euclidean import EuclideanWindows
from mercer.windows.kernel_profiles import profile_of_kernel
from mercer.windows.pairwise import DistanceWindows, KernelWindows
from mercer.windows.sums import EXACT, Tolerance, Windows, WindowSums

__all__ = ["ScaledWindows", "windows_of_kernel"]


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


def windows_of_kernel(X: Any, kernel: Kernel) -> Windows:
    """Rows under a kernel whose parameters are numbers; a bandwidth divides rows and queries."""
    profile = profile_of_kernel(kernel, X.shape[1])
    if profile is None:
        return KernelWindows(X, kernel)
    rows = np.ascontiguousarray(X * profile.scales)
    if profile.name is not None:
        return ScaledWindows(EuclideanWindows(rows, profile.name), profile.scales)
    distances = by_name(profile.metric, 2.0, {})
    return ScaledWindows(DistanceWindows(rows, distances, profile.log_values), profile.scales)
