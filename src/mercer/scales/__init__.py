"""How much each feature counts: scales that make rows with like targets near, and those with other targets far.

`Standard` brings features to one spread, `nested_sample` orders rows so that the first ones stand for all. Three
objectives say how good weights w_k ≥ 0 of squared differences are, with exact slopes by all of them: `SoftNeighbours`
leaves each row to the votes of the others, `LeftOut` and `Evidence` judge a kernel machine of all rows. `search` finds
the weights, from few rows to all of the sample.
"""

from mercer.scales.evidence import Evidence
from mercer.scales.gram import Gram
from mercer.scales.left_out import LeftOut
from mercer.scales.sample import nested_sample
from mercer.scales.search import Found, Limits, Stage, search
from mercer.scales.soft_neighbours import SoftNeighbours
from mercer.scales.standard import Standard

__all__ = [
    "Evidence",
    "Found",
    "Gram",
    "LeftOut",
    "Limits",
    "SoftNeighbours",
    "Stage",
    "Standard",
    "nested_sample",
    "search",
]
