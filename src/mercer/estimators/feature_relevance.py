"""Scales of features, learnt from targets, as a transformer before any machine that looks at distances."""

from __future__ import annotations

from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import checks
from mercer._runtime import available_threads
from mercer.data import read_queries
from mercer.errors import NumericsWarning, UnsolvedWarning, warn_user
from mercer.estimators.atomic import restored_on_error
from mercer.estimators.relevance_tasks import Criterion, Targets, check_machine, read_targets, task_of
from mercer.scales import Evidence, Found, LeftOut, Limits, SoftNeighbours, Stage, Standard, nested_sample, search
from mercer.solvers import Status
from mercer.solvers.direct.threads import few_threads
from mercer.typing import Floats, Integers

__all__ = ["FeatureRelevance"]

# A row among 500 already tells which features matter, at a sixteenth of the time of 2,000: they are where a search
# begins. Matrices are inverted, which takes longer.
_FIRST_ROWS = {Criterion.NEIGHBOURS: 500, Criterion.LEFT_OUT: 250, Criterion.EVIDENCE: 250}
# Where rows are few the price of scales is up to three times that of many: heart (189 rows) wants as much.
_FEW_ROWS = 400
# Σ w of the first guesses, equal weights. Those below 1 are so flat that a search from there ends at zero.
_FIRST_GUESSES = (1.0, 2.0, 4.0, 8.0, 16.0)
_FIRST_GUESSES_OF_KERNELS = (0.25, 1.0, 4.0)
_FIRST_NOISE = (-3.0, -1.0, 1.0)


