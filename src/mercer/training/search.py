"""The choice of parameters: on folds of the training rows, or of some of them where they are many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, RepeatedKFold, RepeatedStratifiedKFold, StratifiedKFold

from mercer.costs import KERNEL_PRODUCTS, PRODUCTS_BESIDE_A_VALUE
from mercer.errors import ParameterError, UnsolvedWarning
from mercer.estimators import SVC, SVR
from mercer.training.findings import ChoiceFound
from mercer.training.options import TrainingOptions
from mercer.training.pace import Pace
from mercer.training.prepared import Prepared
from mercer.training.quiet import without_warnings
from mercer.training.ranges import Ranges, first_ranges
from mercer.training.split import stratified_sample
from mercer.tune import GridSearchCV, SearchProgress
from mercer.tune.checkpoint import Memory
from mercer.typing import Floats, Integers

__all__ = [
    "Choice",
    "folds_of",
    "kernel_machine",
    "number_of_folds",
    "search_parameters",
    "tolerance_of",
    "tuning_rows",
]

# The part of the time that is left which the search may take, and seconds that people wait who gave no limit.
_SHARE, _PATIENCE = 0.4, 300.0
# Kernel matrices' worth of work that a search takes, by measurement: one for each gamma, and as much again for all C.
_MATRICES = 20
# With fewer rows than this a search says little, however short the time.
_FEWEST_ROWS = 300
# Folds of so few rows tell little: they are drawn anew, so often in all.
_FEW_ROWS, _DRAWS = 1000, 3
# So many folds or fewer are no wish that a table of few rows could not be excused from.
_USUAL_FOLDS = 5
# How often ranges grow, where the choice is at an end, and after how many seconds they do no more.
_MOST_EXTENSIONS, _LONG = 2, 5.0
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
    advice : tuple of str
        What to try next, where the choice is at an end of a range.
    unfinished : int
        Cells that there was no time for.
    better_ends : tuple of str
        Parameters that are at an end of their range, and better there than beside it by more than chance.
    """

    params: dict[str, float]
    found: ChoiceFound
    rows: int
    fold_scores: Floats
    advice: tuple[str, ...] = ()
    unfinished: int = 0
    better_ends: tuple[str, ...] = ()


def search_parameters(data: Prepared, options: TrainingOptions, pace: Pace) -> Choice:
    """Looks for C and gamma by the score that counts on held-out folds; of a regression for epsilon before."""
    began = perf_counter()
    rows = tuning_rows(data, options, pace)
    X, y = data.X[rows], data.y[rows]
    machine = kernel_machine(data, options)
    if not data.is_classification:
        machine.set_params(epsilon=_epsilon(data, options, pace, X, y))
    ranges, memory = first_ranges(X, 1.0 if data.is_classification else _spread(y), options.seed), Memory()
    ends = began + (_PATIENCE if (share := pace.share(_SHARE)) is None else share)

    def searched(settle: Any = False) -> GridSearchCV:
        return _searched(machine, ranges.grid, data, options, pace, X, y, memory, ends - perf_counter(), settle)

    search = searched()
    for _ in range(_MOST_EXTENSIONS):
        grown = ranges.grown(search)
        if grown is None or perf_counter() > min(began + _LONG, (began + ends) / 2):
            break
        ranges = grown
        search = searched()
    search = search if options.quick else searched("auto")
    return _choice(search, machine, ranges, data, options, y, perf_counter() - began)


def kernel_machine(data: Prepared, options: TrainingOptions, **more: Any) -> Any:
    """The estimator whose parameters are looked for."""
    asked: dict[str, Any] = {"tol": tolerance_of(data), "cache_size": options.memory, "n_jobs": options.threads, **more}
    return SVC(class_weight=options.class_weight, **asked) if data.is_classification else SVR(**asked)


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


def folds_of(data: Prepared, options: TrainingOptions, y: Any) -> Any:
    """Folds of rows with these targets in shuffled order; each class in all of them where it has as many rows."""
    folds = number_of_folds(data, options, y)
    if len(y) <= _FEW_ROWS and not options.quick:
        repeated = RepeatedStratifiedKFold if data.is_classification else RepeatedKFold
        return repeated(n_splits=folds, n_repeats=_DRAWS, random_state=options.seed)
    kind = StratifiedKFold if data.is_classification else KFold
    return kind(folds, shuffle=True, random_state=options.seed)


