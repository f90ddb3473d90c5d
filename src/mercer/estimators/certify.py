"""Certificates for machines that somebody else fitted, or fitted earlier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from mercer._runtime import available_threads
from mercer.certificates import Certificate
from mercer.data import (
    checked_gram,
    core_ready,
    is_sparse,
    one_vs_one,
    one_vs_rest,
    read_class_targets,
    read_sample_weight,
    take_rows,
)
from mercer.errors import InputError
from mercer.estimators.base import KernelEstimator
from mercer.estimators.certify_linear import LINEAR_MODELS, certify_linear_model
from mercer.estimators.fitting import evidence_of_expansions
from mercer.estimators.nu_svc import NuSVC
from mercer.estimators.nu_svr import NuSVR
from mercer.estimators.one_class import OneClassSVM
from mercer.estimators.svc import SVC
from mercer.estimators.svr import SVR
from mercer.gram import TrainingData
from mercer.kernels import kernel_from_name
from mercer.machines import Machine, OneVsOneMachine, OneVsRestMachine, SingleMachine
from mercer.problems import (
    DualProblem,
    NuClassification,
    NuRegression,
    NuRegressionWithoutTube,
    OneClass,
    SupportVectorClassification,
    SupportVectorRegression,
)
from mercer.typing import Floats, Integers

__all__ = ["certify", "check_training_data", "machine_of_sklearn"]

# The second sum of ν-SVR is met where it is less than its bound by no more than this share.
_SAME_SUM = 1e-6

_CLASSIFIERS = (SVC, NuSVC, svm.SVC, svm.NuSVC)
_OTHERS = (SVR, NuSVR, OneClassSVM, svm.SVR, svm.NuSVR, svm.OneClassSVM)


def certify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
    """Proves how far from the optimum a fitted machine can be, from the data it was trained on.

    Parameters
    ----------
    model : estimator
        A fitted `SVC`, `NuSVC`, `SVR`, `NuSVR`, `OneClassSVM`, `LinearSVC` or `LinearSVR` of mercer or of sklearn.svm.
    X, y, sample_weight
        What it was fitted on.

    Returns
    -------
    Certificate
        Everything in float64; it shares nothing with the solver but the kernel. Linear machines keep weights and no
        dual variables: these are found anew, which takes about as long as a fit to that gap, and the gap is that of
        the weights with at most an eighth more, or 1e-9 of the objective. Where dual variables are hard to find (badly
        scaled features, Crammer and Singer's problem with a large C), it can be far larger, and is a bound all the
        same.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> import mercer
    >>> X, y = load_iris(return_X_y=True)
    >>> certificate = mercer.certify(SVC().fit(X, y), X, y)
    >>> certificate.violation < 1e-3
    True
    """
    if not isinstance(model, _CLASSIFIERS + _OTHERS + LINEAR_MODELS):
        raise InputError(
            "certify: expected a fitted SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC or LinearSVR of mercer or of "
            f"sklearn.svm, got {type(model).__name__}. Of a pipeline or a search pass the fitted last step, with the "
            "data as that step saw them."
        )
    check_is_fitted(model)
    form = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "accept_large_sparse": True}
    if isinstance(model, LINEAR_MODELS):
        X, y = check_X_y(X, y, **form)
        return certify_linear_model(model, core_ready(X), y, sample_weight)
    is_ours = isinstance(model, KernelEstimator)
    machine: Machine = model._machine if is_ours else machine_of_sklearn(model)
    kernel = machine.kernel
    if isinstance(model, (OneClassSVM, svm.OneClassSVM)):
        X, y = check_array(X, **form), None
    else:
        X, y = check_X_y(X, y, **form)
    X = checked_gram(X) if kernel.is_pairwise else core_ready(X)
    if X.shape[1] != machine.n_features:
        raise InputError(f"certify: expected {machine.n_features} features as in fit, got {X.shape[1]}.")
    if sample_weight is not None and not is_ours:
        # scikit-learn drops rows without positive weight before it numbers them.
        sample_weight = read_sample_weight(np.maximum(sample_weight, 0.0), X.shape[0])
        X, y, sample_weight = _weighty_rows(X, y, sample_weight, kernel.is_pairwise)
    check_training_data(machine, X)

    if isinstance(model, _CLASSIFIERS):
        problem, rows, offsets = _classification(model, machine, y, sample_weight)
    else:
        problem, rows, offsets = _one_function(model, machine, y, read_sample_weight(sample_weight, X.shape[0]))
    coef = np.concatenate([machine.coef_at_rows(k, X.shape[0])[chosen] for k, chosen in enumerate(rows)])
    if isinstance(problem, NuClassification):
        # By what the machine was divided, the sums of its coefficients tell; it is ρ unless that is next to nothing.
        divisor = problem.fixed_sums[0] / problem.sums(coef)[0]
        coef, intercept = coef * problem.groups.spread(divisor), machine.intercept * divisor
        offsets = problem.offsets_around(intercept, model.rho_ if is_ours else divisor)
    evidence = evidence_of_expansions(problem, TrainingData(kernel, X), rows, coef, offsets, available_threads())
    if isinstance(problem, NuRegression):
        # scikit-learn's machines tell the middle of their tube only; the width is what fits best to it.
        best = problem.width_around(machine.intercept, evidence.standing.offsets)
        width = np.array([model.epsilon_]) if is_ours else best
        evidence = replace(evidence, offsets=problem.offsets_around(machine.intercept, width))
    return evidence.certificate


# What a model was trained for: the problem, its rows, and its offsets where the machine tells them.
_Setting = tuple[DualProblem, list[Integers], Floats | None]


def _classification(model: Any, machine: Machine, y: Any, sample_weight: Any) -> _Setting:
    ignores = isinstance(model, svm.NuSVC)
    targets = read_class_targets(y, None if ignores else model.class_weight, sample_weight)
    if not np.array_equal(targets.classes, model.classes_):
        raise InputError(
            f"certify: expected the classes {model.classes_.tolist()}, got {targets.classes.tolist()}. "
            "Pass the targets the model was fitted on."
        )
    weights = targets.weights
    if not isinstance(model, KernelEstimator):
        # scikit-learn balances classes without regard to sample weights, and not at all for ν-SVC.
        weights = np.ones(len(weights)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if isinstance(model, svm.SVC):
            weights = weights * model.class_weight_[targets.codes]
    against_rest = isinstance(machine, OneVsRestMachine)
    pairs = one_vs_rest(targets) if against_rest else one_vs_one(targets)
    rows, signs = [pair.rows for pair in pairs], [pair.signs for pair in pairs]
    weights, offsets = weights[np.concatenate(rows)], machine.intercept[None]
    if isinstance(model, (NuSVC, svm.NuSVC)):
        return NuClassification.several(signs, weights, float(model.nu)), rows, offsets
    return SupportVectorClassification.several(signs, float(model.C) * weights), rows, offsets


def _one_function(model: Any, machine: Machine, y: Any, weights: Floats) -> _Setting:
    count, rows = len(weights), np.flatnonzero(weights > 0)
    weights, offsets = weights[rows], machine.intercept[None]
    if isinstance(model, (OneClassSVM, svm.OneClassSVM)):
        return OneClass.of(weights, float(model.nu)), [rows], offsets
    y, bounds = np.asarray(y, dtype=np.float64)[rows], float(model.C) * weights
    if isinstance(model, (SVR, svm.SVR)):
        return SupportVectorRegression.of(y, bounds, float(model.epsilon)), [rows], offsets
    # LIBSVM's second sum counts coefficients that cancel, ours does not: then the tube has no width.
    allowed, size = float(model.nu) * float(bounds.sum()), float(np.abs(machine.dual_coef).sum())
    if size < allowed * (1 - _SAME_SUM):
        return NuRegressionWithoutTube.of(y, bounds), [rows], offsets
    coef = machine.coef_at_rows(0, count)[rows]
    return NuRegression.around(y, bounds, coef * (allowed / size)), [rows], None


def _weighty_rows(X: Any, y: Any, weights: Floats, is_pairwise: bool) -> tuple[Any, Any, Floats]:
    kept = np.flatnonzero(weights > 0)
    inputs = core_ready(X[np.ix_(kept, kept)]) if is_pairwise else take_rows(X, kept)
    return inputs, None if y is None else np.asarray(y)[kept], weights[kept]


def check_training_data(machine: Machine, X: Any) -> None:
    inside = len(machine.support) == 0 or int(machine.support.max()) < X.shape[0]
    if inside and not machine.kernel.is_pairwise:
        same: Any = take_rows(X, machine.support) - machine.support_vectors
        inside = np.abs(same).max() == 0 if same.shape[0] else True
    if not inside:
        raise InputError(
            "X: expected the data the model was fitted on, in the same order and dtype; the support vectors are "
            "not where support_ says. Pass the training rows."
        )


def machine_of_sklearn(model: Any) -> Machine:
    """Mercer's machine with the numbers of a fitted scikit-learn model."""
    gamma = model._gamma if isinstance(model.kernel, str) else model.gamma
    vectors, dual_coef = model.support_vectors_, model.dual_coef_
    if callable(model.kernel):
        vectors = model._BaseLibSVM__Xfit[model.support_]
    numbers: dict[str, Any] = {
        "kernel": kernel_from_name(model.kernel, gamma, model.degree, model.coef0),
        "n_features": model.shape_fit_[1],
        "support": np.array(model.support_),
        "support_vectors": core_ready(vectors).copy(),
        "n_support": np.array(model.n_support_),
        "dual_coef": np.array(dual_coef.toarray() if is_sparse(dual_coef) else dual_coef),
        "intercept": np.array(model.intercept_),
    }
    if isinstance(model, _CLASSIFIERS):
        return OneVsOneMachine(**numbers, classes=np.array(model.classes_))
    return SingleMachine(**numbers)
