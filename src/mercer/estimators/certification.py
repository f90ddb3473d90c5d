"""Certificates for machines that somebody else fitted, or fitted earlier: a model is read as a task and a machine."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from mercer._runtime import available_threads
from mercer.certificates import Certificate, RidgeCertificate, SparseRidgeCertificate
from mercer.checks import check_parameters
from mercer.data import core_ready, read_class_targets, read_sample_weight, take_rows
from mercer.errors import InputError
from mercer.estimators.base import KernelEstimator
from mercer.estimators.classifier import KernelClassifier
from mercer.estimators.landmark_regressor import LandmarkRegressor
from mercer.estimators.linear import LinearEstimator, check_norms
from mercer.estimators.linear_svc import LinearSVC
from mercer.estimators.linear_svr import LinearSVR
from mercer.estimators.nu_svc import NuSVC
from mercer.estimators.nu_svr import NuSVR
from mercer.estimators.one_class import OneClassSVM
from mercer.estimators.ridge import RidgeEstimator
from mercer.estimators.ridge_certify import certify_landmark_model, certify_ridge_model
from mercer.estimators.svc import SVC
from mercer.estimators.svr import SVR
from mercer.estimators.weights import machine_of_weights
from mercer.fits import certify_kernel_machine, certify_linear_machine
from mercer.kernels import Linear
from mercer.machines import KernelMachine, LinearMachine, OneVsRestMachine, machine_of_sklearn
from mercer.rows import LinearRows, Rows, checked_matrix, rows_of
from mercer.typing import Floats

__all__ = ["certify", "check_training_data"]

_LINEAR = (LinearEstimator, svm.LinearSVC, svm.LinearSVR)
_RIDGE = (RidgeEstimator, SklearnKernelRidge)
_KERNEL = (KernelEstimator, svm.SVC, svm.NuSVC, svm.SVR, svm.NuSVR, svm.OneClassSVM)

# Parameters of sklearn's linear models that Mercer's have too.
_SHARED = ("C", "loss", "fit_intercept", "intercept_scaling")
_OF_CLASSES = ("penalty", "multi_class")


def certify(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None
) -> Certificate | RidgeCertificate | SparseRidgeCertificate:
    """Proves how far from the optimum a fitted machine can be, from the data it was trained on.

    Parameters
    ----------
    model : estimator
        A fitted `SVC`, `NuSVC`, `SVR`, `NuSVR`, `OneClassSVM`, `LinearSVC` or `LinearSVR` of mercer or of sklearn.svm,
        or kernel ridge regression of mercer, over landmarks too, or of sklearn.kernel_ridge.
    X, y, sample_weight
        What it was fitted on.

    Returns
    -------
    Certificate, RidgeCertificate or SparseRidgeCertificate
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
    if isinstance(model, _RIDGE):
        check_is_fitted(model)
        return certify_ridge_model(model, X, y, sample_weight)
    if isinstance(model, LandmarkRegressor):
        return certify_landmark_model(model, X, y, sample_weight)
    if not isinstance(model, _KERNEL + _LINEAR):
        raise InputError(
            "certify: expected a fitted SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC or LinearSVR of mercer or of "
            f"sklearn.svm, or kernel ridge regression, got {type(model).__name__}. Of a pipeline or a search pass the "
            "fitted last step, with the data as that step saw them."
        )
    check_is_fitted(model)
    objects = getattr(model, "_objects", None)
    if objects is not None:
        X = objects.values(X)
    form = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "accept_large_sparse": True}
    takes_no_targets = getattr(model, "_target_kinds", "") is None or isinstance(model, svm.OneClassSVM)
    X, y = (check_array(X, **form), None) if takes_no_targets else check_X_y(X, y, **form)
    if isinstance(model, _LINEAR):
        return _certify_linear(model, core_ready(X), y, sample_weight)
    return _certify_kernel(model, X, y, sample_weight)


def _certify_kernel(model: Any, X: Any, y: Any, sample_weight: Any) -> Certificate:
    is_ours = isinstance(model, KernelEstimator)
    machine: Any = model._machine if is_ours else machine_of_sklearn(model)
    X = core_ready(checked_matrix(machine.kernel, X))
    if X.shape[1] != machine.n_features:
        raise InputError(f"certify: expected {machine.n_features} features as in fit, got {X.shape[1]}.")
    rows = rows_of(machine.kernel, X)
    if sample_weight is not None and not is_ours:
        # scikit-learn drops rows without positive weight before it numbers them.
        sample_weight = read_sample_weight(np.maximum(sample_weight, 0.0), len(rows))
        kept = np.flatnonzero(sample_weight > 0)
        rows, sample_weight = rows.taken(kept), sample_weight[kept]
        y = None if y is None else np.asarray(y)[kept]
    check_training_data(machine, rows)
    poser = model if is_ours else _ours(model)
    poser = _in_given_order(poser, machine)
    if isinstance(poser, KernelClassifier):
        _check_classes(model, read_class_targets(y, None, None).classes)
    check_parameters(poser)
    task = poser._task(rows, poser._read_targets(y, sample_weight, len(rows)))
    return certify_kernel_machine(task, machine, model._widths if is_ours else None)


