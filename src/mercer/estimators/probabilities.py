"""Probabilities of classes: calibrated on values of rows that the machine was fitted without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from mercer import checks
from mercer.calibration import CALIBRATIONS, Calibration, HeldOutValues, SigmoidCalibration
from mercer.data import FOLDS, BinaryTargets, stratified_folds
from mercer.errors import warn_user
from mercer.fits import ValuedRows
from mercer.typing import Floats, Integers

__all__ = ["WithProbabilities"]


def _has_probabilities(estimator: WithProbabilities) -> bool:
    if estimator._calibration_kind is None:
        raise AttributeError(
            "predict_proba is not available when probability=False. Fit with probability=True, or wrap the machine in "
            "scikit-learn's CalibratedClassifierCV."
        )
    return True


class WithProbabilities:
    """What a classifier with the parameter `probability` has on top."""

    # "deprecated" is scikit-learn's default from 1.9 on, and the same as False.
    _checks: ClassVar[dict[str, checks.Check]] = {
        "probability": checks.flag_or_one_of(*CALIBRATIONS, "deprecated"),
        "predict_by": checks.one_of("decision", "probability"),
    }

    probability: Any
    random_state: Any
    calibration_: Calibration

    _values: Callable[[Any], Floats]
    _check_is_fitted: Callable[[], None]

    # ---------------------------------------------------------------- fit

    @property
    def _calibration_kind(self) -> type[Calibration] | None:
        """What is asked for."""
        asked = self.probability
        if isinstance(asked, str):
            return CALIBRATIONS.get(asked)
        return SigmoidCalibration if asked else None

    def _folds(self, targets: BinaryTargets) -> Integers:
        """Which rows are held out together."""
        random = 0 if self.random_state is None else check_random_state(self.random_state).randint(2**31 - 1)
        return stratified_folds(targets.targets.codes, targets.targets.weights > 0, FOLDS, int(random))

    def _calibrated(self, valued: list[ValuedRows], targets: BinaryTargets) -> Calibration:
        """The calibration that fits best to what machines say of rows that they were fitted without."""
        kind = self._calibration_kind
        assert kind is not None
        codes, pairs, count = targets.targets.codes, targets.pairs, len(targets.pairs)
        rows = np.concatenate([one.rows for one in valued])
        held_out = HeldOutValues(
            values=np.concatenate([one.values for one in valued]),
            function=np.repeat(np.arange(count), [len(one.rows) for one in valued]),
            is_positive=np.concatenate(
                [codes[one.rows] == pair.positive for one, pair in zip(valued, pairs, strict=True)]
            ),
            weights=_sample_weights(targets)[rows],
            row=rows,
            functions=count,
        )
        return kind.learn(held_out, len(targets.targets.classes), against_rest=pairs[0].negative < 0)

    # ---------------------------------------------------------------- predict

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, in the order of `classes_`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Each row sums to one. They are calibrated on rows that were held out, so the most probable class may be
            another than `predict` says, unless predict_by="probability".
        """
        values = self._values(X)
        return self._fitted_calibration()(values)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of `predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))

    def _fitted_calibration(self) -> Calibration:
        calibration: Calibration | None = self.__dict__.get("calibration_")
        if calibration is None:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False: fit again with probability=True."
            )
        return calibration

    # ---------------------------------------------------------------- LIBSVM's names

    @property
    def probA_(self) -> Floats:
        """A of LIBSVM's 1 / (1 + exp(A f + B)), one a pair of classes; empty where there are no sigmoids."""
        return self._sigmoids("probA_")[0]

    @property
    def probB_(self) -> Floats:
        """B of LIBSVM's 1 / (1 + exp(A f + B)), one a pair of classes; empty where there are no sigmoids."""
        return self._sigmoids("probB_")[1]

    def _sigmoids(self, asked: str) -> tuple[Floats, Floats]:
        """LIBSVM's A and B: of two classes its function is positive for the first."""
        self._check_is_fitted()
        calibration = self.__dict__.get("calibration_")
        if not isinstance(calibration, SigmoidCalibration):
            warn_user(
                FutureWarning(
                    f"Attribute `{asked}` was deprecated in scikit-learn 1.9, and is empty of a machine without "
                    "sigmoids: expected one fitted with probability=True."
                )
            )
            return np.empty(0), np.empty(0)
        return -calibration.slope, calibration.offset if calibration.classes == 2 else -calibration.offset


def _sample_weights(targets: BinaryTargets) -> Floats:
    """The weights of the rows without those of their classes, which do not make a class more likely.

    They are one on average: a row of the usual weight counts as a row, whatever the sum of the weights.
    """
    of_class = targets.targets.class_weight[targets.targets.codes]
    weights = np.divide(targets.targets.weights, of_class, out=np.zeros_like(of_class), where=of_class > 0)
    return np.asarray(weights / (weights.max() * np.mean(weights[weights > 0] / weights.max())))
