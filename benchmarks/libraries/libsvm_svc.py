"""LIBSVM through its own Python module, with its own data structures built beforehand and OpenMP threads."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.dataset import Dataset
from benchmarks.libraries.base import Coefficients, Library, Settings

KERNELS = {"linear": 0, "poly": 1, "rbf": 2, "sigmoid": 3}


class LibsvmSVC(Library):
    """``libsvm.svm.libsvm.svm_train`` and ``svm_predict``; the threads come from OMP_NUM_THREADS."""

    distribution = "libsvm-official"

    def __init__(self) -> None:
        # Spinning OpenMP threads that share a core with another process slow LIBSVM down a hundredfold.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        from libsvm import svm

        self._svm: Any = svm
        self._model: Any = None

    def prepare(self, dataset: Dataset, settings: Settings) -> None:
        self._train = self._nodes(dataset.X_train, dataset.y_train)
        self._test = self._nodes(dataset.X_test, np.zeros(dataset.X_test.shape[0]))
        self._parameter = self._svm.svm_parameter(_options(settings))
        message = self._svm.libsvm.svm_check_parameter(self._train, self._parameter)
        if message:
            raise ValueError(message.decode())

    def _nodes(self, X: Any, y: NDArray[Any]) -> Any:
        return self._svm.svm_problem(np.asarray(y, dtype=np.float64), sp.csr_matrix(X))

    def fit(self) -> None:
        pointer = self._svm.libsvm.svm_train(self._train, self._parameter)
        self._model = self._svm.toPyModel(pointer)

    def predict(self) -> NDArray[Any]:
        predict, model, rows = self._svm.libsvm.svm_predict, self._model, self._test.x
        return np.array([predict(model, rows[i]) for i in range(self._test.l)]).astype(np.int64)

    def coefficients(self) -> Coefficients:
        model = self._model
        classes = model.get_nr_class()
        vectors = model.get_nr_sv()
        pairs = classes * (classes - 1) // 2
        dual = [np.ctypeslib.as_array(model.sv_coef[row], (vectors,)) for row in range(classes - 1)]
        return Coefficients(
            classes=np.array(model.get_labels()),
            support=np.array(model.get_sv_indices()) - 1,
            dual=np.array(dual),
            intercept=-np.ctypeslib.as_array(model.rho, (pairs,)),
        )


def _options(settings: Settings) -> str:
    p = settings.parameters
    text = f"-q -s 0 -t {KERNELS[str(p['kernel'])]} -c {float(p['C'])!r}"
    text += f" -e {settings.tol!r} -m {settings.cache_mb!r}"
    for key, letter in (("gamma", "g"), ("degree", "d"), ("coef0", "r")):
        if key in p:
            text += f" -{letter} {p[key]}"
    return text
