"""Machines of other libraries, read into Mercer's."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.data import core_ready, is_sparse
from mercer.kernels import kernel_from_name
from mercer.machines.kernel import KernelMachine
from mercer.machines.linear import LinearMachine
from mercer.machines.machine import Machine
from mercer.machines.one_vs_one import OneVsOneMachine
from mercer.machines.single import SingleMachine

__all__ = ["machine_of_sklearn"]


def machine_of_sklearn(model: Any) -> Machine:
    """The machine with the numbers of a fitted model of sklearn.svm."""
    from sklearn import svm  # which whoever has such a model has imported

    if isinstance(model, (svm.LinearSVC, svm.LinearSVR)):
        weights = model.coef_ if is_sparse(model.coef_) else np.atleast_2d(model.coef_)
        return LinearMachine(weights, np.asarray(model.intercept_, dtype=np.float64))
    return _kernel_machine(model)


def _kernel_machine(model: Any) -> KernelMachine:
    from sklearn import svm

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
    if isinstance(model, (svm.SVC, svm.NuSVC)):
        return OneVsOneMachine(**numbers, classes=np.array(model.classes_))
    return SingleMachine(**numbers)
