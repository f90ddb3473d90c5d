"""Windows: what rows count by their distance from a query, how wide that reaches, and sums over it."""

from mercer.windows.edges import advice_for_choice
from mercer.windows.euclidean import EuclideanWindows
from mercer.windows.kernel_profiles import kernel_log_volume, kernel_spreads, kernel_steps, without_factor
from mercer.windows.left_out import BandwidthChoice, choose_bandwidth
from mercer.windows.pairwise import DistanceWindows, KernelWindows
from mercer.windows.profiles import PROFILES, SYNONYMS, log_volume, spread_of
from mercer.windows.rules import RULES, improved_sheather_jones, normal_reference
from mercer.windows.scaled import ScaledWindows, windows_of_kernel
from mercer.windows.sums import EXACT, Tolerance, Windows, WindowSums

__all__ = [
    "EXACT",
    "PROFILES",
    "RULES",
    "SYNONYMS",
    "BandwidthChoice",
    "DistanceWindows",
    "EuclideanWindows",
    "KernelWindows",
    "ScaledWindows",
    "Tolerance",
    "WindowSums",
    "Windows",
    "advice_for_choice",
    "choose_bandwidth",
    "improved_sheather_jones",
    "kernel_log_volume",
    "kernel_spreads",
    "kernel_steps",
    "log_volume",
    "normal_reference",
    "spread_of",
    "windows_of_kernel",
    "without_factor",
]
