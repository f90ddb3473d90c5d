"""Grid search with scikit-learn's face, and a certificate of the choice."""

from __future__ import annotations

import warnings
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
from mercer.errors import ParameterError, warn_user
from mercer.rows import Budget
from mercer.tune.cells import Cell, Split
from mercer.tune.layout import Layout, layout_of
from mercer.tune.run import CellStatus, Result, Run, Task

__all__ = ["GridSearchCV"]


class GridSearchCV(model_selection.GridSearchCV):  # type: ignore[misc]
    """scikit-learn's `GridSearchCV` with the work shared between cells and folds, and a certificate of the choice."""

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
        time_limit: float | None = None,
        memory: float = 1000,
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
        self.time_limit = time_limit
        self.memory = memory

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        began = perf_counter()
        layout = layout_of(self.estimator)
        if isinstance(layout, str):
            super().fit(X, y, **params)
            self.plan_ = f"Every cell is fitted alone on every split, by scikit-learn: {layout}."
            return self
        scorers, refit_metric = self._get_scorers()
        X, y = indexable(X, y)
        params = _check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        splits = self._splits(X, y, routed.splitter.split)
        candidates = list(ParameterGrid(self.param_grid))
        task = Task(
            *(X, y, splits, scorers, routed.estimator.fit, routed.scorer.score),
            return_train_score=self.return_train_score,
            error_score=self.error_score,
            verbose=self.verbose,
        )
        cells = [Cell(k, one, *layout.parted(one)) for k, one in enumerate(candidates)]
        ends = np.inf if self.time_limit is None else began + float(self.time_limit)
        budget = Budget(int(float(self.memory) * 1e6), checks.thread_count(self.n_jobs))
        run = Run(layout, cells, task, budget, ends)
        run.evaluate(cells)
        self._keep(run, refit_metric, scorers)
        if self.refit:
            self._refit(X, y, routed.estimator.fit)
        return self

    def _splits(self, X: Any, y: Any, params: Any) -> list[Split]:
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        self.n_splits_ = cv.get_n_splits(X, y, **params)
        found = [Split(k, np.asarray(a), np.asarray(b)) for k, (a, b) in enumerate(cv.split(X, y, **params))]
        if len(found) != self.n_splits_:
            raise ValueError(
                f"cv.split and cv.get_n_splits return inconsistent results. Expected {self.n_splits_} splits, got "
                f"{len(found)}"
            )
        return [_as_numbers(split, X) for split in found]

    def _keep(self, run: Run, refit_metric: str, scorers: Any) -> None:
        out = [self._out(run, cell, split) for cell in run.cells for split in run.task.splits]
        _warn_or_raise_about_fit_failures(out, self.error_score)
        if callable(self.scoring):
            _insert_error_scores(out, self.error_score)
        self.multimetric_ = isinstance(out[0]["test_scores"], dict)
        results = self._format_results([dict(cell.params) for cell in run.cells], len(run.task.splits), out, {})
        if self.refit or not self.multimetric_:
            self.best_index_ = self._select_best_index(self.refit, refit_metric, results)
            if not callable(self.refit):
                self.best_score_ = results[f"mean_test_{refit_metric}"][self.best_index_]
            self.best_params_ = results["params"][self.best_index_]
        self.scorer_ = scorers._scorers if isinstance(scorers, _MultimetricScorer) else scorers
        self.cv_results_ = results

    def _out(self, run: Run, cell: Cell, split: Split) -> dict[str, Any]:
        result = run.results[cell.number, split.number]
        is_multi = isinstance(run.task.scorer, _MultimetricScorer) or set(result.scores) != {"score"}
        out = {
            "fit_error": result.fit_error,
            "test_scores": dict(result.scores) if is_multi else result.scores["score"],
            "n_test_samples": result.rows,
            "fit_time": result.fit_seconds,
            "score_time": result.score_seconds,
        }
        if result.train_scores is not None:
            out["train_scores"] = dict(result.train_scores) if is_multi else result.train_scores["score"]
        return out

    def _refit(self, X: Any, y: Any, fit_params: Any) -> None:
        began = perf_counter()
        self.best_estimator_ = clone(clone(self.estimator).set_params(**clone(self.best_params_, safe=False)))
        self.best_estimator_.fit(X, y, **fit_params)
        self.refit_time_ = perf_counter() - began
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_


def _as_numbers(split: Split, X: Any) -> Split:
    """Splits may come as masks."""
    rows = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
    return Split(split.number, rows[split.train], rows[split.test])
