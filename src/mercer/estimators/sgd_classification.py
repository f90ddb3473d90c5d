"""What the classifiers by stochastic gradient descent share: labels, pieces of data, and what is predicted."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from mercer.data import LABELS, read_class_targets, read_known_class_targets, read_sample_weight
from mercer.errors import InputError, ParameterError
from mercer.estimators.atomic import restored_on_error
from mercer.estimators.sgd import SGDEstimator
from mercer.estimators.sgd_targets import SgdTargets
from mercer.machines import locked
from mercer.solvers import DescentTargets
from mercer.typing import Floats, Integers, Labels

__all__ = ["SGDClassification"]


class SGDClassification(ClassifierMixin, SGDEstimator):  # type: ignore[misc]
    """Linear functions of labels: one for two classes, else one for each class."""

    _target_kinds = LABELS
    class_weight: Any

    # ---------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Makes passes over the rows until they no longer help.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels.
        coef_init, intercept_init : array-like of the shapes of `coef_` and `intercept_`, optional
            Where to start.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        return self._fit_any(X, y, sample_weight, coef_init=coef_init, intercept_init=intercept_init)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Makes one pass over these rows, from the weights at hand.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Some training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,)
            All labels there will be; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the steps by row. `fit` divides by their mean, which is not known here.

        Returns
        -------
        self
        """
        with restored_on_error(self):
            first = "_descent_state" not in self.__dict__
            self._check_classes(classes, first)
            return self._fit_some(X, y, sample_weight, first)

    def _check_classes(self, classes: Any, first: bool) -> None:
        if isinstance(self.class_weight, str):
            raise ParameterError(
                f"class_weight {self.class_weight!r} is not supported for partial_fit, which does not see all rows: "
                "expected a dict or None. Use sklearn.utils.class_weight.compute_class_weight on a sample."
            )
        if first and classes is None:
            raise InputError("classes must be passed on the first call to partial_fit: expected all labels, got None.")
        if classes is None:
            return
        known = np.unique(classes)
        if first and len(known) < 2:
            raise InputError(
                f"The number of classes has to be greater than one; got {len(known)} class. Name all labels there "
                "will be."
            )
        if first:
            self.classes_ = locked(known)
        elif not np.array_equal(known, self.classes_):
            raise InputError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit: expected "
                f"{self.classes_.tolist()}. Fit a new model for other classes."
            )

    def _read_sgd_targets(self, y: Any, sample_weight: Any, go_on: bool) -> SgdTargets:
        if go_on:
            targets = read_known_class_targets(y, self.classes_, self.class_weight, sample_weight)
        else:
            targets = read_class_targets(y, self.class_weight, sample_weight)
            self.classes_ = locked(targets.classes)
        classes, by_class = len(self.classes_), targets.class_weight.tolist()
        codes = targets.codes.astype(np.float64)
        sample = read_sample_weight(sample_weight, len(codes))
        given = None if sample_weight is None else sample
        if classes == 2:
            return SgdTargets(DescentTargets(codes, given, (1,), (tuple(by_class),)), sample)
        if self.loss == "softmax":
            weights = targets.weights if targets.is_weighted else None
            return SgdTargets(DescentTargets(codes, weights, (-1,), functions=classes), sample)
        # As in scikit-learn, a class weighs more or less against the rest, whose rows keep their sample weights.
        against_rest = tuple((1.0, weight) for weight in by_class)
        return SgdTargets(DescentTargets(codes, given, tuple(range(classes)), against_rest), sample)

    def _functions(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _loss_of_functions(self) -> str:
        return "log_loss" if self.loss == "softmax" and len(self.classes_) == 2 else self.loss

    def _hold_out(self, given: SgdTargets, rows: Integers, random: Any) -> tuple[Integers, Integers]:
        from sklearn.model_selection import StratifiedShuffleSplit  # which takes longer to import than all of Mercer

        split = StratifiedShuffleSplit(n_splits=1, test_size=self.validation_fraction, random_state=random)
        try:
            training, held_out = next(split.split(rows, given.targets.y[rows]))
        except ValueError as error:
            raise InputError(
                f"early_stopping: expected rows of every class to train on and to hold out, got too few: {error} "
                "Change validation_fraction, or turn early_stopping off."
            ) from error
        return np.sort(rows[training]), np.sort(rows[held_out])

    def _shape_of_coef(self, coef: Floats) -> Floats:
        return coef

    # ---------------------------------------------------------------- predict

    def decision_function(self, X: Any) -> Floats:
        """The value of f at each row, for several classes a column each.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes positive values mean `classes_[1]`.
        """
        values = self._values_of_queries(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> Labels:
        """The label of each row: by the sign, or of the class with the largest value."""
        values = self.decision_function(X)
        codes = values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(int)
        return np.asarray(np.asarray(self.classes_)[codes])
