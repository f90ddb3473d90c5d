"""Nearest rows: who is near a query, by which distance, found how."""

from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Exactness, Nearest, Within
from mercer.neighbours.masked import MaskedIndex
from mercer.neighbours.metrics import METRICS, Search, search_by

__all__ = ["METRICS", "EuclideanIndex", "Exactness", "MaskedIndex", "Nearest", "Search", "Within", "search_by"]
