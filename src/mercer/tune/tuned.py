"""Estimators that choose their own parameters: no grid to write."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import check_cv, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import checks
from mercer.certificates import Certificate
from mercer.data import read_sample_weight
from mercer.errors import InputError, ParameterError
from mercer.tune.checkpoint import Memory
from mercer.tune.choice import ChoiceCertificate
from mercer.tune.ranges import extended
from mercer.tune.search import GridSearchCV
from mercer.tune.strategies import STRATEGIES
from mercer.typing import Floats, Integers

__all__ = ["Tuned"]

# The share of the rows that is kept apart for conformal="split".
_APART = 0.25
# How often a range of its own is extended, where the choice is at its end.
_MOST_EXTENSIONS = 4

_MACHINE = "machine"


def _check_conformal(name: str, value: Any) -> None:
    if value is not None:
        checks.choice(name, value, ("split", "cv+", "cv"))


class Tuned(BaseEstimator):  # type: ignore[misc]
    """A machine, scaled and tuned on folds of its own.

    Subclasses say which machine (`_machine`), on which folds (`_folds`), and which ranges are looked at (`_ranges`).
    """

    _checks: ClassVar[dict[str, checks.Check]] = {
        "scale": checks.flag,
        "strategy": checks.one_of(*STRATEGIES),
        "tol": checks.positive,
        "time_limit": checks.optional_positive,
        "memory": checks.positive,
        "n_jobs": checks.number_of_threads,
        "random_state": checks.seed,
        "callback": checks.optional_callable,
        "conformal": _check_conformal,
    }

    def __init__(
        self,
        *,
        kernel: Any,
        C: Any,
        gamma: Any,
        scale: bool,
        cv: Any,
        scoring: Any,
        strategy: str,
        settle: Any,
        refit: Any,
        tol: float,
        time_limit: float | None,
        memory: float,
        n_jobs: int | None,
        random_state: Any,
        verbose: int,
        callback: Any,
        conformal: str | None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.scale = scale
        self.cv = cv
        self.scoring = scoring
        self.strategy = strategy
        self.settle = settle
        self.refit = refit
        self.tol = tol
        self.time_limit = time_limit
        self.memory = memory
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.conformal = conformal

    # ---------------------------------------------------------------- what subclasses say

    @abstractmethod
    def _machine(self) -> Any:
        """The machine whose parameters are looked for."""

    @abstractmethod
    def _folds(self, y: Any) -> Any:
        """What the search takes as `cv`."""

    @abstractmethod
    def _ranges(self, X: Any, y: Any) -> dict[str, list[Any]]:
        """Values of the parameters that nobody gave."""

    @abstractmethod
    def _strata(self, y: Any) -> Any:
        """What rows are drawn alike from; None for no such thing."""

    @abstractmethod
    def _calibrated(self, X: Any, y: Any, weights: Floats | None, kept: Integers, apart: Integers) -> Any:
        """What sets or intervals are made by."""

    @abstractmethod
    def _read(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The training rows and targets, checked."""

    # ---------------------------------------------------------------- fit

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Self:
        for name, check in self._checks.items():
            check(name, getattr(self, name))
        if self.refit is False or self.refit is None:
            raise ParameterError(f"refit: expected True, 'one_se', a name or a function, got {self.refit!r}.")
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ParameterError(
                f"kernel: expected one of features, which {type(self).__name__} scales, got 'precomputed'. Search SVC "
                "or SVR with GridSearchCV instead."
            )
        X, y = self._read(X, y)
        if X.shape[0] < 2:
            raise InputError(f"Expected two rows or more, to hold some out, got {X.shape[0]} sample.")
        if groups is not None and self.conformal == "split":
            raise ParameterError(
                "conformal: expected 'cv+' or 'cv' where rows come in groups, got 'split', whose part apart would "
                "share groups with the training rows."
            )
        weights = None if sample_weight is None else read_sample_weight(sample_weight, X.shape[0])
        kept, apart = self._parted(y)
        self._search(X[kept], y[kept], self._named(weights, kept), groups)
        self._calibration = None if self.conformal is None else self._calibrated(X, y, weights, kept, apart)
        return self

    def _parted(self, y: Any) -> tuple[Integers, Integers]:
        """Rows to tune and train on, and those that only sets and intervals are learnt from."""
        everything = np.arange(len(y))
        if self.conformal != "split":
            return everything, everything[:0]
        seed = 0 if self.random_state is None else self.random_state
        kept, apart = train_test_split(everything, test_size=_APART, random_state=seed, stratify=self._strata(y))
        return np.sort(kept), np.sort(apart)

    def _named(self, weights: Floats | None, rows: Integers) -> dict[str, Any]:
        is_routed = get_config().get("enable_metadata_routing", False)
        name = "sample_weight" if is_routed else f"{_MACHINE}__sample_weight"
        return {} if weights is None else {name: weights[rows]}

    def _fold_machines(self, X: Any, y: Any, weights: Floats | None) -> Iterator[tuple[Any, Integers]]:
        """The chosen machine fitted without each fold, and the rows of that; each row is held out once."""
        folds = self.search_.cv
        if not np.array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(len(y))):
            raise InputError(
                f"conformal={self.conformal!r} expects folds that hold out every row once, got others from cv. Use "
                "conformal='split', or another cv."
            )
        for train, test in folds:
            model = clone(self.best_estimator_).fit(X[train], y[train], **self._named(weights, train))
            yield model, test

    def _search(self, X: Any, y: Any, params: dict[str, Any], groups: Any) -> None:
        given, automatic = self._given(), self._ranges(self._scaled(X), y)
        ranges = {**automatic, **given}
        memory, folds = Memory(), self._splits(X, y, groups)
        self.n_extensions_ = 0
        while True:
            search = self.search_ = GridSearchCV(
                self._pipeline(X),
                {f"{_MACHINE}__{name}": values for name, values in ranges.items()},
                scoring=self.scoring,
                cv=folds,
                n_jobs=self.n_jobs,
                refit=self.refit,
                strategy=self.strategy,
                settle=self.settle,
                time_limit=self.time_limit,
                memory=self.memory,
                verbose=self.verbose,
                callback=self.callback,
            )
            search.remember(memory)
            search.fit(X, y, **params)
            search.remember(None)
            own = [name for name in ranges if name in automatic and name not in given]
            ends = {name: end for name in own if (end := _better_end(search, name, ranges[name])) is not None}
            if not ends or self.n_extensions_ == _MOST_EXTENSIONS or self.time_limit is not None:
                return
            self.n_extensions_ += 1
            for name, end in ends.items():
                ranges[name] = extended(ranges[name], end)

    def _splits(self, X: Any, y: Any, groups: Any) -> list[tuple[Integers, Integers]]:
        """The folds, once for all: a splitter may give others when it is asked again."""
        found = list(check_cv(self._folds(y), y, classifier=is_classifier(self)).split(X, y, groups))
        rows = np.arange(len(y))
        try:
            return [(rows[train], rows[test]) for train, test in found]
        except IndexError as error:
            raise InputError(
                f"cv: expected folds of {len(y)} rows, got numbers of others. With conformal='split' a part of the "
                "rows is kept apart: give a splitter or a number."
            ) from error

    def _given(self) -> dict[str, list[Any]]:
        """Parameters that are named, as lists of values."""
        found = {}
        for name in ("C", "gamma", "epsilon"):
            value = getattr(self, name, None)
            if value is not None:
                is_list = isinstance(value, (list, tuple, range)) or (isinstance(value, np.ndarray) and value.ndim == 1)
                found[name] = list(value) if is_list else [value]
        return found

    def _pipeline(self, X: Any) -> Pipeline:
        scaler, machine = StandardScaler(with_mean=not sp.issparse(X)), self._machine()
        if get_config().get("enable_metadata_routing", False):
            scaler.set_fit_request(sample_weight=False)
            machine.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        return Pipeline([("scaler", scaler if self.scale else "passthrough"), (_MACHINE, machine)])

    def _scaled(self, X: Any) -> Any:
        return StandardScaler(with_mean=not sp.issparse(X)).fit_transform(X) if self.scale else X

    # ---------------------------------------------------------------- what came out

    @property
    def best_estimator_(self) -> Pipeline:
        """The scaler and the machine, fitted to all rows."""
        check_is_fitted(self, "search_")
        return self.search_.best_estimator_

    @property
    def machine_(self) -> Any:
        """The machine alone."""
        return self.best_estimator_[-1]

    @property
    def best_params_(self) -> dict[str, Any]:
        """The parameters that were chosen."""
        check_is_fitted(self, "search_")
        return {name.removeprefix(f"{_MACHINE}__"): value for name, value in self.search_.best_params_.items()}

    @property
    def best_score_(self) -> float:
        """Their mean score on rows that were held out."""
        check_is_fitted(self, "search_")
        return _score_of_choice(self.search_)

    @property
    def cv_results_(self) -> dict[str, Any]:
        """All cells, as in `GridSearchCV`."""
        check_is_fitted(self, "search_")
        results: dict[str, Any] = self.search_.cv_results_
        return results

    @property
    def choice_(self) -> ChoiceCertificate:
        """What is proven of the choice."""
        check_is_fitted(self, "search_")
        choice = self.search_.certificate_
        return replace(choice, advice=tuple(one.removeprefix(f"{_MACHINE}__") for one in choice.advice))

    @property
    def certificate_(self) -> Certificate:
        """What is proven of the machine."""
        certificate: Certificate = self.machine_.certificate_
        return certificate

    def _sets(self) -> Any:
        """What sets or intervals are made by; an error where the fit was not asked for it."""
        check_is_fitted(self, "search_")
        if self._calibration is None:
            raise NotFittedError(
                "Sets and intervals are learnt in the fit: expected conformal='split', 'cv+' or 'cv', got None. Fit "
                "again with one of them."
            )
        return self._calibration

    def _queries(self, X: Any) -> Any:
        check_is_fitted(self, "search_")
        return validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _better_end(search: GridSearchCV, name: str, values: list[Any]) -> Any:
    """The end of a range that was chosen and scores better than its neighbour; None where there is none."""
    chosen, column = search.best_params_[f"{_MACHINE}__{name}"], f"{_MACHINE}__{name}"
    if len(values) < 3 or chosen not in (values[0], values[-1]):
        return None
    beside = {**search.best_params_, column: values[1] if chosen == values[0] else values[-2]}
    results = search.cv_results_
    scores = dict(zip(map(repr, results["params"]), results[_column_of_choice(search)], strict=True))
    neighbour = scores.get(repr({key: beside[key] for key in results["params"][0]}), np.nan)
    return chosen if not _score_of_choice(search) <= neighbour else None


def _column_of_choice(search: GridSearchCV) -> str:
    """Where the scores are by which was chosen; the first where a function chose."""
    named = f"mean_test_{search.refit}"
    return named if named in search.cv_results_ else next(c for c in search.cv_results_ if c.startswith("mean_test_"))


def _score_of_choice(search: GridSearchCV) -> float:
    return float(search.cv_results_[_column_of_choice(search)][search.best_index_])


def read_features(estimator: Any, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
    """Rows and targets by scikit-learn's checks."""
    found: tuple[Any, Any] = validate_data(
        estimator, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], **options
    )
    return found


def values_of_classes(decision: Floats) -> Floats:
    """One value a class, of two classes too."""
    return np.stack([-decision, decision], axis=1) if decision.ndim == 1 else decision
