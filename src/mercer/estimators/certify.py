"""Certificates for machines that somebody else fitted, or fitted earlier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from mercer._runtime import available_threads
from mercer.certificates import Certificate, Evidence
from mercer.data import (
    checked_gram,
    core_ready,
    is_sparse,
    read_class_targets,
    read_sample_weight,
    take_rows,
)
from mercer.errors import InputError
from mercer.estimators.base import KernelEstimator
from mercer.estimators.certify_linear import LINEAR_MODELS, certify_linear_model
from mercer.estimators.classifier import KernelClassifier
from mercer.estimators.evidence import evidence_of_expansions, precise_evidence
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
)
from mercer.solvers import Extended
from mercer.typing import Floats, Integers

__all__ = ["certify", "check_training_data", "machine_of_sklearn"]

# The second sum of ν-SVR is met where it is less than its bound by no more than this share: of Mercer's machines, and
# of others.
_SAME_SUM = 1e-9
_SAME_SUM_OF_OTHERS = 1e-6

# Rounding that could hide a violation that matters.
_COARSE = 1e-6

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

    problem, rows = _pose(model, machine, y, sample_weight, X.shape[0])
    coef = np.concatenate([machine.coef_at_rows(k, X.shape[0])[chosen] for k, chosen in enumerate(rows)])
    low = np.concatenate([machine.low_at_rows(k, X.shape[0])[chosen] for k, chosen in enumerate(rows)])
    offsets = None if isinstance(problem, NuRegression) else machine.intercept[None]
    if isinstance(problem, NuClassification):
        # By what the machine was divided, the sums of its coefficients tell; it is ρ unless that is next to nothing.
        divisor = problem.fixed_sums[0] / problem.sums(coef)[0]
        coef, low = Extended(coef, low).times(problem.groups.spread(divisor))
        offsets = problem.offsets_around(machine.intercept * divisor, model.rho_ if is_ours else divisor)
    threads, data = available_threads(), TrainingData(kernel, X)
    digits = low if machine.is_precise else None
    evidence = evidence_of_expansions(problem, data, rows, coef, offsets, threads, low=digits)
    if digits is None and _accuracy(evidence) > _COARSE:
        precise = precise_evidence(evidence, rows, offsets, threads)
        evidence = precise if _accuracy(precise) < _accuracy(evidence) else evidence
    if isinstance(problem, NuRegression):
        # scikit-learn's machines tell the middle of their tube only; the width is what fits best to it.
        best = problem.width_around(machine.intercept, evidence.standing.offsets)
        width = np.array([model.epsilon_]) if is_ours else best
        evidence = replace(evidence, offsets=problem.offsets_around(machine.intercept, width))
    return evidence.certificate


def _accuracy(evidence: Evidence) -> float:
    return max(certificate.accuracy for certificate in evidence.certificates)


def _pose(
    model: Any, machine: Machine, y: Any, sample_weight: Any, count: int
) -> tuple[DualProblem, Sequence[Integers]]:
    """The problem that the model was fitted to solve, as its own estimator poses it, and the rows of its groups."""
    poser = _poser(model, machine)
    if isinstance(poser, KernelClassifier):
        classes = read_class_targets(y, None, None).classes
        if not np.array_equal(classes, model.classes_):
            raise InputError(
                f"certify: expected the classes {model.classes_.tolist()}, got {classes.tolist()}. "
                "Pass the targets the model was fitted on."
            )
    poser._check_own_parameters()
    problem, rows, _ = poser._pose(poser._read_targets(y, sample_weight, count))
    if isinstance(poser, NuSVR):
        same = _SAME_SUM if isinstance(model, NuSVR) else _SAME_SUM_OF_OTHERS
        problem = _with_or_without_tube(problem, float(poser.nu), machine.coef_at_rows(0, count)[rows[0]], same)
    return problem, rows


def _poser(model: Any, machine: Machine) -> KernelEstimator:
    """An estimator of Mercer's with the parameters that the problem depends on; in the order that rows were given."""
    if isinstance(model, KernelEstimator):
        changed: dict[str, Any] = {"random_state": None}
        if isinstance(model, KernelClassifier):
            changed["multi_class"] = "ovr" if isinstance(machine, OneVsRestMachine) else "ovo"
        return type(model)(**{**model.get_params(deep=False), **changed})
    if isinstance(model, svm.SVC):
        # scikit-learn balances classes without regard to sample weights.
        weights = dict(zip(model.classes_.tolist(), model.class_weight_.tolist(), strict=True))
        return SVC(C=model.C, class_weight=weights)
    if isinstance(model, svm.NuSVC):
        return NuSVC(nu=model.nu)  # it takes a class_weight and ignores it
    if isinstance(model, svm.SVR):
        return SVR(C=model.C, epsilon=model.epsilon)
    return NuSVR(C=model.C, nu=model.nu) if isinstance(model, svm.NuSVR) else OneClassSVM(nu=model.nu)


def _with_or_without_tube(
    posed: DualProblem, nu: float, coef: Floats, same: float
) -> NuRegression | NuRegressionWithoutTube:
    """The problem of ν-regression that the coefficients are about.

    LIBSVM's second sum counts coefficients that cancel, ours does not: where it is below its bound, the tube has no
    width.
    """
    y, bounds = posed.slope, posed.upper
    allowed, size = nu * float(bounds.sum()), float(np.abs(coef).sum())
    if size < allowed * (1 - same):
        return NuRegressionWithoutTube.of(y, bounds)
    return NuRegression.around(y, bounds, coef * (allowed / size))


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
