"""Support vector regression that chooses C, gamma and epsilon itself."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.model_selection import KFold

from mercer.calibration import CrossIntervals, SplitIntervals
from mercer.estimators import SVR
from mercer.tune.ranges import C_range, epsilon_range, gamma_range
from mercer.tune.tuned import Tuned, read_features
from mercer.typing import Floats, Integers

__all__ = ["TunedSVR"]


class TunedSVR(RegressorMixin, Tuned):  # type: ignore[misc]
    """Regression that scales its features, looks for C, gamma and epsilon on folds, and certifies machine and choice.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in `SVR`.
    C, gamma, epsilon : number or list, optional
        Values to look at. None takes powers of four: of C in units of the spread of the targets, of gamma around one
        over the median squared distance of the rows; and three tubes, from narrow to wide. Where the choice is at an
        end, the range is extended and the search goes on.
    cv : int or splitter, default=5
        Folds; a number means ones in shuffled order.
    conformal : {None, "split", "cv+", "cv"}, default=None
        Whether, and how, `predict_interval` is learnt, as in `TunedSVC`.
    scale, scoring, strategy, settle, refit, tol, time_limit, memory, n_jobs, random_state, verbose, callback
        As in `TunedSVC`.

    Attributes
    ----------
    best_params_, best_score_, cv_results_, choice_, certificate_, best_estimator_, machine_, search_, n_extensions_
        As in `TunedSVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import TunedSVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> TunedSVR(cv=3).fit(X, y).best_score_ > 0.4
    True
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        C: Any = None,
        gamma: Any = None,
        epsilon: Any = None,
        scale: bool = True,
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
        self.epsilon = epsilon

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Looks for the parameters and fits the machine to all rows; parameters as in `TunedSVC.fit`."""
        return self._fit(X, y, sample_weight, groups)

    def _machine(self) -> SVR:
        return SVR(kernel=self.kernel, tol=self.tol, n_jobs=self.n_jobs)

    def _read(self, X: Any, y: Any) -> tuple[Any, Any]:
        return read_features(self, X, y, y_numeric=True)

    def _folds(self, y: Any) -> Any:
        if not isinstance(self.cv, (int, np.integer)):
            return self.cv
        seed = 0 if self.random_state is None else self.random_state
        return KFold(min(int(self.cv), len(y)), shuffle=True, random_state=seed)

    def _ranges(self, X: Any, y: Any) -> dict[str, list[Any]]:
        spread = float(np.std(y)) or 1.0
        ranges: dict[str, list[Any]] = {"C": C_range(spread), "epsilon": epsilon_range(spread)}
        if isinstance(self.kernel, str) and self.kernel in ("rbf", "laplacian"):
            ranges["gamma"] = gamma_range(X, 0 if self.random_state is None else self.random_state)
        return ranges

    def _strata(self, y: Any) -> Any:
        return None

    def _calibrated(self, X: Any, y: Any, weights: Floats | None, kept: Integers, apart: Integers) -> Any:
        if self.conformal == "split":
            return SplitIntervals.learn(y[apart] - self.best_estimator_.predict(X[apart]))
        residuals, folds, models = np.empty(len(y)), np.empty(len(y), dtype=np.int64), []
        for fold, (model, test) in enumerate(self._fold_machines(X, y, weights)):
            residuals[test], folds[test] = y[test] - model.predict(X[test]), fold
            models.append(model)
        if self.conformal == "cv":
            return SplitIntervals.learn(residuals)
        return CrossIntervals.learn(residuals, folds), models

    def predict_interval(self, X: Any, confidence_level: float = 0.9) -> Floats:
        """Between which numbers targets lie, at a level of confidence; what it guarantees depends on `conformal`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        confidence_level : float, default=0.9
            How often the target is to be within, for rows that are drawn as the training rows were.

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        learnt = self._sets()
        X = self._queries(X)
        if isinstance(learnt, SplitIntervals):
            return learnt.interval(self.best_estimator_.predict(X), confidence_level)
        intervals, models = learnt
        by_fold = np.stack([model.predict(X) for model in models])
        found: Floats = intervals.interval(by_fold, confidence_level)
        return found

    def predict(self, X: Any) -> Floats:
        """The value of the function at each row."""
        X = self._queries(X)
        return np.asarray(self.best_estimator_.predict(X))
