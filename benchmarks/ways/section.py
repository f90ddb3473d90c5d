"""What a section of the report is: problems, what is measured on them, and which bars are asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.ways.bars import Bar
from benchmarks.ways.race import Terms
from benchmarks.ways.record import Showing


@dataclass(frozen=True)
class Measured:
    """Rows and queries in words, and the ways."""

    size: str
    showings: list[Showing]


@dataclass(frozen=True)
class Section:
    """One section.

    Attributes
    ----------
    title, told : str
        What it is called, and what its reader has to know.
    problems : dict
        What is measured, by the names of the problems.
    bars : tuple of Bar
        What is asked.
    """

    title: str
    told: str
    problems: dict[str, Callable[[Terms], Measured]]
    bars: tuple[Bar, ...] = ()
