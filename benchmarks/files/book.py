"""The report on files and commands."""

from benchmarks.files.sections import SECTIONS
from benchmarks.ways.book import Book

__all__ = ["FILES"]

_PACKAGES = {
    "scikit-learn": "sklearn",
    "duckdb": "duckdb",
    "skrub": "skrub",
    "joblib": "joblib",
    "skops": "skops.io",
    "libsvm-official": "libsvm.svmutil",
}

FILES = Book("files", "From a table to a certified model: files and commands", SECTIONS, "files", _PACKAGES)
