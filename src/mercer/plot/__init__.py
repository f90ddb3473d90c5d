"""Pictures of machines and problems, on matplotlib. A leaf: nobody imports it, it needs the extra `mercer[app]`.

One display a file, in scikit-learn's manner: a class made by `from_…`, which draws at once; `plot` draws it again, and
the matplotlib objects are in `figure_` and `ax_`, of several panels also in `axes_`. Pictures of searches and paths, of
neighbours and windows are drawn by functions as well, `plot_…`, which return the display. `palette`, `canvas` and
`parameter_axis` are how pictures look; `labelled_rows`, `multipliers`, `searched`, `traced` and `windowed_rows` read
and check what is to be drawn.
"""

from mercer.plot.binary_losses import BinaryLossesDisplay
from mercer.plot.boundary import DecisionBoundaryDisplay
from mercer.plot.convergence import ConvergenceDisplay
from mercer.plot.coordinate_path import CoordinatePathDisplay
from mercer.plot.dual_variables import DualVariablesDisplay
from mercer.plot.duality import DualityDisplay
from mercer.plot.influence import InfluenceDisplay
from mercer.plot.kernel_matrix import KernelMatrixDisplay
from mercer.plot.kernel_values import KernelValuesDisplay
from mercer.plot.kkt_residuals import KktResidualsDisplay
from mercer.plot.left_out import LeftOutDisplay, plot_left_out_errors
from mercer.plot.left_out_curve import LeftOutCurveDisplay
from mercer.plot.likelihood_surface import LikelihoodSurfaceDisplay
from mercer.plot.local_fit import LocalFitDisplay
from mercer.plot.neighbours import NeighboursDisplay, plot_neighbours
from mercer.plot.panels import Panel, PanelsDisplay
from mercer.plot.path import PathDisplay, plot_path
from mercer.plot.posterior import PosteriorDisplay
from mercer.plot.relevance import RelevanceDisplay
from mercer.plot.search_grid import SearchDisplay, plot_search
from mercer.plot.smo_animation import SmoAnimation
from mercer.plot.smo_step import SmoStepDisplay
from mercer.plot.validation_curve import ValidationCurveDisplay, plot_validation_curve
from mercer.plot.windows import WindowsDisplay, plot_windows

__all__ = [
    "BinaryLossesDisplay",
    "ConvergenceDisplay",
    "CoordinatePathDisplay",
    "DecisionBoundaryDisplay",
    "DualVariablesDisplay",
    "DualityDisplay",
    "InfluenceDisplay",
    "KernelMatrixDisplay",
    "KernelValuesDisplay",
    "KktResidualsDisplay",
    "LeftOutDisplay",
    "LocalFitDisplay",
    "LeftOutCurveDisplay",
    "LikelihoodSurfaceDisplay",
    "NeighboursDisplay",
    "Panel",
    "PanelsDisplay",
    "PathDisplay",
    "PosteriorDisplay",
    "RelevanceDisplay",
    "SearchDisplay",
    "SmoAnimation",
    "SmoStepDisplay",
    "ValidationCurveDisplay",
    "WindowsDisplay",
    "plot_left_out_errors",
    "plot_neighbours",
    "plot_path",
    "plot_search",
    "plot_validation_curve",
    "plot_windows",
]
