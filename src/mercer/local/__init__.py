"""Local regression: a polynomial around each query, by least squares with the weights of a window.

`windows` says how wide a window is at each query, `smoother` fits, `robustness` weighs rows down that fits miss,
`selection` chooses windows by leaving each row out, `fitted` has what fits at the training rows tell, and `scatterplot`
is Cleveland's way for one feature.
"""

from mercer.local.fitted import FittedSmoothers, Interval
from mercer.local.robustness import bisquare_weights
from mercer.local.scatterplot import smooth_scatterplot
from mercer.local.selection import Selection, select_windows
from mercer.local.smoother import LocalFits, Smoother
from mercer.local.windows import KERNELS, FixedWindows, NearestWindows, Windows, neighbours_of_share

__all__ = [
    "KERNELS",
    "FittedSmoothers",
    "FixedWindows",
    "Interval",
    "LocalFits",
    "NearestWindows",
    "Selection",
    "Smoother",
    "Windows",
    "bisquare_weights",
    "neighbours_of_share",
    "select_windows",
    "smooth_scatterplot",
]
