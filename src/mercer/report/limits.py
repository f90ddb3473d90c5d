"""How much of everything a page shows, so that it stays small whatever the data; report.json has all of it."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Most of each thing that a page shows.

    Attributes
    ----------
    columns, rows, values : int
        Columns of the table, rows worth a look, and values of one row.
    classes : int
        Classes of a confusion matrix and of tables by class.
    curves : int
        Curves of one chart.
    cells, points : int
        Values of one parameter on the map of a search, and points of one line.
    bars, checks, sentences : int
        Bars of a chart, checks, and sentences of a list.
    name, value, prose : int
        Characters of a name, a value, and a sentence.
    """

    columns: int = 250
    rows: int = 20
    values: int = 24
    classes: int = 30
    curves: int = 30
    cells: int = 24
    points: int = 600
    bars: int = 30
    checks: int = 60
    sentences: int = 30
    name: int = 60
    value: int = 80
    prose: int = 1000

    def reduced(self) -> Limits:
        """Less of everything, for data that make pages too large."""
        return Limits(**{each.name: max(2, getattr(self, each.name) * 3 // 4) for each in fields(self)})
