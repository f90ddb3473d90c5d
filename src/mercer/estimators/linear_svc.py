"""Linear support vector classification at scale, with the interface of scikit-learn's LinearSVC."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from mercer import checks
from mercer.data import LABELS, ClassTargets, one_vs_one, one_vs_rest, read_class_targets
from mercer.errors import ParameterError
from mercer.estimators.linear import LinearEstimator
from mercer.fits import LinearFitted, LinearProblems
from mercer.machines import largest
from mercer.problems import CrammerSingerProblem, LinearProblem, Penalty, bounds_of
from mercer.typing import Floats, Labels

__all__ = ["LinearSVC"]


class LinearSVC(ClassifierMixin, LinearEstimator):  # type: ignore[misc]
    """Linear classification of millions of rows, dense or sparse, with a certificate of optimality.

    Minimises ½‖w‖² + C Σ weight_i loss(t_i (wᵀx_i + b)) with the hinge loss max(0, 1 − s) or its square; several
    classes one against the rest, or all at once. Parameters and attributes are those of `sklearn.svm.LinearSVC` unless
    told otherwise.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        The price of weights: half their squares, or their absolute values, which makes most of them zero. "l1" is for
        the squared hinge loss.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        The price of a score below one; with multi_class="crammer_singer" it is that of Crammer and Singer.
    dual : "auto" or bool, default="auto"
        scikit-learn's name for the problem that is solved, primal or dual. The answer is the same, so that it decides
        nothing here but what scikit-learn refuses: the hinge loss with False, penalty="l1" with True. How the machine
        is found is the matter of `solver`.
    tol : float, default=1e-4
        Largest relative duality gap: the objective is at most this share above the least there is.
    C : float, default=1.0
        Weight of the losses against the penalty.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        Several classes one against the rest, or all at once: of each row the largest value among wrong classes is to
        stay one below that of its own. The latter has a regularised intercept or none, and penalty="l2"; of two classes
        it is the hinge loss with 2C.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept_scaling : float, default=1.0
        With a regularised intercept, the value of the feature whose weight it is.
    class_weight : dict or "balanced", optional
        Factors of C by class; with more than two, for its own rows in the problem of the class against the rest.
    verbose : bool, default=False
        Whether to write progress to the logger "mercer" at level INFO, and as a bar where stderr is a terminal.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of coordinate descent. The same seed gives the same bits; None is a seed too.
    max_iter : int, default=-1
        Limit on Newton steps, or on passes of coordinate descent; −1 is no limit.
    regularize_intercept : bool, default=True
        True is LIBLINEAR's intercept: a weight of its own feature, whose square is part of ‖w‖². False leaves it free,
        and with the hinge loss and two classes the machine is that of `SVC(kernel="linear")`.
    n_jobs : int, optional
        Threads, over classes where there are several; None takes what affinity, control group and OMP_NUM_THREADS
        allow.
    time_limit : float, optional
        Seconds after which the solver stops with the machine it has, its gap in `certificate_`.
    warm_start : bool, default=False
        Whether fit starts from the previous solution where it has as many rows of as many classes.
    callback : callable, optional
        Called with a `Progress` about ten times a second; returning True stops the fit.
    solver : {"auto", "newton", "coordinate-descent"}, default="auto"
        "newton" asks for Newton's steps in w, "coordinate-descent" for coordinate descent in the dual, where the
        penalty and the classes leave a choice. "auto" takes what is quicker for the shape of the data; `plan_` says
        which and why.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
    intercept_ : ndarray of shape (n_classes,) or (1,)
    classes_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.
    certificate_, status_, plan_
        As in `SVC`; the gap is what `tol` is held against.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from mercer import LinearSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LinearSVC()).fit(X, y)
    >>> model[-1].certificate_.relative_gap < 1e-4
    True
    """

    _target_kinds = LABELS

    _checks: ClassVar[dict[str, checks.Check]] = {
        "loss": checks.one_of("hinge", "squared_hinge"),
        "penalty": checks.one_of("l1", "l2"),
        "multi_class": checks.one_of("ovr", "crammer_singer"),
    }

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        verbose: Any = False,
        random_state: Any = None,
        max_iter: int = -1,
        regularize_intercept: bool = True,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        warm_start: bool = False,
        callback: Any = None,
        solver: str = "auto",
    ) -> None:
        super().__init__(
            loss=loss,
            dual=dual,
            tol=tol,
            C=C,
            fit_intercept=fit_intercept,
            intercept_scaling=intercept_scaling,
            verbose=verbose,
            random_state=random_state,
            max_iter=max_iter,
            regularize_intercept=regularize_intercept,
            n_jobs=n_jobs,
            time_limit=time_limit,
            warm_start=warm_start,
            callback=callback,
            solver=solver,
        )
        self.penalty = penalty
        self.multi_class = multi_class
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Finds the weights and certifies them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows; dense float32 and float64 in C order are not copied.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of C by row. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        return self._fit_any(X, y, sample_weight)

    def decision_function(self, X: Any) -> Floats:
        """wᵀx + b: one value a row for two classes, positive for `classes_[1]`; else one column a class."""
        values = self._values(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def sparsify(self) -> Self:
        """Keeps `coef_` as a sparse matrix: smaller where most weights are zero, as with penalty="l1"."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keeps `coef_` as an array again."""
        check_is_fitted(self)
        if sp.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def predict(self, X: Any) -> Labels:
        """The label of each row: that of the largest value."""
        codes = largest(self._values(X))
        return np.asarray(np.asarray(self.classes_)[codes])

    def _check(self) -> None:
        super()._check()
        at_once = self.multi_class == "crammer_singer"
        if self.penalty == "l1":
            if self.loss == "hinge":
                why = "The combination of penalty='l1' and loss='hinge' is not supported"
                raise self._unsupported(why, "Use loss='squared_hinge'.")
            if self._asks_for(dual=True):
                why = "The combination of penalty='l1' and loss='squared_hinge' are not supported when dual=True"
                raise self._unsupported(why, "Use dual='auto' or dual=False.")
            self._refuse(at_once, 'penalty="l1"', 'multi_class="ovr"', "multi_class", self.multi_class)
            self._refuse(self.solver != "auto", 'penalty="l1"', 'solver="auto"', "solver", self.solver)
        elif self.loss == "hinge" and not at_once and self._asks_for(dual=False):
            why = "The combination of penalty='l2' and loss='hinge' are not supported when dual=False"
            raise self._unsupported(why, "Use dual='auto'; solver='newton' asks for Newton's steps in w.")
        if at_once:
            asked, free = 'multi_class="crammer_singer"', self.fit_intercept and not self.regularize_intercept
            self._refuse(free, asked, "regularize_intercept=True", "regularize_intercept", self.regularize_intercept)
            self._refuse(self.solver == "newton", asked, "coordinate descent", "solver", self.solver)

    @staticmethod
    def _refuse(wrong: bool, asked: str, expected: str, name: str, given: Any) -> None:
        if wrong:
            raise ParameterError(f"{name}: {asked} expects {expected}, got {name}={given!r}.")

    def _read_targets(self, y: Any, sample_weight: Any, rows: int) -> ClassTargets:
        return read_class_targets(y, self.class_weight, sample_weight)

    def _problems(self, targets: ClassTargets) -> LinearProblems:
        squared, C, intercept = self.loss == "squared_hinge", float(self.C), self._intercept()
        if self.multi_class == "crammer_singer" and len(targets.classes) == 2:
            # Then w₁ = −w₀, and ½‖w₀‖² + ½‖w₁‖² is half of ½‖w₁ − w₀‖²: the hinge loss at twice C.
            squared, C = False, 2 * C
        elif self.multi_class == "crammer_singer":
            rows = np.flatnonzero(targets.weights > 0)
            bounds = bounds_of(C, targets.weights[rows])
            return [CrammerSingerProblem(rows, targets.codes[rows], len(targets.classes), bounds, intercept)]
        terms = (squared, intercept, Penalty(self.penalty))
        if len(targets.classes) == 2:
            (pair,) = one_vs_one(targets)
            bounds = bounds_of(C, targets.weights[pair.rows])
            return [LinearProblem.of_signs(pair.rows, pair.signs, bounds, *terms)]
        # As in LIBLINEAR, a class weighs more or less against the rest, whose rows keep their sample weights.
        sample = targets.weights / targets.class_weight[targets.codes]
        problems = []
        for pair in one_vs_rest(targets):
            weights = np.where(pair.signs > 0, targets.class_weight[pair.positive], 1.0) * sample[pair.rows]
            problems.append(LinearProblem.of_signs(pair.rows, pair.signs, bounds_of(C, weights), *terms))
        return problems

    def _keep(self, fitted: LinearFitted, targets: ClassTargets) -> None:
        self.classes_ = targets.classes
        weights = np.vstack([found.weights for found in fitted.outcomes])
        intercepts = np.hstack([found.intercept for found in fitted.outcomes])
        self.coef_, self.intercept_ = weights, intercepts
