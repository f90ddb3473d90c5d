"""What the libraries with scikit-learn's interface share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.dataset import Dataset
from benchmarks.libraries.base import Coefficients, Library, Settings

#: scikit-learn's name of the estimator for each task.
ESTIMATORS = {"svc": "SVC", "nu_svc": "NuSVC", "svr": "SVR", "nu_svr": "NuSVR", "one_class": "OneClassSVM"}


class EstimatorLibrary(Library):
    """A library whose machine has ``fit``, ``predict``, ``dual_coef_`` and ``support_``.

    Parameters
    ----------
    task : str
        A key of ``ESTIMATORS``.
    bits : {64, 32}
        Width of the floats of the data.
    """

    def __init__(self, task: str, bits: int = 64) -> None:
        self.task = task
        self.bits = bits
        self._machine: Any = None

    @abstractmethod
    def build(self, settings: Settings) -> Any:
        """A new, unfitted estimator."""

    def prepare(self, dataset: Dataset, settings: Settings) -> None:
        dtype = np.float32 if self.bits == 32 else np.float64
        self._X_train = dataset.X_train.astype(dtype)
        self._X_test = dataset.X_test.astype(dtype)
        self._y_train = dataset.y_train
        self._settings = settings

    def fit(self) -> None:
        self._machine = self.build(self._settings).fit(self._X_train, self._y_train)

    def predict(self) -> NDArray[Any]:
        return np.asarray(self._machine.predict(self._X_test))

    def coefficients(self) -> Coefficients:
        machine = self._machine
        dual = machine.dual_coef_
        classes = np.asarray(getattr(machine, "classes_", []))
        # With two classes scikit-learn makes the second one positive, with more the first of each pair.
        return Coefficients(
            classes=classes[::-1].copy() if len(classes) == 2 else classes,
            support=np.asarray(machine.support_),
            dual=dual.toarray() if sp.issparse(dual) else np.asarray(dual),
            intercept=np.asarray(machine.intercept_),
        )
