"""Nearest rows: who is near a query, by which distance, found how."""

from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Exactness, Nearest, Within, without_next
from mercer.neighbours.masked import MaskedIndex
from mercer.neighbours.memory import Memory
from mercer.neighbours.metrics import METRICS, Search, search_by

__all__ = [
    "METRICS",
    "EuclideanIndex",
    "Exactness",
    "MaskedIndex",
    "Memory",
    "Nearest",
    "Search",
    "Within",
    "search_by",
    "without_next",
]
