"""The choice of parameters: on folds of the training rows, or of some of them where they are many."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from mercer.costs import KERNEL_PRODUCTS, PRODUCTS_BESIDE_A_VALUE
from mercer.errors import UnsolvedWarning
from mercer.training.findings import ChoiceFound
from mercer.training.options import TrainingOptions
from mercer.training.pace import Pace
from mercer.training.prepared import Prepared
from mercer.training.quiet import without_warnings
from mercer.training.split import stratified_sample
from mercer.tune import SearchProgress, TunedSVC, TunedSVR
from mercer.tune.ranges import epsilon_range
from mercer.typing import Floats, Integers

__all__ = ["Choice", "folds_of", "search_parameters", "tolerance_of", "tuning_rows"]

# The part of the time that is left which the search may take.
_SHARE = 0.4
# Kernel matrices' worth of work that a search takes, by measurement: one for each gamma, and as much again for all C.
_MATRICES = 20
# With fewer rows than this a search says little, however short the time.
_FEWEST_ROWS = 300
# Rivals of the choice that are solved exactly, and up to how many rows all of them are.
_RIVALS, _FEW_ROWS = 3, 300
_ROWS_FOR_EPSILON = 1000
_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen parameters.

    Attributes
    ----------
    params : dict
        By the names of `SVC` and `SVR`.
    found : ChoiceFound
    rows : int
        On how many rows they were chosen.
    fold_scores : ndarray
        Of the chosen cell.
    seconds_of_a_fit : float
        What fitting the machine to these rows took.
    advice : tuple of str
        What to try next, where the choice is at an end of a range.
    unfinished : int
        Cells that there was no time for.
    """

    params: dict[str, Any]
    found: ChoiceFound
    rows: int
    fold_scores: Floats
    seconds_of_a_fit: float
    advice: tuple[str, ...]
    unfinished: int


def search_parameters(data: Prepared, options: TrainingOptions, pace: Pace) -> Choice:
    """Looks for C and gamma, of regression for epsilon too, by the score that counts on held-out folds."""
    began = perf_counter()
    rows = tuning_rows(data, options, pace)
    X, y = data.X[rows], data.y[rows]
    name = data.score_name

    def hear(progress: SearchProgress) -> None:
        best = "" if np.isnan(progress.best_score) else f", best {progress.best_score:.3f}"
        words = f"{progress.done} of {progress.total} fits{best}"
        pace.tell("search", progress.done / max(progress.total, 1), words)

    tuner = _fitted(data, options, pace, X, y, hear)
    search, choice = tuner.search_, tuner.choice_
    scores = np.array([search.cv_results_[f"split{k}_test_score"][search.best_index_] for k in range(search.n_splits_)])
    found = _found(tuner, name, scores, perf_counter() - began)
    unfinished = int(np.count_nonzero(np.isnan(search.cv_results_["mean_test_score"])))
    return Choice(
        params={key: float(value) for key, value in tuner.best_params_.items()},
        found=found,
        rows=len(rows),
        fold_scores=scores,
        seconds_of_a_fit=float(search.refit_time_),
        advice=choice.advice,
        unfinished=0 if options.quick else unfinished,
    )


def _fitted(data: Prepared, options: TrainingOptions, pace: Pace, X: Floats, y: Any, hear: Any) -> Any:
    """The search that tells of the choice.

    A grid of C, gamma and epsilon is dear on many rows, and epsilon, as a share of the spread of the targets, hardly
    depends on their number: it is then chosen on some of them.
    """
    asked: dict[str, Any] = {
        "scale": False,
        "cv": folds_of(data.is_classification, options),
        "scoring": data.score_name,
        "strategy": "refine" if options.quick else "grid",
        "settle": False if options.quick else _RIVALS if len(y) > _FEW_ROWS else "auto",
        "tol": tolerance_of(data),
        "memory": options.memory,
        "n_jobs": options.threads,
        "random_state": options.seed,
        "callback": hear,
    }
    if data.is_classification:
        tuner: Any = TunedSVC(**asked, class_weight=options.class_weight, time_limit=pace.share(_SHARE))
    else:
        epsilon = None
        if len(y) > _ROWS_FOR_EPSILON:
            some = np.sort(np.random.default_rng(options.seed).permutation(len(y))[:_ROWS_FOR_EPSILON])
            quick = {**asked, "strategy": "refine", "settle": False, "callback": None}
            first = TunedSVR(**quick, epsilon=epsilon_range(float(np.std(y))), time_limit=pace.share(_SHARE / 4))
            with without_warnings(UnsolvedWarning, UserWarning):
                epsilon = first.fit(X[some], y[some]).best_params_["epsilon"]
        tuner = TunedSVR(**asked, epsilon=epsilon, time_limit=pace.share(_SHARE))
    with without_warnings(UnsolvedWarning, UserWarning):
        tuner.fit(X, y)
    return tuner


def tuning_rows(data: Prepared, options: TrainingOptions, pace: Pace) -> Integers:
    """The training rows that parameters are chosen on: all where they are few, else a sample of each class."""
    most = options.tune_rows
    if pace.is_limited:
        speed = KERNEL_PRODUCTS / (data.X.shape[1] + PRODUCTS_BESIDE_A_VALUE)
        within = np.sqrt(_SHARE * pace.left * speed / _MATRICES)
        most = min(most, max(_FEWEST_ROWS, int(within)))
    if len(data.train) <= most:
        return np.arange(len(data.train))
    strata = data.y if data.is_classification else None
    return stratified_sample(len(data.train), most, strata, np.random.default_rng(options.seed))


def folds_of(is_classification: bool, options: TrainingOptions) -> Any:
    """Folds in shuffled order; each class in all of them where it has as many rows."""
    kind = StratifiedKFold if is_classification else KFold
    return kind(options.folds, shuffle=True, random_state=options.seed)


def tolerance_of(data: Prepared) -> float:
    """`tol` of the machine: of a regression in units of the targets, whatever they are measured in."""
    return _TOLERANCE if data.is_classification else _TOLERANCE * (float(np.std(data.y)) or 1.0)


def _found(tuner: Any, name: str, scores: Floats, seconds: float) -> ChoiceFound:
    """The grid of C and gamma, at the chosen value of what else was looked for."""
    results, best = tuner.cv_results_, tuner.best_params_
    C, gamma = (sorted({float(one[f"machine__{key}"]) for one in results["params"]}) for key in ("C", "gamma"))
    table: list[list[float | None]] = [[None] * len(gamma) for _ in C]
    spreads: list[list[float | None]] = [[None] * len(gamma) for _ in C]
    for one, mean, spread in zip(results["params"], results["mean_test_score"], results["std_test_score"], strict=True):
        if one.get("machine__epsilon") != best.get("epsilon") or not np.isfinite(mean):
            continue
        i, j = C.index(float(one["machine__C"])), gamma.index(float(one["machine__gamma"]))
        table[i][j], spreads[i][j] = float(mean), float(spread)
    choice = tuner.choice_
    return ChoiceFound(
        params={key: float(value) for key, value in best.items()},
        score_name=name,
        score=float(tuner.best_score_),
        spread=float(np.std(scores)),
        folds=len(scores),
        seconds=seconds,
        C=C,
        gamma=gamma,
        scores=table,
        spreads=spreads,
        chosen=(C.index(float(best["C"])), gamma.index(float(best["gamma"]))),
        certificate=str(choice),
        is_proven=bool(choice),
    )
