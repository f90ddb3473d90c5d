"""What something simpler, or something else, reaches on the same test rows."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from mercer.tables import ColumnKind, Table
from mercer.tables.expected_kind import column_of_kind
from mercer.tables.left_out import PresenceCode
from mercer.training import measures
from mercer.training.evaluation import NAMES, Judged
from mercer.training.findings import Baseline
from mercer.training.fitting import Fit
from mercer.training.linear import fit_linear, search_linear
from mercer.training.measures import Measure
from mercer.training.options import TrainingOptions
from mercer.training.pace import Pace
from mercer.training.prepared import Prepared
from mercer.typing import Floats

__all__ = ["Rival", "compare", "verdict_of"]

# Categories that a tree takes apart; the rest of them count as missing.
_MOST_CATEGORIES = 254
# Seconds that a hundred trees take for a row and a column, by measurement on two cores.
_TREE_SECONDS = 2e-6
# Rows times columns below which one thread does: several wait for each other, for minutes where others use the cores.
_SMALL = 5_000_000
# Differences of so many standard errors or less may be chance; those below the other are told as 0.000.
_ERRORS, _LEAST_TOLD = 2.0, 0.0005


@dataclass(frozen=True, eq=False)
class Rival:
    """Something else, and how far it is ahead of the machine on the same rows.

    Attributes
    ----------
    key : str
        "constant", "linear" or "tree".
    ahead : float
        Its score less the machine's.
    error : float or None
        The standard error of that difference.
    """

    key: str
    found: Baseline
    ahead: float
    error: float | None

    @property
    def is_better(self) -> bool:
        """By more than two standard errors of the difference, and by more than nothing as figures are told."""
        return self.ahead > self._least

    @property
    def is_worse(self) -> bool:
        """By as much."""
        return -self.ahead > self._least

    @property
    def difference(self) -> str:
        """How far apart both are, in figures."""
        error = "" if self.error is None else f" ± {self.error:.3f}"
        return f"{abs(self.ahead):.3f}{error}"

    @property
    def apart(self) -> str:
        """The same as the end of a sentence."""
        is_told = abs(self.ahead) >= _LEAST_TOLD or (self.error or 0.0) >= _LEAST_TOLD
        return f"they differ by {self.difference}" if is_told else "their scores are the same to three digits"

    @property
    def _least(self) -> float:
        return np.inf if self.error is None else max(_ERRORS * self.error, _LEAST_TOLD)


def compare(data: Prepared, fit: Fit, judged: Judged, options: TrainingOptions, pace: Pace) -> list[Rival]:
    """The best constant guess, a linear machine, and histogram gradient boosting with its defaults."""
    rivals = [_rival("constant", "Best constant guess", *_constant(data), judged)]
    if not fit.is_linear:
        pace.tell("baselines", 0.2, "a linear machine")
        rivals.append(_rival("linear", "Linear machine", *_linear(data, options, pace), judged))
    expected = _TREE_SECONDS * len(data.train) * len(data.columns) * _functions(data)
    if not options.quick and pace.has_time_for(expected):
        pace.tell("baselines", 0.5, "gradient boosting")
        rivals.append(_rival("tree", "Gradient boosting", *_tree(data, options), judged))
    return rivals


def verdict_of(rivals: list[Rival], fit: Fit) -> str:
    """Who is best, in words: differences within two standard errors are none."""
    name = NAMES[fit.choice.found.score_name]
    by_key = {rival.key: rival for rival in rivals}
    machine = "linear machine" if fit.is_linear else "kernel machine"
    tree, linear, constant = (by_key.get(key) for key in ("tree", "linear", "constant"))
    if constant is not None and not constant.is_worse:
        words = f"The {machine} is no better than the best constant guess"
        if constant.ahead >= 0:
            words += ": it learnt nothing from these columns."
        else:
            words += (
                f" by more than chance ({constant.difference}): these test rows do not show that it learnt anything."
            )
        return f"{words} Gradient boosting is better by {tree.difference}." if tree and tree.is_better else words
    said = []
    if tree is not None and tree.is_better:
        said.append(f"Gradient boosting is better by {tree.difference}: take it where the {name} counts most.")
    elif tree is not None and tree.is_worse:
        said.append(f"The {machine} is better than gradient boosting by {tree.difference} ({name}).")
    elif tree is not None:
        said.append(f"The {machine} and gradient boosting cannot be told apart: {tree.apart}.")
    if linear is not None and linear.is_better:
        said.append(f"A linear machine is better by {linear.difference}: the kernel brings nothing here.")
    elif linear is not None and not linear.is_worse:
        said.append(f"A linear machine, which is simpler, may do as well: {linear.apart}.")
    elif linear is not None and tree is None:
        said.append(f"The {machine} is better than a linear one by {linear.difference}.")
    return " ".join(said) or f"The {machine} is better than the best constant guess."


def _rival(key: str, name: str, measure: Measure, seconds: float, words: str, judged: Judged) -> Rival:
    ahead, error = judged.counts.beside(measure)
    return Rival(key, Baseline(name, measure.value, measure.error, seconds, words), ahead, error)


# ---------------------------------------------------------------- one by one


def _constant(data: Prepared) -> tuple[Measure, float, str]:
    began = perf_counter()
    if data.is_classification:
        guess: Any = int(np.bincount(data.y).argmax())
        words = f"always {data.target.classes[guess]}, the commonest class"
    else:
        guess = float(data.y.mean())
        words = f"always {guess:.4g}, the mean"
    measure = measures.score(data.score_name, data.y_test, np.full(len(data.y_test), guess))
    return measure, perf_counter() - began, words


def _linear(data: Prepared, options: TrainingOptions, pace: Pace) -> tuple[Measure, float, str]:
    began = perf_counter()
    C = search_linear(data, options, pace).params["C"]
    estimator = fit_linear(data, options, C, pace.share(0.3))
    measure = measures.score(data.score_name, data.y_test, estimator.predict(data.X_test))
    return measure, perf_counter() - began, f"{type(estimator).__name__} on the same features, C={C:g} chosen on folds"


def _tree(data: Prepared, options: TrainingOptions) -> tuple[Measure, float, str]:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    began = perf_counter()
    columns = _TreeColumns(data)
    asked: dict[str, Any] = {"random_state": options.seed, "categorical_features": columns.is_category}
    if data.is_classification:
        estimator: Any = HistGradientBoostingClassifier(class_weight=options.class_weight, **asked)
    else:
        estimator = HistGradientBoostingRegressor(**asked)
    threads = 1 if len(data.train) * len(data.columns) < _SMALL else options.threads
    with threadpool_limits(threads, user_api="openmp"):
        estimator.fit(columns(data.train.table), data.y)
        predicted = estimator.predict(columns(data.test.table))
    measure = measures.score(data.score_name, data.y_test, predicted)
    words = "scikit-learn's histogram gradient boosting with its defaults, on the columns as they are"
    return measure, perf_counter() - began, words


def _functions(data: Prepared) -> int:
    classes = len(data.target.classes)
    return classes if classes > 2 else 1


class _TreeColumns:
    """Columns as trees take them: numbers as they are, NaN for missing, categories by number."""

    def __init__(self, data: Prepared) -> None:
        codes = {code.name: code for code in data.encoding.columns}
        self._presence = {name for name in data.columns if isinstance(codes[name], PresenceCode)}
        self._schema = [(name, kind, getattr(codes[name], "words", ())) for name, kind in data.encoding.schema]
        self._places: dict[str, dict[str, int]] = {}
        for name, kind, _ in self._schema:
            if kind is ColumnKind.TEXT and name not in self._presence:
                column = data.train.table[name]
                counts = np.bincount(column.values[column.values >= 0], minlength=len(column.words))
                common = np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]
                words = [column.words[code] for code in common if counts[code]]
                self._places[name] = {word: place for place, word in enumerate(words)}

    @property
    def is_category(self) -> list[bool]:
        return [name in self._places for name, _, _ in self._schema]

    def __call__(self, table: Table) -> Floats:
        """The columns of a table as one matrix."""
        return np.stack([self._numbers(table, *one) for one in self._schema], axis=1)

    def _numbers(self, table: Table, name: str, kind: ColumnKind, words: tuple[str, ...]) -> Floats:
        column = column_of_kind(table, name, kind, words)
        missing = column.missing
        if name in self._presence:
            return missing.astype(np.float64)
        if name in self._places:
            places = np.array([*(self._places[name].get(word, np.nan) for word in column.words), np.nan])
            return np.asarray(places[column.values])
        if kind is ColumnKind.DATE:
            return np.where(missing, np.nan, column.values.astype(np.int64) / 86_400e6)
        return np.asarray(column.values, dtype=np.float64)
