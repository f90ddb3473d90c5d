"""Pictures of machines and problems, on matplotlib. A leaf: nobody imports it, it needs the extra `mercer[app]`."""

from mercer.plot.boundary import DecisionBoundaryDisplay
from mercer.plot.coordinate_path import CoordinatePathDisplay
from mercer.plot.duality import DualityDisplay
from mercer.plot.influence import InfluenceDisplay

__all__ = ["CoordinatePathDisplay", "DecisionBoundaryDisplay", "DualityDisplay", "InfluenceDisplay"]
