"""The report on machines that remember."""

from benchmarks.remember.peers import MODULES
from benchmarks.remember.sections import SECTIONS
from benchmarks.ways.book import Book

__all__ = ["MEMORY"]

MEMORY = Book("remember", "Machines that remember", SECTIONS, "memory", MODULES)
