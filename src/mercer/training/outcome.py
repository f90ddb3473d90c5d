"""All that a run has come to know before it is judged: what the checks look at."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.tables import Table
from mercer.training.baselines import Rival
from mercer.training.evaluation import Judged
from mercer.training.findings import Importance
from mercer.training.fitting import Fit
from mercer.training.leaks import Leak
from mercer.training.measures import Measure
from mercer.training.options import TrainingOptions
from mercer.training.prepared import Prepared
from mercer.training.search import Choice

__all__ = ["Outcome"]

# The share of test rows that are training rows beyond which the score says little of new rows.
_MANY_SEEN = 0.1


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the steps found.

    Attributes
    ----------
    table, test : Table, Table or float
        As they were given.
    data, fit, judged, rivals, importance
        What the steps gave, in their order.
    leaks, dropped_leaks : list of Leak
        Columns that nearly reach the score alone and stayed, and those that were left out for it.
    on_training_rows : Measure
        The score that counts on rows that the machine learnt from.
    seen : int
        Test rows that are training rows too, in all columns as the tables have them, and with the same target.
    """

    table: Table
    test: Table | float
    options: TrainingOptions
    data: Prepared
    leaks: list[Leak]
    dropped_leaks: list[Leak]
    fit: Fit
    judged: Judged
    rivals: list[Rival]
    importance: list[Importance]
    on_training_rows: Measure
    seen: int

    @property
    def is_mostly_unseen(self) -> bool:
        """Whether the score can be taken for one of new rows."""
        return self.seen <= _MANY_SEEN * len(self.data.test)

    @property
    def choice(self) -> Choice:
        return self.fit.choice

    def rival(self, key: str) -> Rival | None:
        """What was compared under this name."""
        return next((rival for rival in self.rivals if rival.key == key), None)
