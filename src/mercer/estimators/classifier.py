"""Classifiers: a binary problem for each pair of classes, which vote, or for each class against the rest."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from mercer import checks
from mercer.data import LABELS, BinaryTargets, Pair, read_binary_targets
from mercer.errors import ParameterError
from mercer.estimators.base import KernelEstimator
from mercer.estimators.machine_attributes import MachineAttribute
from mercer.estimators.probabilities import WithProbabilities
from mercer.fits import Fitted, Task
from mercer.machines import KernelMachine, OneVsOneMachine, OneVsRestMachine, locked, pair_class_values
from mercer.problems import DualProblem
from mercer.rows import Rows
from mercer.typing import Floats, Labels

__all__ = ["KernelClassifier"]


class KernelClassifier(WithProbabilities, ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """One machine for each pair of classes, which vote, or for each class against the rest."""

    _target_kinds = LABELS
    classes_ = MachineAttribute()
    _checks: ClassVar[dict[str, checks.Check]] = {
        "decision_function_shape": checks.one_of("ovr", "ovo"),
        "break_ties": checks.flag,
        "multi_class": checks.one_of("ovo", "ovr"),
    }

    def __init__(
        self,
        *,
        class_weight: Any,
        decision_function_shape: str,
        break_ties: bool,
        multi_class: str,
        probability: Any,
        predict_by: str,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self.probability = probability
        self.predict_by = predict_by
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties

    @abstractmethod
    def _problem(self, pairs: Sequence[Pair], weights: Floats | None, rows: int) -> DualProblem:
        """The binary problems of the pairs, on so many rows together; None means unit weights."""

    # ---------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Finds the machine of largest margin and certifies it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows, or kernel values between them where kernel="precomputed".
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows. Zero leaves a row out; k counts it k times.

        Returns
        -------
        self
        """
        if self.predict_by == "probability" and not self.probability:
            raise ParameterError("predict_by='probability' expects probability=True or a kind, got probability=False.")
        return self._fit_any(X, y, sample_weight)

    def _read_targets(self, y: Any, sample_weight: Any, rows: int) -> BinaryTargets:
        return read_binary_targets(y, self.class_weight, sample_weight, self.multi_class == "ovr")

    def _task(self, rows: Rows, targets: BinaryTargets) -> Task:
        pairs, weights = targets.pairs, targets.targets.weights
        members = [pair.rows for pair in pairs]
        own = weights[np.concatenate(members)] if targets.targets.is_weighted else None
        problem = self._problem(pairs, own, sum(map(len, members)))
        folds = None if self._calibration_kind is None else self._folds(targets)
        return Task(problem, rows, members, pairs, **self._tolerances(), folds=folds)

    def _start(self, task: Task, targets: BinaryTargets) -> Floats | None:
        earlier = self.__dict__.get("_machine")
        if earlier is None or self.shape_fit_ != task.rows.X.shape:
            return None
        if not np.array_equal(earlier.classes, targets.targets.classes) or len(earlier.intercept) != len(task.members):
            return None
        count = len(task.rows)
        return np.concatenate([earlier.coef_at_rows(k, count)[members] for k, members in enumerate(task.members)])

    def _machine_of(self, fitted: Fitted, targets: BinaryTargets) -> OneVsOneMachine | OneVsRestMachine:
        task, (members, coef, intercept) = fitted.task, fitted.expansions()
        if task.pairs[0].negative < 0:
            coefs = fitted.problem.groups.split(coef)
            return OneVsRestMachine.of_classes(task.rows, targets.targets, task.members, coefs, intercept)
        return OneVsOneMachine.of_pairs(task.rows, targets.targets, task.pairs, members, coef, intercept)

    def _keep(self, fitted: Fitted, targets: BinaryTargets) -> None:
        super()._keep(fitted, targets)
        self.__dict__.pop("calibration_", None)
        if fitted.held_out is not None:
            self.calibration_ = self._calibrated(fitted.held_out, targets)
        self.class_weight_ = locked(targets.targets.class_weight)

    def _keep_steps(self, steps: Sequence[int]) -> None:
        self.n_iter_ = np.array(steps, dtype=np.int64)

    # ---------------------------------------------------------------- predict

    def decision_function(self, X: Any) -> Floats:
        """Signed distances to the hyperplanes.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_classes · (n_classes − 1) / 2)
            For two classes positive values mean `classes_[1]`. With "ovr", votes with the decision values as tie
            breakers; with "ovo", one column a pair, positive for the first class of the pair. With multi_class="ovr"
            one column a class, positive where its own machine says so, whatever the shape that is asked for.
        """
        values = self._values(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        if isinstance(self._machine, OneVsRestMachine):
            return values
        if self.decision_function_shape == "ovr":
            return pair_class_values(values, len(self.classes_))
        return values

    def predict(self, X: Any) -> Labels:
        """The label of each row, by the votes of the pairs, or of the class whose value is largest."""
        self._check_is_fitted()
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ParameterError(
                "break_ties must be False when decision_function_shape is 'ovo': expected 'ovr', with a value a class."
            )
        if self.predict_by == "probability":
            return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
        if self.break_ties and len(self.classes_) > 2:
            return np.asarray(self.classes_[self.decision_function(X).argmax(axis=1)])
        return np.asarray(self._predicted(self._machine, self._queries(X)))

    def _predicted(self, machine: KernelMachine, X: Any) -> Any:
        assert isinstance(machine, (OneVsOneMachine, OneVsRestMachine))
        codes = machine.classify(X, checks.thread_count(self.n_jobs), X.dtype.type)
        return np.asarray(machine.classes[codes])
