"""LIBSVM itself, trained and evaluated through its own Python bindings; the test is skipped where these are absent."""

from ctypes import c_double

import numpy as np
import pytest

KERNELS = {"linear": 0, "rbf": 2, "precomputed": 4}


def train(X, y, options, kernel, gamma, tol):
    """The model of LIBSVM; `options` names the problem and its parameters."""
    bindings = pytest.importorskip("libsvm.svmutil")
    number = 1 / (X.shape[1] * X.var()) if gamma == "scale" else gamma
    parameter = bindings.svm_parameter(f"{options} -t {KERNELS[kernel]} -g {number:.17g} -e {tol} -m 200 -q")
    problem = bindings.svm_problem(y, _rows(X, kernel), isKernel=kernel == "precomputed")
    return bindings.svm_train(problem, parameter)


def predict(model, X, kernel):
    """Labels and values of the rows.

    Not by svm_predict of the bindings: it keeps room for one value a row where ν-classification has one for each pair.
    """
    from libsvm import svm

    room = (c_double * max(1, model.nr_class * (model.nr_class - 1) // 2))()
    labels, values = [], []
    for row in _rows(X, kernel):
        nodes, _ = svm.gen_svm_nodearray(row, isKernel=kernel == "precomputed")
        labels.append(svm.libsvm.svm_predict_values(model, nodes, room))
        values.append(room[:])
    return np.array(labels), np.array(values)


def coefficients(model, n):
    """The coefficients of a model that is one function, with an entry for each training row."""
    full = np.zeros(n)
    full[np.array(model.get_sv_indices()) - 1] = np.ravel(model.get_sv_coef())
    return full


def _rows(X, kernel):
    """Kernel values are preceded by the number of their row, which only counts in training."""
    return np.c_[np.arange(1, len(X) + 1), X] if kernel == "precomputed" else X
