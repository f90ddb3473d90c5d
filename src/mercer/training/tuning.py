"""The search for parameters alone, on all rows of a table."""

from __future__ import annotations

from mercer.tables import Table
from mercer.training.findings import ChoiceFound
from mercer.training.options import TrainingOptions
from mercer.training.pace import Pace, Progress
from mercer.training.prepared import encode_parts
from mercer.training.search import search_parameters
from mercer.training.split import split_rows
from mercer.training.target import read_target

__all__ = ["tune"]


def tune(table: Table, target: str, *, options: TrainingOptions, progress: Progress | None = None) -> ChoiceFound:
    """Looks for the parameters that score best on folds of a table.

    Parameters
    ----------
    table : Table
        As `read_table` gives it.
    target : str
        The column to predict.
    options : TrainingOptions
    progress : callable, optional
        Called with the name of a stage, how much of it is done (0 to 1), and words.

    Returns
    -------
    ChoiceFound
        The grid, the choice, and what is proven of it.
    """
    pace = Pace(options.time_limit, progress)
    goal = read_target(table[target], options)
    data = encode_parts(split_rows(table, goal, None, options), goal)
    return search_parameters(data, options, pace).found
