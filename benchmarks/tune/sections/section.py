"""What a section of the report is: problems, what is run on them, and how that is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.dataset import Dataset
from benchmarks.tune.race import Terms
from benchmarks.tune.record import Entry, Showing
from benchmarks.tune.tasks import Task


@dataclass(frozen=True)
class Section:
    """One section.

    Attributes
    ----------
    title, told : str
        What it is called, and what its reader has to know.
    tasks : callable
        Its problems, from the folder of the data and the most rows that are wanted.
    run : callable
        What is measured on one of them.
    tables : callable
        The entries in Markdown.
    """

    title: str
    told: str
    tasks: Callable[[Path, int | None], list[Task]]
    run: Callable[[Task, Dataset, Terms], list[Showing]]
    tables: Callable[[Sequence[Entry]], str]
