"""Grid search with scikit-learn's face, and a certificate of the choice."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from difflib import get_close_matches
from numbers import Real
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from sklearn import model_selection
from sklearn.base import clone, is_classifier
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.model_selection._validation import _insert_error_scores, _warn_or_raise_about_fit_failures
from sklearn.utils.validation import _check_method_params, indexable

from mercer import checks
from mercer.errors import ParameterError
from mercer.estimators.callbacks import with_callbacks
from mercer.rows import Budget
from mercer.tune.cells import Cell, Split
from mercer.tune.checkpoint import Checkpoint, Memory, digest, name_of_estimator, name_of_value
from mercer.tune.choice import ChoiceCertificate, certify_choice, settle_choice, unproven_choice
from mercer.tune.edges import advice_for_edges
from mercer.tune.layout import Layout, layout_of
from mercer.tune.progress import CallbackTasks, SearchMonitor
from mercer.tune.results import Task
from mercer.tune.run import Run
from mercer.tune.simplest import simplest_within_one_error
from mercer.tune.strategies import STRATEGIES

__all__ = ["GridSearchCV"]

# The share of a time limit that is kept for the last fit, on all rows.
_FOR_REFIT = 0.1


class GridSearchCV(model_selection.GridSearchCV):  # type: ignore[misc]
    """scikit-learn's `GridSearchCV`, with the work shared between cells and folds, and a certificate of the choice.

    For `mercer.SVC` and `mercer.SVR`, alone or at the end of a pipeline or of a `TransformedTargetRegressor`, kernel
    values are computed once for all folds and all values of C; a machine begins from its neighbour's, and held-out rows
    are valued by the way. Each machine's duality gap bounds how far its held-out values can be from those of the exact
    machine, so that scores come with bounds, and the choice with a certificate. `NuSVC`, `NuSVR`, `LinearSVC` and
    `LinearSVR` go along nu or C, each machine from the one before. Cells that share nothing are fitted one by one;
    other estimators are left to scikit-learn. `plan_` says which and why.

    Parameters
    ----------
    estimator, param_grid, scoring, cv, verbose, pre_dispatch, error_score, return_train_score
        As in scikit-learn.
    n_jobs : int, optional
        Threads, never processes; None takes all that there are.
    refit : bool, str, callable or "one_se", default=True
        As in scikit-learn. "one_se" takes the simplest machine whose score is within one standard error of the best:
        the one with the smallest C, then the fewest support vectors.
    strategy : {"grid", "race", "wilcoxon", "refine"}, default="grid"
        "grid" solves all cells on all folds. "race" drops a cell once no scores on the other folds could make it the
        best: the same choice for less, but for scores that differ by what `tol` leaves. "wilcoxon" drops a cell once a
        paired test of its held-out rows against the best cell's says that it is worse, at the level of one per cent.
        "refine" begins with every second value of each number and goes on around the best. Scores of cells that were
        dropped are NaN on the folds that are missing.
    settle : "auto", int or bool, default="auto"
        How many rivals, the best first, are solved up to rounding so that their scores have tight bounds, and the
        choice itself before them. True goes on until the choice is proven, or rounding forbids it; False leaves
        everything at `tol`; "auto" is True where rows, functions and cells are few, three where they are many, none
        of them with a strategy that is to take less time, and False where kernel values are beyond the memory.
    time_limit : float, optional
        Seconds, after which the best cell so far is fitted to all rows.
    stop_at : float, optional
        A score that is good enough: once a cell has it on all folds, the search ends.
    checkpoint : str or Path, optional
        A file that results are written to as they come. Where it exists, they are read from it: a search that was cut
        off goes on, also with other values of the parameters.
    memory : float, default=1000
        Megabytes for kernel values. Where the matrix of a fold does not fit, cells are solved one after the other.
    callback : callable, optional
        Called with a `SearchProgress` about ten times a second; returning True ends the search with what is known.

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, best_index_, cv_results_, scorer_, n_splits_, refit_time_, multimetric_
        As in scikit-learn. `cv_results_` has more columns: `test_score_low` and `test_score_high` (between these lies
        the mean score of the exact machines, proven), `labels_proven` (the share of held-out rows whose label is the
        exact machine's, proven), `gap` and `violation` (the largest over the folds), `n_support` (the mean), and
        `status`.
    certificate_ : ChoiceCertificate
        What is proven of the choice; it reads as a sentence.
    plan_ : str
        What was shared, and what was fitted alone and why.
    all_cv_results_ : dict of ndarray
        What was found or decided when: "seconds" (zero of what was read from a checkpoint), "params", "split" (−1 of a
        decision on a cell) and "status"; not where scikit-learn did the search.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from mercer import SVC, GridSearchCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [1, 10, 100]}).fit(X, y)
    >>> search.best_params_
    {'svc__C': 10}
    """

    certificate_: ChoiceCertificate
    best_index_: int

    _own_checks: ClassVar[dict[str, checks.Check]] = {
        "strategy": checks.one_of(*STRATEGIES),
        "time_limit": checks.optional_positive,
        "memory": checks.positive,
        "n_jobs": checks.number_of_threads,
        "callback": checks.optional_callable,
    }

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        strategy: str = "grid",
        settle: Any = "auto",
        time_limit: float | None = None,
        stop_at: float | None = None,
        checkpoint: Any = None,
        memory: float = 1000,
        callback: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.strategy = strategy
        self.settle = settle
        self.time_limit = time_limit
        self.stop_at = stop_at
        self.checkpoint = checkpoint
        self.memory = memory
        self.callback = callback

    # ---------------------------------------------------------------- fit

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Looks for the best cell and fits it to all rows; parameters as in scikit-learn."""
        began = perf_counter()
        for name, check in self._own_checks.items():
            check(name, getattr(self, name))
        _check_settle(self.settle)
        _check_number("stop_at", self.stop_at)
        self._validate_params()
        layout = layout_of(self.estimator)
        if isinstance(layout, str):
            return self._fit_by_scikit_learn(X, y, params, layout)
        self._check_names()
        scorers, refit_metric = self._get_scorers()
        X, y = indexable(X, y)
        params = _check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        task = Task(
            *(X, y, self._splits(X, y, routed.splitter.split), scorers),
            *(routed.estimator.fit, routed.scorer.score),
            return_train_score=self.return_train_score,
            error_score=self.error_score,
            verbose=self.verbose,
        )
        name = self._name(refit_metric, scorers)
        run = self._run(layout, task, name, began)
        try:
            STRATEGIES[self.strategy](run, name)
            is_hurried = self.settle == "auto" and self.strategy != "grid"
            settle_choice(run, name, 0 if is_hurried else self.settle)
        except KeyboardInterrupt:
            if run.results:
                self._keep(run, refit_metric, name, scorers, is_partial=True)
            raise
        self._keep(run, refit_metric, name, scorers)
        if self.refit:
            self._refit(X, y, routed.estimator.fit)
        if run.tasks is not None:
            run.tasks.end()
        return self

    def remember(self, memory: Memory | None) -> None:
        """Reads results from memory, and adds to it: of earlier searches with the same data, folds and estimator.

        None forgets them again: whoever fits the search to other data must not find them.
        """
        self._memory = memory

    def _fit_by_scikit_learn(self, X: Any, y: Any, params: Mapping[str, Any], reason: str) -> Self:
        asked = [name for name in ("time_limit", "stop_at", "checkpoint") if getattr(self, name) is not None]
        if asked or self.strategy != "grid":
            asked += [] if self.strategy == "grid" else ["strategy"]
            raise ParameterError(
                f"{', '.join(asked)}: expected SVC or SVR at the end of the estimator, which alone are searched by "
                f"Mercer, got one that is not ({reason}). Leave them out, or use another estimator."
            )
        super().fit(X, y, **params)
        if hasattr(self, "best_index_"):
            self.certificate_ = unproven_choice(self.cv_results_, self.best_index_)
        self.plan_ = f"Every cell was fitted alone on every fold, by scikit-learn: {reason}."
        return self

    def _check_names(self) -> None:
        known = self.estimator.get_params(deep=True)
        grids = [self.param_grid] if isinstance(self.param_grid, Mapping) else list(self.param_grid)
        for name in {name for one in grids for name in one}:
            if name in known or (name.partition("__")[0] in known and "__" in name and self._takes(name)):
                continue
            near = [one for one in known if one.lower() == name.lower() or one.lower().endswith(f"__{name.lower()}")]
            near = near or get_close_matches(name, list(known), n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ParameterError(
                f"Invalid parameter {name!r} for estimator {type(self.estimator).__name__}.{hint} Expected one of "
                f"{sorted(known)}, got {name!r}."
            )

    def _takes(self, name: str) -> bool:
        """Whether a part of the estimator, which a grid may replace, could have the parameter."""
        part = name.partition("__")[0]
        grids = [self.param_grid] if isinstance(self.param_grid, Mapping) else list(self.param_grid)
        return any(part in one for one in grids)

    def _splits(self, X: Any, y: Any, params: Any) -> list[Split]:
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        self.n_splits_ = cv.get_n_splits(X, y, **params)
        rows = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
        found = [Split(k, rows[a], rows[b]) for k, (a, b) in enumerate(cv.split(X, y, **params))]
        if len(found) != self.n_splits_:
            raise ValueError(
                f"cv.split and cv.get_n_splits return inconsistent results. Expected {self.n_splits_} splits, got "
                f"{len(found)}"
            )
        return found

    def _name(self, refit_metric: Any, scorers: Any) -> str:
        """The score that cells are compared by."""
        if callable(self.scoring) and isinstance(self.refit, str) and self.refit != "one_se":
            return self.refit
        return refit_metric if isinstance(refit_metric, str) else self._names(scorers)[0]

    @staticmethod
    def _names(scorers: Any) -> list[str]:
        return list(scorers._scorers) if isinstance(scorers, _MultimetricScorer) else ["score"]

    def _run(self, layout: Layout, task: Task, name: str, began: float) -> Run:
        candidates = list(ParameterGrid(self.param_grid))
        if not candidates:
            raise ParameterError("param_grid: expected values for at least one cell, got none. No fits were performed.")
        cells = [Cell(k, one, *layout.parted(one)) for k, one in enumerate(candidates)]
        limit = np.inf if self.time_limit is None else float(self.time_limit) * (1 - _FOR_REFIT * bool(self.refit))
        known: Any = self.__dict__.get("_memory")
        if self.checkpoint is not None:
            splits = [part for split in task.splits for part in (split.train, split.test)]
            about = {
                "data": digest(task.X, task.y, *_arrays(task.fit_params), *_arrays(task.score_params)),
                "folds": digest(*splits),
                "estimator": name_of_estimator(self.estimator),
                "scoring": name_of_value(self.scoring),
            }
            known = Checkpoint(self.checkpoint, about)
        return Run(
            *(layout, cells, task, Budget(int(float(self.memory) * 1e6), checks.thread_count(self.n_jobs))),
            ends=began + limit,
            monitor=SearchMonitor(self.callback, self.verbose, len(cells) * len(task.splits)),
            checkpoint=known,
            name=name,
            keeps_losses=self.strategy == "wilcoxon",
            stop_at=np.inf if self.stop_at is None else float(self.stop_at),
            tasks=CallbackTasks(self, len(cells) * len(task.splits)),
        )

    # ---------------------------------------------------------------- results

    def _keep(self, run: Run, refit_metric: Any, name: str, scorers: Any, is_partial: bool = False) -> None:
        run.tell_end()
        complete = [cell for cell in run.cells if run.is_complete(cell)]
        if not complete and not is_partial:
            if run.was_told_to_stop:
                raise ParameterError(
                    f"callback: expected it to let at least one cell be fitted on all {self.n_splits_} folds, got True "
                    f"after {len(run.results)} fits."
                )
            raise ParameterError(
                f"time_limit: expected time for at least one cell on all {self.n_splits_} folds, got "
                f"{self.time_limit} s, in which {len(run.results)} fits were done. Raise it."
            )
        out = [self._out(run, cell, split) for cell in run.cells for split in run.task.splits]
        done = [one for one in out if one["is_known"]]
        if not is_partial:
            _warn_or_raise_about_fit_failures(done, self.error_score)
            if callable(self.scoring):
                _insert_error_scores(done, self.error_score)
        params = [dict(cell.params) for cell in run.cells]
        with warnings.catch_warnings():
            if len(done) < len(out):
                warnings.filterwarnings("ignore", message="One or more of the")
            results = self._format_results(params, len(run.task.splits), out, {})
        results.update(self._columns(run))
        self.multimetric_ = isinstance(done[0]["test_scores"], dict)
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(done[0]["test_scores"])
            refit_metric = self.refit
        self.scorer_ = scorers._scorers if isinstance(scorers, _MultimetricScorer) else scorers
        self.cv_results_ = results
        self.all_cv_results_ = _as_table(run)
        self.plan_ = run.plan()
        if is_partial and not complete:
            return
        if self.refit or not self.multimetric_:
            self.best_index_ = self._best(run, refit_metric, name, results)
            if not callable(self.refit):
                self.best_score_ = results[f"mean_test_{refit_metric}"][self.best_index_]
            self.best_params_ = results["params"][self.best_index_]
            advice = advice_for_edges(run.cells, self.best_index_)
            self.certificate_ = certify_choice(run, name, self.best_index_, advice)

    def _best(self, run: Run, refit_metric: Any, name: str, results: dict[str, Any]) -> int:
        if self.refit == "one_se":
            return simplest_within_one_error(run, name)
        return int(self._select_best_index(self.refit, refit_metric, results))

    def _get_scorers(self) -> Any:
        if self.refit != "one_se":
            return super()._get_scorers()
        if not (callable(self.scoring) or self.scoring is None or isinstance(self.scoring, str)):
            raise ParameterError(
                "refit: expected the name of a score or a function of the results where there are several scores, got "
                "'one_se'."
            )
        return super()._get_scorers()

    def _out(self, run: Run, cell: Cell, split: Split) -> dict[str, Any]:
        result = run.results.get((cell.number, split.number))
        is_multi = isinstance(run.task.scorer, _MultimetricScorer)
        if result is None:
            names = self._names(run.task.scorer)
            some = next(iter(run.results.values()))
            is_multi = is_multi or set(some.scores) != {"score"}
            missing: Any = dict.fromkeys(some.scores if is_multi else names, np.nan) if is_multi else np.nan
            none = {"fit_error": None, "test_scores": missing, "n_test_samples": len(split.test), "fit_time": np.nan}
            more = {"train_scores": missing} if self.return_train_score else {}
            return {**none, "score_time": np.nan, **more, "is_known": False}
        is_multi = is_multi or set(result.scores) != {"score"}
        out = {
            "fit_error": result.fit_error,
            "test_scores": dict(result.scores) if is_multi else result.scores["score"],
            "n_test_samples": result.rows,
            "fit_time": result.fit_seconds,
            "score_time": result.score_seconds,
            "is_known": True,
        }
        if result.train_scores is not None:
            out["train_scores"] = dict(result.train_scores) if is_multi else result.train_scores["score"]
        return out

    def _columns(self, run: Run) -> dict[str, Any]:
        """What scikit-learn does not have."""
        names = list(next(iter(run.results.values())).scores)
        table: dict[str, Any] = {}
        for name in names:
            table[f"test_{name}_low"], table[f"test_{name}_high"] = run.bounds(name)
        table["labels_proven"] = np.array([run.share_proven(cell) for cell in run.cells])
        for column, field, over in (
            ("gap", "gap", np.max),
            ("violation", "violation", np.max),
            ("n_support", "support", np.mean),
        ):
            table[column] = np.array([_over(run, cell, field, over) for cell in run.cells])
        table["status"] = np.array([run.status(cell).value for cell in run.cells], dtype=object)
        return table

    def _refit(self, X: Any, y: Any, fit_params: Any) -> None:
        began = perf_counter()
        self.best_estimator_ = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
        self.best_estimator_.fit(X, y, **fit_params)
        self.refit_time_ = perf_counter() - began
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_


def _arrays(params: Mapping[str, Any]) -> list[Any]:
    """What is passed on, with the names it has."""
    return [part for name, value in sorted(params.items()) if value is not None for part in (name, value)]


def _check_settle(value: Any) -> None:
    is_count = isinstance(value, (int, np.integer)) and value >= 0
    if not (value == "auto" or isinstance(value, bool) or is_count):
        raise ParameterError(f"settle: expected 'auto', True, False or a number ≥ 0, got {value!r}.")


def _check_number(name: str, value: Any) -> None:
    if value is not None and (not isinstance(value, Real) or isinstance(value, bool) or np.isnan(float(value))):
        raise ParameterError(f"{name}: expected a number or None, got {value!r}.")


def _over(run: Run, cell: Cell, field: str, over: Any) -> float:
    values = [getattr(result, field) for result in run.of_cell(cell)]
    values = [value for value in values if not (field == "support" and value < 0)]
    return float(over(values)) if values else np.nan


def _as_table(run: Run) -> dict[str, Any]:
    seconds, numbers, splits, statuses = zip(*run.history, strict=True) if run.history else ((), (), (), ())
    return {
        "seconds": np.array(seconds, dtype=np.float64),
        "params": [dict(run.cells[number].params) for number in numbers],
        "split": np.array(splits, dtype=np.int64),
        "status": np.array(statuses, dtype=object),
    }
