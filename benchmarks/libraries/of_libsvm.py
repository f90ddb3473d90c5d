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


TYPES = {"svc": 0, "nu_svc": 1, "one_class": 2, "svr": 3, "nu_svr": 4}
LETTERS = {"C": "c", "nu": "n", "epsilon": "p", "gamma": "g", "degree": "d", "coef0": "r"}


class Libsvm(Library):
    """``libsvm.svm.libsvm.svm_train`` and ``svm_predict``; the threads come from OMP_NUM_THREADS."""

    distribution = "libsvm-official"

    def __init__(self, task: str) -> None:
        self._task = task
        # Spinning OpenMP threads that share a core with another process slow LIBSVM down a hundredfold.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        from libsvm import svm

        self._svm: Any = svm
        self._model: Any = None

    def prepare(self, dataset: Dataset, settings: Settings) -> None:
        self._train = self._nodes(dataset.X_train, dataset.y_train)
        self._test = self._nodes(dataset.X_test, np.zeros(dataset.X_test.shape[0]))
        self._parameter = self._svm.svm_parameter(_options(self._task, settings))
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
        values = np.array([predict(model, rows[i]) for i in range(self._test.l)])
        return values if self._task in ("svr", "nu_svr") else values.astype(np.int64)

    def coefficients(self) -> Coefficients:
        model = self._model
        classes = model.get_nr_class()  # two where the machine is one function
        vectors = model.get_nr_sv()
        pairs = classes * (classes - 1) // 2
        dual = [np.ctypeslib.as_array(model.sv_coef[row], (vectors,)) for row in range(classes - 1)]
        return Coefficients(
            classes=np.array(model.get_labels() if self._task in ("svc", "nu_svc") else []),
            support=np.array(model.get_sv_indices()) - 1,
            dual=np.array(dual),
            intercept=-np.ctypeslib.as_array(model.rho, (pairs,)),
        )


def _options(task: str, settings: Settings) -> str:
    p = settings.parameters
    text = f"-q -s {TYPES[task]} -t {KERNELS[str(p['kernel'])]} -e {settings.tol!r} -m {settings.cache_mb!r}"
    return text + "".join(f" -{letter} {p[key]}" for key, letter in LETTERS.items() if key in p)
