"""A linear machine on the same rows: what the kernel is compared with, and what is left where rows are too many."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from mercer.calibration import HeldOutValues, SigmoidCalibration
from mercer.data import FOLDS, stratified_folds
from mercer.errors import UnsolvedWarning
from mercer.estimators import LinearSVC, LinearSVR
from mercer.training.findings import ChoiceFound
from mercer.training.options import TrainingOptions
from mercer.training.pace import Pace
from mercer.training.prepared import Prepared
from mercer.training.quiet import without_warnings
from mercer.training.search import Choice, folds_of, number_of_folds, tuning_rows
from mercer.tune import GridSearchCV

__all__ = ["REGRESSION", "calibrate_linear", "fit_linear", "search_linear"]

#: The problem of a linear regression, beside its C.
REGRESSION: dict[str, Any] = {"loss": "squared_epsilon_insensitive", "regularize_intercept": False}
# A factor of ten apart: the score of a linear machine changes slowly with C.
_C = (0.001, 0.01, 0.1, 1.0, 10.0)
# Sigmoids have two numbers to learn; more rows than this teach them nothing.
_MOST_CALIBRATION_ROWS = 20_000


def linear_machine(data: Prepared, options: TrainingOptions, **params: Any) -> LinearSVC | LinearSVR:
    """The estimator; of a regression with squared losses, in which C has no unit, and an intercept that costs nothing,
    so that targets may lie anywhere."""
    if data.is_classification:
        return LinearSVC(class_weight=options.class_weight, n_jobs=options.threads, **params)
    return LinearSVR(**REGRESSION, n_jobs=options.threads, **params)


def search_linear(data: Prepared, options: TrainingOptions, pace: Pace) -> Choice:
    """Looks for C on folds."""
    began = perf_counter()
    rows = tuning_rows(data, options, pace)
    name = data.score_name
    search = GridSearchCV(
        linear_machine(data, options, tol=1e-3),
        {"C": list(_C)},
        scoring=name,
        cv=folds_of(data, options, data.y[rows]),
        n_jobs=options.threads,
        refit=False,
    )
    with without_warnings(UnsolvedWarning, UserWarning):
        search.fit(data.X[rows], data.y[rows])
    folds = number_of_folds(data, options, data.y[rows])
    results, best = search.cv_results_, search.best_index_
    scores = np.array([results[f"split{k}_test_score"][best] for k in range(search.n_splits_)])
    found = ChoiceFound(
        params={"C": float(search.best_params_["C"])},
        score_name=name,
        score=float(results["mean_test_score"][best]),
        spread=float(np.std(scores)),
        folds=folds,
        seconds=perf_counter() - began,
        C=list(_C),
        gamma=[],
        scores=[[float(one)] for one in results["mean_test_score"]],
        spreads=[[float(one)] for one in results["std_test_score"]],
        chosen=(best, 0),
        certificate=str(search.certificate_),
        is_proven=bool(search.certificate_),
        draws=len(scores) // folds,
    )
    return Choice({"C": found.params["C"]}, found, len(rows), scores, search.certificate_.advice)


def fit_linear(
    data: Prepared, options: TrainingOptions, C: float, time_limit: float | None, callback: Any = None
) -> LinearSVC | LinearSVR:
    """The machine of all training rows."""
    estimator = linear_machine(data, options, C=C, time_limit=time_limit, callback=callback, random_state=options.seed)
    with without_warnings(UnsolvedWarning):
        estimator.fit(data.X, data.y)
    return estimator


def calibrate_linear(
    data: Prepared, options: TrainingOptions, C: float, time_limit: float | None
) -> SigmoidCalibration:
    """Sigmoids from what a machine fitted without a fifth of the rows says of them."""
    folds = stratified_folds(data.y, np.ones(len(data.y), dtype=bool), FOLDS, options.seed)
    held_out = np.flatnonzero(folds == 0)[:_MOST_CALIBRATION_ROWS]
    trained = np.flatnonzero(folds != 0)
    estimator = linear_machine(data, options, C=C, time_limit=time_limit, random_state=options.seed)
    with without_warnings(UnsolvedWarning):
        estimator.fit(data.X[trained], data.y[trained])
    values = estimator.decision_function(data.X[held_out])
    values = values[:, None] if values.ndim == 1 else values
    functions, classes = values.shape[1], len(data.target.classes)
    truth, function = np.tile(data.y[held_out], functions), np.repeat(np.arange(functions), len(held_out))
    known = HeldOutValues(
        values=values.T.ravel(),
        function=function,
        is_positive=truth == (1 if classes == 2 else function),
        weights=np.ones(len(truth)),
        row=np.tile(held_out, functions),
        functions=functions,
    )
    return SigmoidCalibration.learn(known, classes, against_rest=classes > 2)
