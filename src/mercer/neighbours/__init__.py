"""Nearest rows: who is near a query, by which distance, found how."""

from mercer.neighbours.euclidean import EuclideanIndex
from mercer.neighbours.found import Exactness, Nearest, Within

__all__ = ["EuclideanIndex", "Exactness", "Nearest", "Within"]
