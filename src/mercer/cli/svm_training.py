"""Training as svm-train asks for it: from rows and options to a certified machine, without an estimator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mercer.calibration import HeldOutValues, InlierProbability, LaplaceNoise, SigmoidCalibration
from mercer.cli.svm_folds import first_occurrences, folds_of, others
from mercer.cli.svm_options import TrainingOptions
from mercer.data import FOLDS, BinaryTargets, ClassTargets, core_ready, one_vs_one, stratified_folds
from mercer.errors import InputError
from mercer.fits import Fitted, Task, fit, plan_fit
from mercer.io.libsvm_export import model_of_machine
from mercer.io.libsvm_models import LibsvmModel, LibsvmProblem
from mercer.io.libsvm_order import ClassOrder
from mercer.kernels import Kernel
from mercer.machines import OneVsOneMachine, SingleMachine
from mercer.problems import (
    DualProblem,
    NuClassification,
    NuRegression,
    NuRegressionWithoutTube,
    OneClass,
    SupportVectorClassification,
    SupportVectorRegression,
    bounds_of,
)
from mercer.rows import Budget, as_computed, checked_matrix, rows_of
from mercer.typing import Floats, Integers

__all__ = ["Trained", "TrainingSet", "cross_validate", "train"]


class TrainingSet(NamedTuple):
    """Rows, their targets, and the kernel; of kernel values also the serial numbers of the rows.

    Kernel values are a square matrix between the rows. `first_index` is the index of the first feature in files.
    """

    X: Any
    y: Floats
    kernel: Kernel
    serials: Integers | None = None
    first_index: int = 1

    def taken(self, rows: Integers) -> TrainingSet:
        """Some of the rows."""
        if self.serials is None:
            return self._replace(X=core_ready(self.X[rows]), y=self.y[rows])
        return self._replace(X=self.X[np.ix_(rows, rows)], y=self.y[rows], serials=self.serials[rows])

    def values_with(self, rows: Integers, trained_on: Integers) -> Any:
        """Rows as a model takes them that was trained on others, with kernel values in the columns of their serials."""
        if self.serials is None:
            return self.X[rows]
        wide = np.zeros((len(rows), int(self.serials.max())))
        wide[:, self.serials[trained_on] - 1] = self.X[np.ix_(rows, trained_on)]
        return wide


class Trained(NamedTuple):
    """A model, and the fit it comes from; None of rows of a single class."""

    model: LibsvmModel
    fitted: Fitted | None


def train(rows: TrainingSet, options: TrainingOptions) -> Trained:
    """The model that svm-train writes, with probabilities where they are asked for."""
    if options.problem.is_classification:
        return _train_classes(rows, options)
    task = _task(rows, options, _single_problem(rows.y, options), [np.arange(len(rows.y))])
    fitted = _fitted(task, options)
    machine = SingleMachine.of_rows(fitted.task.rows, *fitted.expansions())
    model = model_of_machine(_serialised(machine, rows), options.problem)
    model = replace(model, first_index=rows.first_index)
    if options.probability:
        model = _with_probabilities(model, rows, options)
    return Trained(model, fitted)


def cross_validate(rows: TrainingSet, options: TrainingOptions, folds: int) -> tuple[Floats, list[Trained]]:
    """What models that were trained without a fold predict of it, in LIBSVM's folds; and these models."""
    labels = rows.y.astype(np.int64) if options.problem.is_classification else None
    parts = folds_of(labels, len(rows.y), folds)
    predicted = np.zeros(len(rows.y))
    trained = []
    for k, fold in enumerate(parts):
        if not len(fold):
            continue
        kept = others(parts, k)
        if not len(kept):
            raise InputError(
                f"ERROR: expected rows to train on outside of each fold, got classes so small that all {len(fold)} "
                "rows are in one. Use leave-one-out, -v with the number of rows."
            )
        found = train(rows.taken(kept), options)
        trained.append(found)
        predicted[fold] = _predicted(found.model, rows.values_with(fold, kept), options)
    return predicted, trained


def _predicted(model: LibsvmModel, X: Any, options: TrainingOptions) -> Floats:
    """By the most probable class where there are probabilities, as LIBSVM does."""
    decision = model.decision_values(X)
    if not options.probability or not options.problem.is_classification:
        return model.decide(decision)
    return np.asarray(np.array(model.labels, dtype=np.float64)[model.probabilities_of(decision).argmax(axis=1)])


# ---------------------------------------------------------------- classes


def _train_classes(rows: TrainingSet, options: TrainingOptions) -> Trained:
    codes_of = rows.y.astype(np.int64)
    labels = first_occurrences(codes_of)
    if len(labels) == 1:
        return Trained(_of_one_label(labels, rows, options), None)
    classes, codes = np.unique(codes_of, return_inverse=True)
    weighted = options.problem is LibsvmProblem.C_SVC and bool(options.weights)
    weights = np.array([options.weights.get(label, 1.0) if weighted else 1.0 for label in classes.tolist()])
    targets = ClassTargets(classes, codes, weights, weights[codes], is_weighted=weighted)
    binary = BinaryTargets(targets, one_vs_one(targets))
    members = [pair.rows for pair in binary.pairs]
    problem = _pair_problem(binary, targets.weights[np.concatenate(members)], options)
    task = _task(rows, options, problem, members)._replace(pairs=binary.pairs)
    if options.probability:
        task = task._replace(folds=stratified_folds(codes, np.ones(len(codes), dtype=bool), FOLDS, 0))
    fitted = _fitted(task, options)
    found, coef, intercept = fitted.expansions()
    machine = OneVsOneMachine.of_pairs(fitted.task.rows, targets, fitted.task.pairs, found, coef, intercept)
    model = model_of_machine(_serialised(machine, rows), options.problem, "svm-train", labels)
    model = replace(model, first_index=rows.first_index)
    if options.probability:
        calibration = _calibration(fitted, binary)
        order = ClassOrder.of(labels)
        prob_b = order.of_functions(-calibration.offset) + 0.0
        model = replace(model, prob_a=-calibration.slope[order.pair], prob_b=prob_b)
    return Trained(model, fitted)


