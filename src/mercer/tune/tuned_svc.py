"""A support vector machine that chooses C and gamma itself."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from mercer.calibration import CrossSets, SplitSets
from mercer.errors import InputError
from mercer.estimators import SVC
from mercer.tune.ranges import C_range, gamma_range
from mercer.tune.tuned import Tuned, read_features, values_of_classes
from mercer.typing import Booleans, Floats, Integers, Labels

__all__ = ["TunedSVC"]


def _has_probabilities(estimator: TunedSVC) -> bool:
    if estimator.probability in (False, "deprecated"):
        raise AttributeError("predict_proba is not available when probability=False.")
    return True


class _Learnt(NamedTuple):
    """What machines say of rows that they do not know: values of the classes, and which is true; of "cv+" the machines
    too, and which of them does not know a row."""

    values: Floats
    codes: Integers
    folds: Integers | None = None
    models: list[Any] | None = None


class TunedSVC(ClassifierMixin, Tuned):  # type: ignore[misc]
    """Classification that scales its features, looks for C and gamma on folds, and certifies machine and choice.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in `SVC`.
    C, gamma : number or list, optional
        Values to look at. None takes powers of four: of C from 1/4 to 256, of gamma around one over the median squared
        distance of the rows; where the choice is at an end, the range is extended and the search goes on.
    scale : bool, default=True
        Whether features are standardised, by the training rows of each fold.
    class_weight, multi_class, probability, tol
        As in `SVC`.
    cv : int or splitter, default=5
        Folds; a number means stratified ones in shuffled order, no more than the smallest class has rows.
    scoring, strategy, settle, refit, time_limit, memory, n_jobs, verbose, callback
        As in `GridSearchCV`.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds; None is a seed too.
    conformal : {None, "split", "cv+", "cv"}, default=None
        Whether, and how, `predict_set` is learnt. "split" keeps a quarter of the rows apart from tuning and training:
        sets have the true class with at least the probability that is asked for, proven. "cv+" asks the machines of
        the folds, with the chosen parameters: at least 2 · level − 1 for parameters that were not chosen on the same
        rows, and about the level in practice; a prediction asks all of them. "cv" takes what they say of their
        held-out rows and the machine of all rows: cheap, and without a proof.

    Attributes
    ----------
    best_params_, best_score_, cv_results_
        The choice, its score, and all cells.
    choice_ : ChoiceCertificate
        What is proven of the choice.
    certificate_ : Certificate
        What is proven of the machine that was fitted to all rows.
    best_estimator_ : Pipeline
        The scaler and that machine; `machine_` is the machine alone.
    search_ : GridSearchCV
        The search.
    classes_ : ndarray
        The labels.
    n_extensions_ : int
        How often a range was extended.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from mercer import TunedSVC
    >>> X, y = load_wine(return_X_y=True)
    >>> model = TunedSVC().fit(X, y)
    >>> model.best_score_ > 0.97
    True
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        C: Any = None,
        gamma: Any = None,
        scale: bool = True,
        class_weight: Any = None,
        multi_class: str = "ovo",
        probability: Any = False,
        cv: Any = 5,
        scoring: Any = None,
        strategy: str = "grid",
        settle: Any = "auto",
        refit: Any = True,
        tol: float = 1e-3,
        time_limit: float | None = None,
        memory: float = 1000,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        callback: Any = None,
        conformal: str | None = None,
    ) -> None:
        super().__init__(
            kernel=kernel,
            C=C,
            gamma=gamma,
            scale=scale,
            cv=cv,
            scoring=scoring,
            strategy=strategy,
            settle=settle,
            refit=refit,
            tol=tol,
            time_limit=time_limit,
            memory=memory,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            callback=callback,
            conformal=conformal,
        )
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.probability = probability

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Looks for the parameters and fits the machine to all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows in training; held-out rows count alike.
        groups : array-like of shape (n_samples,), optional
            Of the rows, for a `cv` that keeps groups together.
        """
        return self._fit(X, y, sample_weight, groups)

    def _machine(self) -> SVC:
        return SVC(
            kernel=self.kernel,
            class_weight=self.class_weight,
            multi_class=self.multi_class,
            probability=self.probability,
            tol=self.tol,
            n_jobs=self.n_jobs,
        )

    def _read(self, X: Any, y: Any) -> tuple[Any, Any]:
        X, y = read_features(self, X, y)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise InputError(
                f"The number of classes has to be greater than one; got {len(self.classes_)} class. Check that y holds "
                "the labels and that no filter removed the others."
            )
        return X, y

    def _folds(self, y: Any) -> Any:
        if not isinstance(self.cv, (int, np.integer)):
            return self.cv
        fewest = int(np.unique(y, return_counts=True)[1].min())
        if fewest < 2:
            raise InputError(
                "Expected two rows or more of each class, so that one can be held out, got a class with a single row. "
                "Leave it out, or give folds with cv."
            )
        seed = 0 if self.random_state is None else self.random_state
        return StratifiedKFold(min(int(self.cv), fewest), shuffle=True, random_state=seed)

    def _ranges(self, X: Any, y: Any) -> dict[str, list[Any]]:
        ranges: dict[str, list[Any]] = {"C": C_range()}
        if isinstance(self.kernel, str) and self.kernel in ("rbf", "laplacian"):
            ranges["gamma"] = gamma_range(X, 0 if self.random_state is None else self.random_state)
        return ranges

    def _strata(self, y: Any) -> Any:
        return y

    def _calibrated(self, X: Any, y: Any, weights: Floats | None, kept: Integers, apart: Integers) -> Any:
        codes = np.searchsorted(self.classes_, y)
        if self.conformal == "split":
            return _Learnt(values_of_classes(self.best_estimator_.decision_function(X[apart])), codes[apart])
        values, numbers = np.empty((len(y), len(self.classes_))), np.empty(len(y), dtype=np.int64)
        models = []
        for fold, (model, test) in enumerate(self._fold_machines(X, y, weights)):
            if len(model.classes_) < len(self.classes_):
                missing = sorted(set(self.classes_.tolist()) - set(model.classes_.tolist()))
                raise InputError(
                    f"conformal={self.conformal!r} expects folds with all classes among their training rows, got fold "
                    f"{fold} without {missing}. Use a stratified cv, or conformal='split'."
                )
            values[test], numbers[test] = values_of_classes(model.decision_function(X[test])), fold
            models.append(model)
        return _Learnt(values, codes, numbers, models) if self.conformal == "cv+" else _Learnt(values, codes)

    # ---------------------------------------------------------------- predict

    def predict_set(self, X: Any, confidence_level: float = 0.9, per_class: bool = False) -> Booleans:
        """Classes that are not ruled out, at a level of confidence; what it guarantees depends on `conformal`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        confidence_level : float, default=0.9
            How often the true class is to be in the set, for rows that are drawn as the training rows were.
        per_class : bool, default=False
            Whether that is to hold within each class, and not only on average over all of them.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            In the order of `classes_`. A row may have none or several.
        """
        learnt = self._sets()
        X = self._queries(X)
        if learnt.models is None:
            values = values_of_classes(self.best_estimator_.decision_function(X))
            return SplitSets.learn(learnt.values, learnt.codes, per_class).sets(values, confidence_level)
        by_fold = np.stack([values_of_classes(model.decision_function(X)) for model in learnt.models])
        return CrossSets.learn(learnt.values, learnt.codes, learnt.folds, per_class).sets(by_fold, confidence_level)

    def predict(self, X: Any) -> Labels:
        """The label of each row."""
        X = self._queries(X)
        return np.asarray(self.best_estimator_.predict(X))

    def decision_function(self, X: Any) -> Floats:
        """As `SVC` gives it."""
        X = self._queries(X)
        return np.asarray(self.best_estimator_.decision_function(X))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, where probability is not False."""
        X = self._queries(X)
        return np.asarray(self.best_estimator_.predict_proba(X))
