"""An encoding and a machine in one: all that predictions from a table need, immutable and plain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np

from mercer.calibration import Calibration, SplitIntervals, SplitSets
from mercer.errors import InputError
from mercer.machines import (
    KernelMachine,
    LinearMachine,
    Machine,
    OneVsOneMachine,
    OneVsRestMachine,
    class_count,
    class_values,
    decided_codes,
)
from mercer.rows import expansion_kind
from mercer.tables import Encoding, Table
from mercer.tabular.predictions import Predictions
from mercer.typing import Floats, Integers

__all__ = ["TableModel"]

_TASKS = ("classification", "regression")


@dataclass(frozen=True, eq=False)
class TableModel:
    """Predicts a column of a table from its other columns.

    Its labels are those of the estimator that holds the same machine: by votes of pairs of classes, or by the largest
    value.

    Attributes
    ----------
    encoding : Encoding
        How columns become features.
    machine : Machine
        Its functions, of these features. Its classes are their numbers.
    task : {"classification", "regression"}
    target : str
        The column that is predicted; tables need not have it.
    classes : tuple of str
        Labels as the training table had them, in the machine's order; empty in a regression.
    calibration : Calibration, optional
        From values to probabilities; of classifications.
    conformal : SplitSets or SplitIntervals, optional
        Sets of classes, or intervals around predictions.
    record : dict
        Where the model comes from, as JSON knows it.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.machines import LinearMachine
    >>> from mercer.tables import Column, ColumnKind, Encoding, Reading, Table
    >>> from mercer.tabular import TableModel
    >>> table = Table((Column("x", ColumnKind.NUMBER, np.array([1.0, 3.0])),), Reading("two rows", "data frame"))
    >>> model = TableModel(
    ...     encoding=Encoding.learn(table),
    ...     machine=LinearMachine([[2.0]], [0.5]),
    ...     task="classification",
    ...     target="size",
    ...     classes=("large", "small"),
    ... )
    >>> model.predict(table).labels.tolist()
    ['large', 'small']
    """

    encoding: Encoding
    machine: Machine
    task: Literal["classification", "regression"]
    target: str
    classes: tuple[str, ...] = ()
    calibration: Calibration | None = None
    conformal: SplitSets | SplitIntervals | None = None
    record: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.task not in _TASKS:
            raise InputError(f"task: expected one of {list(_TASKS)}, got {self.task!r:.60}.")
        if not isinstance(self.encoding, Encoding) or not isinstance(self.machine, Machine):
            raise InputError("A model of a table: expected an encoding and a machine, got others.")
        if not isinstance(self.target, str):
            raise InputError(f"target: expected the name of a column, got {self.target!r:.60}.")
        if self.machine.n_features != self.encoding.n_features:
            raise InputError(
                f"A model of a table: expected a machine of {self.encoding.n_features} features, as the encoding makes "
                f"them, got one of {self.machine.n_features}. Fit the machine to rows of this encoding."
            )
        if isinstance(self.machine, KernelMachine) and not expansion_kind(self.machine.kernel).takes_features:
            raise InputError(
                f"A model of a table: expected a kernel of features, got {self.machine.kernel}, whose values at new "
                "rows are not known."
            )
        if self.is_classifier:
            self._check_classifier()
        else:
            self._check_regressor()
        _check_record(self.record)

    @property
    def is_classifier(self) -> bool:
        """Whether it predicts classes."""
        return self.task == "classification"

    def _check_classifier(self) -> None:
        classes, count = self.classes, class_count(self.machine)
        are_texts = isinstance(classes, tuple) and all(isinstance(label, str) for label in classes)
        if not are_texts or len(classes) != count or len(set(classes)) < count:
            raise InputError(
                f"classes: expected {count} different texts, as the machine tells so many classes apart, got "
                f"{classes!r:.60}."
            )
        if self.calibration is not None and not _fits(self.calibration, self.machine, count):
            raise InputError("calibration: expected one of as many functions and classes as the machine has.")
        sets = self.conformal
        if sets is not None and not (isinstance(sets, SplitSets) and sets.n_classes == count):
            raise InputError(f"conformal: expected sets of {count} classes, got others.")
        if isinstance(self.machine, (OneVsOneMachine, OneVsRestMachine)) and not _are_numbers(self.machine.classes):
            object.__setattr__(self, "machine", replace(self.machine, classes=np.arange(count)))

    def _check_regressor(self) -> None:
        if isinstance(self.machine, (OneVsOneMachine, OneVsRestMachine)) or len(self.machine.intercept) != 1:
            raise InputError(f"A regression: expected a machine of one function, got {self.machine.kind!r}.")
        if self.classes != () or self.calibration is not None:
            raise InputError("A regression: expected neither classes nor a calibration, got some.")
        if self.conformal is not None and not isinstance(self.conformal, SplitIntervals):
            raise InputError("conformal: expected intervals, got sets of classes.")

    # ---------------------------------------------------------------- predict

    def predict(
        self,
        table: Any,
        *,
        threads: int | None = None,
        confidence_level: float | None = None,
        labels_only: bool = False,
    ) -> Predictions:
        """What it says of the rows of a table.

        Parameters
        ----------
        table : Table, or a data frame of pandas, polars or pyarrow
            With the columns of the training table, in any order; others are not looked at.
        threads : int, optional
            None takes those that are available.
        confidence_level : float, optional
            In (0, 1); asks for sets or intervals, which a model with `conformal` has.
        labels_only : bool, default=False
            Whether labels, or values of a regression, are all that is wanted. Large tables take less time then.

        Raises
        ------
        InputError
            Where a column is not there, or of another kind than in training, or where sets or intervals are asked for
            and the model has none.
        """
        if not isinstance(table, Table):
            table = _table_of(table)
        if confidence_level is not None and self.conformal is None:
            raise InputError(
                "confidence_level: expected a model with conformal sets or intervals, got one without. Train it with "
                "some rows kept apart for them."
            )
        encoded = self.encoding(table)
        labels_only = labels_only and confidence_level is None
        found = self._found(encoded.X, threads, confidence_level, labels_only)
        return replace(found, unseen=encoded.unseen, missing=encoded.missing)

    def _found(self, X: Floats, threads: int | None, confidence_level: float | None, labels_only: bool) -> Predictions:
        if labels_only and self.is_classifier:
            return Predictions(labels=self._labels(self._codes(X, threads)))
        values = self._values(X, threads)
        if not self.is_classifier:
            intervals = self._intervals(values, confidence_level)
            return Predictions(values=values[:, 0], decision=values, intervals=intervals)
        return Predictions(
            labels=self._labels(decided_codes(self.machine, values)),
            decision=values,
            probabilities=None if self.calibration is None else self.calibration(values),
            sets=self._sets(values, confidence_level),
        )

    def _values(self, X: Floats, threads: int | None) -> Floats:
        return self.machine.values(X, threads) if len(X) else np.zeros((0, len(self.machine.intercept)))

    def _codes(self, X: Floats, threads: int | None) -> Integers:
        if isinstance(self.machine, (OneVsOneMachine, OneVsRestMachine)) and len(X):
            return self.machine.classify(X, threads, np.float64)
        return decided_codes(self.machine, self._values(X, threads))

    def _labels(self, codes: Integers) -> Any:
        return np.array(self.classes, dtype=object)[codes]

    def _sets(self, values: Floats, confidence_level: float | None) -> Any:
        if confidence_level is None or not isinstance(self.conformal, SplitSets):
            return None
        return self.conformal.sets(class_values(self.machine, values), confidence_level)

    def _intervals(self, values: Floats, confidence_level: float | None) -> Any:
        if confidence_level is None or not isinstance(self.conformal, SplitIntervals):
            return None
        return self.conformal.interval(values[:, 0], confidence_level)

    # ---------------------------------------------------------------- plain values

    def arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What JSON can hold of the model, and its arrays by dotted names; `from_arrays` reads both."""
        from mercer.tabular.model_arrays import model_arrays

        return model_arrays(self)

    @classmethod
    def from_arrays(cls, plain: Mapping[str, Any], arrays: Mapping[str, Any]) -> Self:
        """The model that `arrays` tells of, checked field by field."""
        from mercer.tabular.model_arrays import fields_from_arrays

        return cls(**fields_from_arrays(plain, arrays))


def _table_of(frame: Any) -> Table:
    from mercer.tables.frames import table_from_frame

    return table_from_frame(frame)


def _fits(calibration: Calibration, machine: Machine, count: int) -> bool:
    """Whether a calibration is one of the machine's functions and classes."""
    if not isinstance(calibration, Calibration) or calibration.classes != count:
        return False
    against_rest = isinstance(machine, (OneVsRestMachine, LinearMachine))
    return calibration.functions == len(machine.intercept) and (count == 2 or calibration.against_rest == against_rest)


def _are_numbers(classes: Any) -> bool:
    """Whether the labels of a machine are 0, 1, …"""
    return classes.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes)))


def _check_record(record: Any) -> None:
    try:
        is_plain = isinstance(record, dict) and bool(json.dumps(record, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"record: expected what JSON can hold, got something else ({error}).") from error
    if not is_plain:
        raise InputError(f"record: expected a dict, got {type(record).__name__}.")
