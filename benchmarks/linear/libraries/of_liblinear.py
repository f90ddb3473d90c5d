"""LIBLINEAR through its own Python module, with its own data structures built beforehand."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.dataset import Dataset
from benchmarks.linear.libraries.base import Library, Weights
from benchmarks.linear.tasks import Family, Rung, Task

# LIBLINEAR's -s by loss and solver; of the families that have one solver by those.
TYPES_OF_FAMILIES = {Family.CRAMMER_SINGER: 4, Family.L1: 5}
TYPES = {
    ("squared_hinge", "dual"): 1,
    ("squared_hinge", "primal"): 2,
    ("hinge", "dual"): 3,
    ("squared_epsilon_insensitive", "primal"): 11,
    ("squared_epsilon_insensitive", "dual"): 12,
    ("epsilon_insensitive", "dual"): 13,
}


class Liblinear(Library):
    """``liblinear.liblinear.train``; it has no threads, and its passes are limited to what it chose itself."""

    distribution = "liblinear-official"

    def __init__(self) -> None:
        from liblinear import liblinear

        self._liblinear: Any = liblinear

    def prepare(self, dataset: Dataset, threads: int) -> None:
        y = np.asarray(dataset.y_train, dtype=np.float64)
        self._problem = self._liblinear.problem(y, sp.csr_matrix(dataset.X_train), bias=1.0)
        self._has_classes = dataset.classes > 0

    def fit(self, task: Task, rung: Rung) -> None:
        kind = TYPES_OF_FAMILIES.get(task.family) or TYPES[task.loss, rung.solver]
        # -B is the intercept that is penalised as a weight is.
        options = f"-q -s {kind} -c {task.C!r} -e {rung.tol!r} -p {task.epsilon!r} -B 1"
        parameter = self._liblinear.parameter(options)
        message = self._liblinear.liblinear.check_parameter(self._problem, parameter)
        if message:
            raise ValueError(message.decode())
        # LIBLINEAR draws its order from C's generator: each repetition is the same fit.
        ctypes.CDLL(None).srand(1)
        self._model = self._liblinear.toPyModel(self._liblinear.liblinear.train(self._problem, parameter))

    def weights(self) -> Weights:
        model = self._model
        functions = model.get_nr_class() if self._has_classes and model.get_nr_class() > 2 else 1
        table = np.ctypeslib.as_array(model.w, (model.get_nr_feature() + 1, functions)).T.copy()
        if self._has_classes:
            # Labels are in the order of their appearance; of two, the first is the positive one.
            labels = model.get_labels()
            table = table[np.argsort(labels)] if functions > 1 else table * (1.0 if labels[0] > labels[1] else -1.0)
        return Weights(table[:, :-1], table[:, -1])
