"""What a problem's loader returns: training and test rows, dense or CSR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

# A dense float array or a scipy CSR matrix; scipy has no type stubs of its own.
Matrix = Any


@dataclass(frozen=True)
class Dataset:
    """Training and test rows of one problem.

    Class labels are integers, other targets float64; the rows are float64, dense in C order or CSR.
    """

    X_train: Matrix
    y_train: NDArray[Any]
    X_test: Matrix
    y_test: NDArray[Any]

    @property
    def storage(self) -> str:
        """How the rows are stored."""
        return "CSR" if sp.issparse(self.X_train) else "dense"

    @property
    def classes(self) -> int:
        """Number of classes; zero where targets are numbers."""
        return len(np.unique(self.y_train)) if self.y_train.dtype.kind == "i" else 0


def scale_gamma(X: Matrix) -> float:
    """scikit-learn's ``gamma="scale"`` as a number, so that every library gets the same one."""
    variance = X.multiply(X).mean() - X.mean() ** 2 if sp.issparse(X) else X.var()
    return float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0