def _pair_problem(binary: BinaryTargets, weights: Floats, options: TrainingOptions) -> DualProblem:
    signs = [pair.signs for pair in binary.pairs]
    if options.problem is LibsvmProblem.NU_SVC:
        return NuClassification.several(signs, np.ones(len(weights)), options.nu)
    return SupportVectorClassification.several(signs, bounds_of(options.C, weights))


def _calibration(fitted: Fitted, binary: BinaryTargets) -> SigmoidCalibration:
    """The sigmoids that fit best to what machines say of rows that they were fitted without."""
    valued, codes = fitted.held_out, binary.targets.codes
    assert valued is not None
    held_out = HeldOutValues(
        values=np.concatenate([one.values for one in valued]),
        function=np.repeat(np.arange(len(valued)), [len(one.rows) for one in valued]),
        is_positive=np.concatenate(
            [codes[one.rows] == pair.positive for one, pair in zip(valued, binary.pairs, strict=True)]
        ),
        weights=np.ones(sum(len(one.rows) for one in valued)),
        row=np.concatenate([one.rows for one in valued]),
        functions=len(valued),
    )
    return SigmoidCalibration.learn(held_out, len(binary.targets.classes), against_rest=False)


def _of_one_label(labels: tuple[int, ...], rows: TrainingSet, options: TrainingOptions) -> LibsvmModel:
    """What LIBSVM makes of rows of a single class: a model without support vectors that always predicts it."""
    machine = OneVsOneMachine(
        kernel=rows.kernel,
        n_features=rows.X.shape[1],
        support=np.zeros(0, dtype=np.int32),
        support_vectors=rows.X[:0] if rows.serials is None else np.empty((0, 0)),
        n_support=np.zeros(1, dtype=np.int32),
        dual_coef=np.zeros((0, 0)),
        intercept=np.zeros(0),
        classes=np.array(labels, dtype=np.int64),
    )
    nothing = np.zeros(0) if options.probability else None
    return LibsvmModel(options.problem, machine, labels, nothing, nothing, first_index=rows.first_index)


# ---------------------------------------------------------------- one function


def _single_problem(y: Floats, options: TrainingOptions) -> DualProblem:
    ones = np.ones(len(y))
    if options.problem is LibsvmProblem.ONE_CLASS:
        return OneClass.of(ones, options.nu)
    bounds = bounds_of(options.C, ones)
    if options.problem is LibsvmProblem.EPSILON_SVR:
        return SupportVectorRegression.of(y, bounds, options.epsilon)
    with_tube = NuRegression.of(y, bounds, options.nu)
    return with_tube or NuRegressionWithoutTube.of(y, bounds, options.nu * float(bounds.sum()))


def _with_probabilities(model: LibsvmModel, rows: TrainingSet, options: TrainingOptions) -> LibsvmModel:
    """The size of a regression's errors, by five folds; or the marks of one class."""
    every = np.arange(len(rows.y))
    if options.problem is LibsvmProblem.ONE_CLASS:
        inliers = InlierProbability.learn(model.decision_values(rows.values_with(every, every))[:, 0])
        return model if inliers is None else replace(model, marks=inliers.marks)
    predicted, _ = cross_validate(rows, replace(options, probability=0), min(FOLDS, len(rows.y)))
    noise = LaplaceNoise.learn(rows.y - predicted, np.ones(len(every)))
    return replace(model, prob_a=np.array([noise.scale]))


# ---------------------------------------------------------------- all


def _task(rows: TrainingSet, options: TrainingOptions, problem: DualProblem, members: list[Integers]) -> Task:
    kernel, X = rows.kernel, checked_matrix(rows.kernel, rows.X)
    computed = as_computed(kernel, X)
    return Task(problem, rows_of(kernel, computed, given=X), members, tol=options.tol)


def _fitted(task: Task, options: TrainingOptions) -> Fitted:
    # LIBSVM's cache comes on top of its data; Mercer's budget has a copy of them in float32.
    X = task.rows.X
    copy = 4 * (2 * X.nnz if hasattr(X, "nnz") else X.size)
    budget = Budget(int(options.megabytes * 1e6) + copy)
    return fit(task, plan_fit(task, budget, shrinking=bool(options.shrinking)))


def _serialised(machine: Any, rows: TrainingSet) -> Any:
    """The machine with the serial numbers of its support vectors, of kernel values."""
    if rows.serials is None:
        return machine
    support = (rows.serials[machine.support] - 1).astype(np.int32)
    return replace(machine, support=support, n_features=int(rows.serials.max()))