class FeatureRelevance(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns how much each feature matters, and multiplies it by a scale ≥ 0.

    Machines that look at distances (neighbours, windows, support vectors, ridge and Gaussian processes under a kernel)
    take every feature for as important as it is large. After this transformer that is how well it tells the targets.
    Features are compared at mean 0 and variance 1; standardise nothing before.

    Parameters
    ----------
    machine : str or estimator, default="auto"
        What the scales are for. "auto", "knn", "parzen", "svc" and "svr" leave each row to soft votes of the others,
        which count the more the nearer they are. "ridge" minimises the errors of kernel ridge regression at rows left
        out, "gp" maximises the marginal likelihood of a Gaussian process; both cost the cube of the rows. An estimator
        stands for its kind.
    targets : {"auto", "classes", "numbers"}, default="auto"
        What y holds. "auto" asks the machine, and where that takes both, y: few distinct whole numbers are classes.
    penalty : float, default=0.4
        The price of scales, ≥ 0, beside the error of about 1 / √rows that chance makes: a feature that helps less has
        the scale 0. Less suits support vector machines with many rows, more suits few rows. "gp" has none, as the
        likelihood prices scales itself.
    max_rows : int, optional
        Rows to learn from, at random with the classes in their shares. None means 2,000, and 1,000 for "ridge" and
        "gp".
    tol : float, default=1e-3
        Steps that improve the objective by less end the search; further ones won back no accuracy.
    max_iter : int, default=100
        The most steps.
    time_limit : float, optional
        Seconds after which the best scales so far are taken.
    n_jobs : int, optional
        Threads; None means those that are available.
    random_state : int, RandomState instance or None, default=0
        Chooses the rows. None chooses others each time.

    Attributes
    ----------
    scales_ : ndarray of shape (n_features_in_,)
        What features are multiplied by. Those with one value have 0. The sum of the variances is then the number of
        the features that vary, as if all were standardised.
    relevance_ : ndarray of shape (n_features_in_,)
        The scales of standardised features, as shares of the largest.
    gamma_ : float
        Of the RBF kernel on transformed rows that the objective found best, exp(−gamma ‖x − z‖²).
    criterion_ : str
        By what scales were judged.
    objective_ : float
        Its value at the end, with the price of the scales.
    row_indices_ : ndarray
        The rows that were learnt from.
    n_iter_, n_evaluations_, status_
        Steps; how often the objective was asked for; how the search ended.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import FeatureRelevance, KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> X = np.random.default_rng(0).normal(size=(400, 10))
    >>> y = X[:, 0] ** 2 + X[:, 1] > 1
    >>> model = make_pipeline(FeatureRelevance("knn"), KNeighborsClassifier()).fit(X[:300], y[:300])
    >>> np.flatnonzero(model[0].relevance_ > 0.2)
    array([0, 1])
    >>> model.score(X[300:], y[300:]) > KNeighborsClassifier().fit(X[:300], y[:300]).score(X[300:], y[300:])
    True
    """

    _checks: ClassVar[dict[str, checks.Check]] = {
        "machine": check_machine,
        "targets": checks.one_of("auto", "classes", "numbers"),
        "penalty": checks.not_negative,
        "max_rows": checks.optional_at_least(2),
        "tol": checks.positive,
        "max_iter": checks.at_least(1),
        "time_limit": checks.optional_positive,
        "n_jobs": checks.number_of_threads,
        "random_state": checks.seed,
    }

    def __init__(
        self,
        machine: Any = "auto",
        *,
        targets: str = "auto",
        penalty: float = 0.4,
        max_rows: int | None = None,
        tol: float = 1e-3,
        max_iter: int = 100,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.machine = machine
        self.targets = targets
        self.penalty = penalty
        self.max_rows = max_rows
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learns the scales.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Labels, or numbers.

        Returns
        -------
        self
        """
        with restored_on_error(self):
            return self._fit(X, y)

    def transform(self, X: Any) -> Any:
        """The features times their scales.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = read_queries(self, X, accept_sparse=False)
        return X * self.scales_.astype(X.dtype)

    # ---------------------------------------------------------------- fit

    def _fit(self, X: Any, y: Any) -> Self:
        began = perf_counter()
        checks.check_parameters(self)
        task = task_of(self.machine)
        X, y = validate_data(
            self, X, y, dtype=[np.float64, np.float32], order="C", multi_output=True, ensure_min_samples=2
        )
        targets = read_targets(y, task, self.targets)
        most = self.max_rows or (2000 if task.criterion is Criterion.NEIGHBOURS else 1000)
        rows = nested_sample(targets.codes, len(X), most, check_random_state(self.random_state))
        standard = Standard.of(X)
        ends = np.inf if self.time_limit is None else began + float(self.time_limit)
        found = None
        if np.any(standard.varies) and np.any(targets.columns[rows] != targets.columns[rows[0]]):
            found = self._search(task.criterion, standard.applied(X[rows]), targets, rows, ends)
        self._keep(standard, found)
        self.criterion_, self.row_indices_ = task.criterion.value, rows
        return self

    def _search(self, criterion: Criterion, X: Floats, targets: Targets, rows: Integers, ends: float) -> Found:
        n, d = X.shape
        few = _FIRST_ROWS[criterion]
        sizes = [n] if n <= 2 * few else [few, n]
        stages = [self._stage(criterion, X[:size], targets, rows[:size]) for size in sizes]
        if criterion is Criterion.NEIGHBOURS:
            starts = [np.full(d, total / d) for total in _FIRST_GUESSES]
        else:
            guesses = [(total, noise) for total in _FIRST_GUESSES_OF_KERNELS for noise in _FIRST_NOISE]
            starts = [np.append(np.full(d, total / d), noise) for total, noise in guesses]
        # Blocks of rows are shared out among threads, in each of which BLAS has one; matrices are its own matter.
        with few_threads(n, 1 if criterion is Criterion.NEIGHBOURS else self._threads):
            return search(stages, starts, d, Limits(int(self.max_iter), float(self.tol), ends))

    def _stage(self, criterion: Criterion, X: Floats, targets: Targets, rows: Integers) -> Stage:
        n, columns, is_classes = len(X), targets.columns[rows], targets.codes is not None
        price = float(self.penalty) / np.sqrt(n) * (1 + min(2.0, _FEW_ROWS / n))
        if criterion is Criterion.NEIGHBOURS:
            return Stage(lambda: SoftNeighbours(X.astype(np.float32), columns, is_classes, self._threads), price)
        centred = columns - columns.mean(axis=0)
        variance = float(centred.var(axis=0).sum())
        scaled = centred / np.sqrt(variance) if variance > 0 else centred
        if criterion is Criterion.LEFT_OUT:
            return Stage(lambda: LeftOut(X, scaled, self._threads), price)
        return Stage(lambda: Evidence(X, scaled, self._threads), 0.0)

    def _keep(self, standard: Standard, found: Found | None) -> None:
        """Scales from the weights of squared differences; equal ones where no weight is above zero."""
        varies = standard.varies
        count = int(np.count_nonzero(varies))
        total = 0.0 if found is None else float(found.weights.sum())
        shares = np.zeros(len(varies))
        if found is not None and total > 0:
            shares[varies] = np.sqrt(found.weights * (count / total))
        else:
            shares[varies] = 1.0
            warn_user(
                NumericsWarning(
                    "No feature tells the targets better than chance would: expected some that do. All scales are "
                    "equal. Lower penalty, or give more rows."
                )
            )
        self.scales_ = np.divide(shares, standard.spread, out=np.zeros(len(shares)), where=varies)
        self.relevance_ = shares / shares.max() if count else shares
        self.gamma_ = total / count if total > 0 else 1 / max(count, 1)
        self.objective_ = np.nan if found is None else found.value
        self.n_iter_ = 0 if found is None else found.steps
        self.n_evaluations_ = 0 if found is None else found.evaluations
        self.status_ = Status.STEADY if found is None else found.status
        if self.status_ is not Status.STEADY:
            warn_user(
                UnsolvedWarning(
                    f"{self.status_.value} The scales are the best of {self.n_evaluations_} tried. Raise time_limit, "
                    "max_iter or tol, or lower max_rows."
                )
            )

    @property
    def _threads(self) -> int:
        return checks.thread_count(self.n_jobs) or available_threads()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
