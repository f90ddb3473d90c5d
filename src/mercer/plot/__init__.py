"""Pictures of machines, on matplotlib. A leaf: nothing else imports it, and it needs the extra `mercer[app]`."""

from mercer.plot.boundary import DecisionBoundaryDisplay
from mercer.plot.influence import InfluenceDisplay

__all__ = ["DecisionBoundaryDisplay", "InfluenceDisplay"]
