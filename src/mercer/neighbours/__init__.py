"""Who is near a query: rows made ready to be searched, exactly, and what it took to tell."""

from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Exactness, Nearest, Within, without_next
from mercer.neighbours.masked import MaskedIndex
from mercer.neighbours.memory import Memory
from mercer.neighbours.metrics import ALGORITHMS, METRICS, search_by
from mercer.neighbours.search import Search
from mercer.neighbours.tree import TreeIndex

__all__ = [
    "ALGORITHMS",
    "METRICS",
    "EuclideanIndex",
    "Exactness",
    "MaskedIndex",
    "Memory",
    "Nearest",
    "Search",
    "TreeIndex",
    "Within",
    "search_by",
    "without_next",
]
