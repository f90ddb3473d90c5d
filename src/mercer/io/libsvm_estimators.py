"""LIBSVM models as fitted estimators, and their certificates: here, and only here, estimators are imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from mercer.data import core_ready, is_sparse
from mercer.errors import InputError, ParameterError
from mercer.io.libsvm_header import LibsvmProblem
from mercer.io.libsvm_model import LibsvmModel
from mercer.io.libsvm_training_rows import find_training_rows
from mercer.kernels import Precomputed
from mercer.machines import KernelMachine, OneVsOneMachine, locked

__all__ = ["certify_model", "estimator_of"]

# What `svm-train` is told, its file does not hold, and a certificate is about.
_TOLD = {
    LibsvmProblem.C_SVC: ("C",),
    LibsvmProblem.NU_SVC: ("nu",),
    LibsvmProblem.ONE_CLASS: ("nu",),
    LibsvmProblem.EPSILON_SVR: ("C", "epsilon"),
    LibsvmProblem.NU_SVR: ("C", "nu"),
}
# What svm-train solves to unless it is told otherwise.
_LIBSVM_TOL = 1e-3
_OF_KERNEL = ("gamma", "degree", "coef0")


def estimator_of(model: LibsvmModel, X: Any, y: Any, parameters: Mapping[str, Any]) -> Any:
    """The fitted estimator with the machine of a LIBSVM model; `LibsvmModel.to_estimator` says more."""
    if len(model.labels) == 1:
        raise InputError(
            f"to_estimator: expected a model of two classes or more, got one that knows the label {model.labels[0]} "
            "only. Train it again on rows of all classes."
        )
    machine = model.machine if X is None else _in_training_rows(model, X, y)
    kernel = machine.kernel
    given = {name: getattr(kernel, name) for name in _OF_KERNEL if name in {one.name for one in _fields(kernel)}}
    calibration = model.calibration
    if calibration is not None:
        given["probability"] = True
    estimator = _kind(model.problem)(**{"kernel": kernel._name, **given, **parameters})
    estimator.n_features_in_ = machine.n_features
    rows = len(machine.support) if X is None else np.shape(X)[0]
    estimator.shape_fit_ = (rows, machine.n_features)
    estimator._machine = machine
    if isinstance(machine, OneVsOneMachine):
        estimator.class_weight_ = locked(_class_weights(estimator.class_weight, machine.classes, y))
        if calibration is not None:
            estimator.calibration_ = calibration
    if model.problem is LibsvmProblem.ONE_CLASS:
        estimator._inliers = model.inliers
    return estimator


def certify_model(model: LibsvmModel, X: Any, y: Any, parameters: Mapping[str, Any]) -> Any:
    """The certificate of a LIBSVM model; `LibsvmModel.certify` says more."""
    from mercer.estimators import certify

    missing = [name for name in _TOLD[model.problem] if name not in parameters]
    if missing:
        largest = float(np.abs(model.machine.dual_coef).max(initial=0.0))
        raise ParameterError(
            f"certify: expected {' and '.join(missing)}, which {model.problem.value} was trained with and a LIBSVM "
            f"model file does not hold. Tell them as you told svm-train; the largest coefficient is {largest:.6g}."
        )
    targets = None if model.problem is LibsvmProblem.ONE_CLASS else y
    certificate = certify(estimator_of(model, X, y, parameters), X, targets)
    # Debian's svm-train keeps what it is told in 32 bits: 0.1 is 0.10000000149 then, and bounds are off by as much.
    coarse = {name: float(np.float32(parameters[name])) for name in _TOLD[model.problem]}
    if certificate.holds(_LIBSVM_TOL) or all(coarse[name] == parameters[name] for name in coarse):
        return certificate
    return min(certificate, certify(estimator_of(model, X, y, {**parameters, **coarse}), X, targets), key=_misfit)


def _misfit(certificate: Any) -> tuple[float, float]:
    return max(certificate.feasibility_residuals.values()), certificate.violation


def _in_training_rows(model: LibsvmModel, X: Any, y: Any) -> KernelMachine:
    """The machine whose support vectors are rows of X, with all their digits."""
    machine = model.machine
    X = core_ready(X if is_sparse(X) else np.asarray(X, dtype=np.float64))
    if isinstance(machine.kernel, Precomputed):
        if machine.n_features > X.shape[1]:
            raise InputError(
                f"X: expected the kernel values between all training rows, of which there are {machine.n_features} or "
                f"more, got {X.shape[1]} columns."
            )
        return replace(machine, n_features=X.shape[1])
    if machine.n_features > X.shape[1]:
        raise InputError(
            f"X: expected the training rows, with {machine.n_features} features or more, got {X.shape[1]}. Pass the "
            "rows that svm-train read, with n_features given where the last are zero."
        )
    labels = None if y is None or not isinstance(machine, OneVsOneMachine) else np.asarray(y)
    found = find_training_rows(machine, X, labels)
    vectors = core_ready(X[found]) if is_sparse(X) else X[found]
    return replace(machine, support=found.astype(np.int32), support_vectors=vectors, n_features=X.shape[1])


def _kind(problem: LibsvmProblem) -> Any:
    from mercer.estimators import SVC, SVR, NuSVC, NuSVR, OneClassSVM

    return {
        LibsvmProblem.C_SVC: SVC,
        LibsvmProblem.NU_SVC: NuSVC,
        LibsvmProblem.ONE_CLASS: OneClassSVM,
        LibsvmProblem.EPSILON_SVR: SVR,
        LibsvmProblem.NU_SVR: NuSVR,
    }[problem]


def _fields(kernel: Any) -> Any:
    return fields(kernel)


def _class_weights(class_weight: Any, classes: Any, y: Any) -> Any:
    """A weight for each class, as a fit would keep it."""
    if class_weight is None or (y is None and isinstance(class_weight, str)):
        return np.ones(len(classes))
    from mercer.data import read_class_targets

    return read_class_targets(classes if y is None else np.asarray(y), class_weight, None).class_weight