def _in_given_order(estimator: KernelEstimator, machine: KernelMachine) -> KernelEstimator:
    """The estimator with the parameters that its problem depends on, and rows in the order that they were given in."""
    changed: dict[str, Any] = {"random_state": None}
    if isinstance(estimator, KernelClassifier):
        changed["multi_class"] = "ovr" if isinstance(machine, OneVsRestMachine) else "ovo"
        changed["probability"] = False
    return type(estimator)(**{**estimator.get_params(deep=False), **changed})


def _ours(model: Any) -> KernelEstimator:
    """An estimator of Mercer's that poses the problem of a model of scikit-learn's."""
    if isinstance(model, svm.SVC):
        # scikit-learn balances classes without regard to sample weights.
        weights = dict(zip(model.classes_.tolist(), model.class_weight_.tolist(), strict=True))
        return SVC(C=model.C, class_weight=weights)
    if isinstance(model, svm.NuSVC):
        return NuSVC(nu=model.nu)  # it takes a class_weight and ignores it
    if isinstance(model, svm.SVR):
        return SVR(C=model.C, epsilon=model.epsilon)
    return NuSVR(C=model.C, nu=model.nu) if isinstance(model, svm.NuSVR) else OneClassSVM(nu=model.nu)


def _certify_linear(model: Any, X: Any, y: Any, sample_weight: Any) -> Certificate:
    is_ours = isinstance(model, LinearEstimator)
    machine: Any = machine_of_weights(model, model.coef_, model.intercept_) if is_ours else machine_of_sklearn(model)
    if X.shape[1] != machine.n_features:
        raise InputError(f"certify: expected {machine.n_features} features as in fit, got {X.shape[1]}.")
    if not is_ours and sample_weight is not None:
        # scikit-learn takes weights below zero for zero.
        sample_weight = read_sample_weight(np.maximum(sample_weight, 0.0), X.shape[0])
    poser = model if is_ours else _ours_linear(model, y, sample_weight)
    poser._check()
    targets = poser._read_targets(y, sample_weight, X.shape[0])
    if isinstance(poser, LinearSVC):
        _check_classes(model, targets.classes)
    rows = LinearRows(Linear(), X)
    rows.measured(available_threads())
    check_norms(rows)
    task = poser._task(rows, targets)
    middle: Floats = machine.intercept - poser._middle(targets)
    return certify_linear_machine(task, LinearMachine(machine.weights, middle))


def _ours_linear(model: Any, y: Any, sample_weight: Any) -> LinearEstimator:
    """An estimator of Mercer's that poses the problem of a linear model of scikit-learn's."""
    shared = {name: getattr(model, name) for name in _SHARED}
    if isinstance(model, svm.LinearSVR):
        return LinearSVR(epsilon=model.epsilon, **shared)
    class_weight = model.class_weight
    if class_weight == "balanced":
        # Releases before 1.7 balance classes without regard to sample weights.
        counts = "sample_weight" in inspect.signature(compute_class_weight).parameters
        known = {"sample_weight": sample_weight} if counts else {}
        labels = np.unique(y)
        balanced = compute_class_weight("balanced", classes=labels, y=y, **known)
        class_weight = dict(zip(labels.tolist(), balanced.tolist(), strict=True))
    of_classes = {name: getattr(model, name) for name in _OF_CLASSES}
    return LinearSVC(class_weight=class_weight, **of_classes, **shared)


def _check_classes(model: Any, classes: Any) -> None:
    if not np.array_equal(classes, model.classes_):
        raise InputError(
            f"certify: expected the classes {model.classes_.tolist()}, got {classes.tolist()}. "
            "Pass the targets the model was fitted on."
        )


def check_training_data(machine: KernelMachine, rows: Rows) -> None:
    """Raises where the support vectors are not where the machine says."""
    inside = len(machine.support) == 0 or int(machine.support.max()) < len(rows)
    if inside and machine.support_vectors.shape[0]:
        same: Any = take_rows(rows.X, machine.support) - machine.support_vectors
        inside = bool(np.abs(same).max() == 0)
    if not inside:
        raise InputError(
            "X: expected the data the model was fitted on, in the same order and dtype; the support vectors are "
            "not where support_ says. Pass the training rows."
        )
