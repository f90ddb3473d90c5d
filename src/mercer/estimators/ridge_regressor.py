"""What regressions by squared errors share: targets that are numbers, one column or several."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from mercer.estimators.ridge import LeastSquaresEstimator, RidgeEstimator, read_ridge_weights
from mercer.typing import Floats

__all__ = ["LeastSquaresRegressor", "RidgeRegressor"]


class LeastSquaresRegressor(MultiOutputMixin, RegressorMixin, LeastSquaresEstimator):  # type: ignore[misc]
    """One function for each column of targets."""

    def _read_targets(self, y: Any, sample_weight: Any) -> tuple[Floats, Floats]:
        targets = np.asarray(y, dtype=np.float64)
        self._is_column = targets.ndim == 1
        return targets.reshape(len(targets), -1), read_ridge_weights(sample_weight, len(targets))

    @property
    def dual_coef_(self) -> Floats:
        """The coefficients c, in the shape of the targets."""
        self._check_fitted("dual_coef_")
        coef = self._machine.dual_coef
        return np.asarray(coef[0] if self._is_column else coef.T)

    @property
    def intercept_(self) -> Any:
        """b of each target."""
        self._check_fitted("intercept_")
        return float(self._machine.intercept[0]) if self._is_column else self._machine.intercept

    def predict(self, X: Any) -> Floats:
        """f(x) of each row of X, or of each row of kernel values with the training rows."""
        values = self._functions(X)
        return values[:, 0] if self._is_column else values


class RidgeRegressor(LeastSquaresRegressor, RidgeEstimator):
    """The same of machines of all rows."""

    def left_out_predict(self) -> Floats:
        """What the machine fitted without a row says of it, for each training row, in closed form.

        Takes about three times as long as a fit in float64; of a row without weight, what the machine says.
        """
        values = self._left_out_values()
        return values[:, 0] if self._is_column else values
