"""From a table to a certified model and what was found on the way."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.tables import Table
from mercer.tabular import TableModel
from mercer.training.baselines import compare
from mercer.training.evaluation import evaluate
from mercer.training.findings import Findings
from mercer.training.fitting import fit_machine
from mercer.training.gathering import gather
from mercer.training.importance import column_importance
from mercer.training.leaks import Leak, find_leaks
from mercer.training.modelling import make_model
from mercer.training.options import TrainingOptions
from mercer.training.outcome import Outcome
from mercer.training.pace import Pace, Progress
from mercer.training.prepared import encode_parts
from mercer.training.same_rows import count_seen
from mercer.training.search import search_parameters
from mercer.training.split import split_rows
from mercer.training.target import read_target
from mercer.training.training_score import score_on_training_rows

__all__ = ["Trained", "train"]

_DEFAULTS = TrainingOptions()


@dataclass(frozen=True, eq=False)
class Trained:
    """A model, and what the run found."""

    model: TableModel
    findings: Findings


def train(
    table: Table,
    target: str,
    *,
    test: Table | float = 0.25,
    options: TrainingOptions = _DEFAULTS,
    progress: Progress | None = None,
) -> Trained:
    """Tunes, fits, certifies and judges a machine that predicts one column of a table from the others.

    Parameters
    ----------
    table : Table
        As `read_table` gives it.
    target : str
        The column to predict.
    test : Table or float, default=0.25
        Rows to judge by, or the share of the table that is held out for it.
    options : TrainingOptions
    progress : callable, optional
        Called with the name of a stage, how much of it is done (0 to 1), and words.

    Returns
    -------
    Trained
    """
    pace = Pace(options.time_limit, progress)
    goal = read_target(table[target], options)
    parts = split_rows(table, goal, test, options)
    dropped: list[Leak] = []
    while True:
        pace.tell("encode", 0.0, f"{len(parts.train):,} training rows")
        data = encode_parts(parts, goal)
        choice = search_parameters(data, options, pace)
        leaks = find_leaks(data, choice.found.score, options.seed)
        likely = [leak for leak in leaks if leak.is_likely]
        if dropped or not (options.drop_leaks and likely):  # a column that stands out among the rest may well be honest
            break
        dropped = likely
        parts = parts.without([leak.column for leak in likely])

    pace.tell("fit", 0.0, f"{len(parts.train):,} rows")
    fit = fit_machine(data, choice, options, pace)
    model = make_model(data, fit, options)
    pace.tell("evaluate", 0.0, f"{len(parts.test):,} test rows")
    judged = evaluate(model.predict(parts.test.table, threads=options.threads), data.y_test, goal, options.seed)
    rivals = compare(data, fit, judged, options, pace)
    importance = column_importance(data, fit, options, pace)
    on_training_rows = score_on_training_rows(data, fit, options.seed)
    source = test if isinstance(test, Table) else table
    seen = count_seen(table.take(parts.train.numbers - 1), source.take(parts.test.numbers - 1))
    outcome = Outcome(
        table, test, options, data, leaks, dropped, fit, judged, rivals, importance, on_training_rows, seen
    )
    return Trained(*gather(outcome, model, pace))
