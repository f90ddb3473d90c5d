"""The report on ridge regression, Gaussian processes and features that matter."""

from benchmarks.smooth.sections import SECTIONS
from benchmarks.ways.book import Book

__all__ = ["SMOOTH"]

_PACKAGES = {
    "scikit-learn": "sklearn",
    "himalaya": "himalaya.kernel_ridge",
    "gpytorch": "gpytorch",
    "tinygp": "tinygp",
}

SMOOTH = Book("smooth", "Ridge regression, Gaussian processes, and features that matter", SECTIONS, "smooth", _PACKAGES)
