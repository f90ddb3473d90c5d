"""Rows worth a look: those that the machine rests on most, and those that it gets most wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.tables import Table
from mercer.training.evaluation import Judged
from mercer.training.findings import RowFound
from mercer.training.fitting import Fit
from mercer.training.prepared import Prepared
from mercer.training.split import Part
from mercer.typing import Floats, Integers

__all__ = ["influential_rows", "mistaken_rows"]

_MOST = 10
# Support vectors with the largest coefficients that are evaluated, where many are at their bound.
_MOST_EVALUATED = 2000
# Coefficients this near to the bound are at it.
_AT_BOUND = 1 - 1e-9
_MOST_LETTERS = 80


def influential_rows(data: Prepared, fit: Fit) -> list[RowFound]:
    """Training rows with the largest coefficients; of those at the bound the ones that the machine fits least.

    A linear machine keeps no coefficients: of it the rows that it fits least.
    """
    if fit.is_linear:
        rows = _some_rows(len(data.train))
        weights = np.zeros(len(rows))
    else:
        support = np.asarray(fit.estimator.support_)
        coef = np.abs(np.atleast_2d(np.asarray(fit.estimator.dual_coef_))).sum(axis=0)
        order = np.argsort(-coef, kind="stable")[:_MOST_EVALUATED]
        rows, weights = support[order], coef[order]
    predicted, misfit = _misfit(data, fit, rows)
    order = np.lexsort((-misfit, -np.round(weights, 9)))[:_MOST]
    found = []
    for k in order:
        row = int(rows[k])
        words = _fitted_words(data, misfit[k])
        if not fit.is_linear:
            words = f"{_bound_words(data, fit, weights[k])} {words}"
        figure = float(misfit[k] if fit.is_linear else weights[k])
        found.append(_row(data, data.train, row, predicted[k], figure, words))
    return found


def mistaken_rows(data: Prepared, judged: Judged) -> list[RowFound]:
    """Test rows with the least probability of their class, among those with a wrong label; or farthest off."""
    truth, predicted = data.y_test, judged.predicted
    if not data.is_classification:
        errors = np.abs(truth - predicted)
        order = np.argsort(-errors, kind="stable")[:_MOST]
        return [
            _row(data, data.test, int(k), predicted[k], float(errors[k]), f"off by {truth[k] - predicted[k]:+.4g}")
            for k in order
        ]
    wrong = np.flatnonzero(truth != predicted)
    if judged.probabilities is None:
        order, said = wrong[:_MOST], np.zeros(len(truth))
    else:
        said = judged.probabilities[np.arange(len(truth)), truth]
        order = wrong[np.argsort(said[wrong], kind="stable")][:_MOST]
    return [
        _row(data, data.test, int(k), predicted[k], float(1 - said[k]), f"its class was given {100 * said[k]:.2g} %")
        for k in order
    ]


# ---------------------------------------------------------------- how training rows are fitted


def _some_rows(count: int) -> Integers:
    return np.arange(count)[:_MOST_EVALUATED]


def _misfit(data: Prepared, fit: Fit, rows: Integers) -> tuple[Any, Floats]:
    """What the machine says of training rows, and by how much it is off: the slack, or the distance from the target."""
    X, truth = data.X[rows], data.y[rows]
    predicted = fit.estimator.predict(X)
    if not data.is_classification:
        return predicted, np.abs(truth - predicted)
    values = np.asarray(fit.estimator.decision_function(X))
    if values.ndim == 1:
        return predicted, np.maximum(0.0, 1 - np.where(truth == 1, values, -values))
    own = values[np.arange(len(rows)), truth]
    others = values.copy()
    others[np.arange(len(rows)), truth] = -np.inf
    return predicted, np.maximum(0.0, 1 - (own - others.max(axis=1)))


def _bound_words(data: Prepared, fit: Fit, weight: float) -> str:
    C = float(fit.found.params["C"])
    has_one = len(data.target.classes) <= 2 and fit.estimator.get_params().get("class_weight") is None
    if has_one and weight >= _AT_BOUND * C:
        return f"Coefficient {weight:.3g}, the largest that C allows."
    return f"Coefficient {weight:.3g}."


def _fitted_words(data: Prepared, misfit: float) -> str:
    if not data.is_classification:
        return f"The machine is off by {misfit:.3g} although it learnt from it."
    if misfit > 1:
        return "The machine is wrong on it although it learnt from it: is its label right?"
    return "It lies within the margin." if misfit > 1e-3 else "It lies on the margin."


# ---------------------------------------------------------------- as text


def _row(data: Prepared, part: Part, row: int, predicted: Any, figure: float, words: str) -> RowFound:
    truth = part.y[row]
    if data.is_classification:
        labels = data.target.classes
        told = labels[int(truth)], labels[int(predicted)]
    else:
        told = f"{truth:.6g}", f"{predicted:.6g}"
    return RowFound(int(part.numbers[row]), *told, figure, words, _texts(part.table, row))


def _texts(table: Table, row: int) -> dict[str, str]:
    """The values of a row as text, cut where they are long; those that are missing are empty."""
    values = {column.name: column.take(slice(row, row + 1)).texts()[0] for column in table.columns}
    return {name: "" if text is None else _cut(str(text)) for name, text in values.items()}


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
