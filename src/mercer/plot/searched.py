"""The cells of a fitted search, checked before they are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.typing import Floats, Integers

__all__ = ["Searched", "as_text"]

_OF_MEANS = "mean_test_"
# Whole numbers from here on are written with an exponent.
_LONG = 1e5


@dataclass(frozen=True)
class Searched:
    """What a search found, of Mercer's or of scikit-learn's: the latter has no bounds and no certificate.

    Attributes
    ----------
    table : mapping
        `cv_results_`.
    chosen : int
        The cell that was chosen.
    certificate : ChoiceCertificate or None
    score : str
        The score by which was chosen, as the columns of the table are named.
    score_name : str
        What it is called in pictures.
    """

    table: Mapping[str, Any]
    chosen: int
    certificate: Any
    score: str
    score_name: str

    @classmethod
    def of(cls, search: Any) -> Searched:
        """Reads a fitted search, or that of a tuned machine; raises where there is none, or none with a choice."""
        prefix, search = ("machine__", search.search_) if hasattr(search, "search_") else ("", search)
        table, chosen = getattr(search, "cv_results_", None), getattr(search, "best_index_", None)
        if table is None or chosen is None:
            missing = "cv_results_" if table is None else "best_index_, the choice"
            raise InputError(
                f"search: expected a fitted GridSearchCV, got {type(search).__name__} without {missing}. Call fit, of "
                "several scores with refit= the name of one."
            )
        scores = [name.removeprefix(_OF_MEANS) for name in table if name.startswith(_OF_MEANS)]
        refit, scoring = getattr(search, "refit", None), getattr(search, "scoring", None)
        score = refit if isinstance(refit, str) and refit in scores else scores[0]
        name = scoring if isinstance(scoring, str) and score == "score" else score
        if np.isnan(np.asarray(table[f"{_OF_MEANS}{score}"], dtype=np.float64)).all():
            raise InputError("search: expected a cell with a score, got none: all are NaN.")
        if prefix:
            cells = [{key.removeprefix(prefix): value for key, value in cell.items()} for cell in table["params"]]
            table = {**table, "params": cells}
        return cls(table, int(chosen), getattr(search, "certificate_", None), score, name)

    @property
    def cells(self) -> Sequence[Mapping[str, Any]]:
        """The parameters of each cell."""
        found: Sequence[Mapping[str, Any]] = self.table["params"]
        return found

    @property
    def means(self) -> Floats:
        """The mean score of each cell over the folds, NaN where it has none."""
        return np.asarray(self.table[f"{_OF_MEANS}{self.score}"], dtype=np.float64)

    @property
    def errors(self) -> Floats:
        """The standard error of each mean; NaN of a single fold, which says nothing of it."""
        folds = np.stack([self.table[f"split{k}_test_{self.score}"] for k in range(self.folds)]).astype(np.float64)
        if self.folds < 2:
            return np.full(len(self.cells), np.nan)
        return np.asarray(np.std(folds, axis=0, ddof=1) / np.sqrt(self.folds))

    @property
    def axis_name(self) -> str:
        """What mean scores are called on an axis."""
        return f"mean {self.score_name} over {self.folds} folds" if self.folds > 1 else self.score_name

    @property
    def folds(self) -> int:
        return sum(name.startswith("split") and name.endswith(f"_test_{self.score}") for name in self.table)

    def column(self, name: str, cells: Integers) -> Floats | None:
        """A column of the table at some cells; None where the search has none, or nothing there."""
        values = self.table.get(name)
        found = None if values is None else np.asarray(values, dtype=np.float64)[cells]
        return None if found is None or np.isnan(found).all() else found

    # ---------------------------------------------------------------- parameters

    @property
    def varying(self) -> list[str]:
        """Parameters that are not the same in all cells."""
        names = dict.fromkeys(name for cell in self.cells for name in cell)
        return [name for name in names if not all(self.is_same(name, cell, self.cells[0]) for cell in self.cells)]

    @property
    def axes(self) -> list[str]:
        """Parameters that can be axes: numbers with two values or more where there are any, then names of things."""
        return sorted(
            (name for name in self.varying if self._is_numeric(name) or self._is_named(name)),
            key=lambda name: not self._is_numeric(name),
        )

    @property
    def numeric(self) -> list[str]:
        """Those of them that are numbers."""
        return [name for name in self.axes if self._is_numeric(name)]

    def numbers(self, name: str) -> Floats:
        """Where cells stand along a parameter: at its number, or at that of its name; NaN where they have none."""
        names = self.names(name)
        if names is None:
            return np.array([float(cell.get(name, np.nan)) for cell in self.cells])
        return np.array([names.index(as_text(cell[name])) if name in cell else np.nan for cell in self.cells])

    def names(self, name: str) -> list[str] | None:
        """The values of a parameter that is not numeric as texts, numbers first; None of one that is."""
        if self._is_numeric(name):
            return None
        values = [cell[name] for cell in self.cells if name in cell]
        ordered = sorted(values, key=lambda value: (not _is_number(value), float(value) if _is_number(value) else 0.0))
        return list(dict.fromkeys(as_text(value) for value in ordered))

    def check_axis(self, argument: str, name: str) -> None:
        """Raises where a parameter that was asked for cannot be an axis."""
        if name in self.axes:
            return
        got = f"{name!r}, which is not in the grid"
        if any(name in cell for cell in self.cells):
            values = dict.fromkeys(as_text(cell[name]) for cell in self.cells if name in cell)
            got = f"{name!r} with {', '.join(list(values)[:4])}"
        expected = f"one of {self.axes}" if self.axes else "one with two numbers or names, of which there is none"
        raise ParameterError(f"{argument}: expected {expected}, got {got}.")

    @staticmethod
    def is_same(name: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        """Whether two cells have the same value of a parameter, or neither has one."""
        if name not in one or name not in other:
            return (name in one) == (name in other)
        a, b = one[name], other[name]
        return a is b or (type(a) is type(b) and bool(np.all(a == b)))

    def _is_numeric(self, name: str) -> bool:
        values = [cell[name] for cell in self.cells if name in cell]
        return all(_is_number(value) for value in values) and len({float(value) for value in values}) > 1

    def _is_named(self, name: str) -> bool:
        values = [cell[name] for cell in self.cells if name in cell]
        are_plain = all(isinstance(value, (str, bool, np.bool_, type(None))) or _is_number(value) for value in values)
        return are_plain and len({as_text(value) for value in values}) > 1


def as_text(value: Any, digits: int = 3) -> str:
    """A value in few characters: 0.0316, 1e-5, 1000, rbf."""
    if not _is_number(value):
        return str(value)
    number = float(value)
    if number.is_integer() and abs(number) < _LONG:
        return f"{number:.0f}"
    mantissa, _, exponent = f"{number:.{digits}g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa.replace("inf", "∞")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and float(value) > -np.inf
