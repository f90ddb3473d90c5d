"""Nearest rows: who is near a query, by which distance, found how."""

from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Exactness, Nearest, Within
from mercer.neighbours.masked import MaskedIndex
from mercer.neighbours.metrics import ALGORITHMS, METRICS, search_by
from mercer.neighbours.search import Search
from mercer.neighbours.tree import TreeIndex

__all__ = [
    "ALGORITHMS",
    "METRICS",
    "EuclideanIndex",
    "Exactness",
    "MaskedIndex",
    "Nearest",
    "Search",
    "TreeIndex",
    "Within",
    "search_by",
]