def number_of_folds(data: Prepared, options: TrainingOptions, y: Any) -> int:
    """As many as are asked for; fewer where that is no more than usual, and the rows do not do.

    Raises
    ------
    ParameterError
        Where more than usual are asked for than some class has rows, or than there are pairs of rows in regression.
    """
    if data.is_classification:
        most, why = int(np.bincount(y).max()), "the rows of the largest class"
    else:
        most, why = len(y) // 2, "two rows in each, by which alone a score is known"
    if options.folds <= most:
        return options.folds
    if options.folds > _USUAL_FOLDS:
        raise ParameterError(
            f"folds: expected {most} at most for the {len(y):,} rows that parameters are chosen on ({why}), got "
            f"{options.folds}. Ask for fewer, such as {min(_USUAL_FOLDS, most)}."
        )
    return most


def tolerance_of(data: Prepared) -> float:
    """`tol` of the machine: of a regression in units of the targets, whatever they are measured in."""
    return _TOLERANCE if data.is_classification else _TOLERANCE * _spread(data.y)


def _spread(y: Floats) -> float:
    return float(np.std(y)) or 1.0


def _searched(
    machine: Any,
    grid: dict[str, list[float]],
    data: Prepared,
    options: TrainingOptions,
    pace: Pace,
    X: Floats,
    y: Any,
    memory: Memory | None,
    time_limit: float,
    settle: Any,
) -> GridSearchCV:
    """All cells of a grid; those that memory knows are not solved again."""

    def hear(progress: SearchProgress) -> None:
        best = "" if np.isnan(progress.best_score) else f", best {progress.best_score:.3f}"
        words = f"{progress.done} of {progress.total} fits on {len(y):,} rows{best}"
        pace.tell("search", progress.done / max(progress.total, 1), words)

    search = GridSearchCV(
        machine,
        grid,
        scoring=data.score_name,
        cv=folds_of(data, options, y),
        refit=False,
        strategy="refine" if options.quick else "grid",
        settle=settle,
        time_limit=max(0.01, time_limit),
        memory=options.memory,
        n_jobs=options.threads,
        callback=hear,
    )
    search.remember(memory)
    with without_warnings(UnsolvedWarning, UserWarning):
        search.fit(X, y)
    search.remember(None)
    return search


def _epsilon(data: Prepared, options: TrainingOptions, pace: Pace, X: Floats, y: Floats) -> float:
    """The width of the tube, from a few machines on some of the rows.

    As a share of the spread of the targets it hardly depends on C, gamma and the number of rows.
    """
    rows = np.sort(np.random.default_rng(options.seed).permutation(len(y))[:_ROWS_FOR_EPSILON])
    grid = first_ranges(X[rows], _spread(y[rows]), options.seed).coarse_grid
    limit = _PATIENCE if (share := pace.share(_SHARE / 4)) is None else share
    machine = kernel_machine(data, options)
    search = _searched(machine, grid, data, options, pace, X[rows], y[rows], None, limit, False)
    return float(search.best_params_["epsilon"])


def _choice(
    search: GridSearchCV,
    machine: Any,
    ranges: Ranges,
    data: Prepared,
    options: TrainingOptions,
    y: Any,
    seconds: float,
) -> Choice:
    results, best = search.cv_results_, search.best_index_
    scores = np.array([results[f"split{k}_test_score"][best] for k in range(search.n_splits_)])
    folds = number_of_folds(data, options, y)
    params = {name: float(value) for name, value in search.best_params_.items()}
    if not data.is_classification:
        params["epsilon"] = float(machine.epsilon)
    C, gamma = ranges.grid["C"], ranges.grid["gamma"]
    shape = len(C), len(gamma)
    # Cells come in the order of the names of their parameters, the last of which changes first.
    means, spreads = (np.asarray(results[f"{kind}_test_score"]).reshape(shape) for kind in ("mean", "std"))
    certificate = search.certificate_
    if ranges.grown(search) is None:  # an end that is no better than its neighbour needs no advice
        certificate = replace(certificate, advice=())
    found = ChoiceFound(
        params=params,
        score_name=data.score_name,
        score=float(results["mean_test_score"][best]),
        spread=float(np.std(scores)),
        folds=folds,
        seconds=seconds,
        C=C,
        gamma=gamma,
        scores=_plain(means),
        spreads=_plain(spreads),
        chosen=(C.index(params["C"]), gamma.index(params["gamma"])),
        certificate=str(certificate),
        is_proven=bool(certificate),
        draws=len(scores) // folds,
    )
    unfinished = 0 if options.quick else int(np.count_nonzero(np.isnan(means)))
    return Choice(params, found, len(y), scores, certificate.advice, unfinished, ranges.better_ends(search))


def _plain(table: Floats) -> list[list[float | None]]:
    return [[float(value) if np.isfinite(value) else None for value in row] for row in table]
