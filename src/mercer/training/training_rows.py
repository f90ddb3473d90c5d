"""The rows of a table that a model was trained on, found again by what its record says."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mercer.checks import inner_share
from mercer.errors import InputError, ParameterError
from mercer.tables import Table
from mercer.tabular import TableModel
from mercer.training.options import TrainingOptions
from mercer.training.split import split_rows
from mercer.training.target import read_target
from mercer.typing import Floats

if TYPE_CHECKING:
    from mercer.training.outcome import Outcome

__all__ = ["TrainingRows", "plain_training_rows", "training_rows"]


_EXPECTED = "Expected a model whose record says which rows it was trained on, as `mercer train` writes it"


class TrainingRows(NamedTuple):
    """Encoded rows and their targets, in the order of the training."""

    X: Floats
    y: Any


def plain_training_rows(outcome: Outcome) -> dict[str, Any]:
    """What finds them again, as JSON holds it: how rows were held out, and a digest of those that were left."""
    options, data = outcome.options, outcome.data
    return {
        "held_out": None if isinstance(outcome.test, Table) else outcome.test,
        "ignored": list(options.ignore),
        "sets": options.sets,
        "class_weight": options.class_weight,
        "digest": _digest(data.X, data.y),
    }


def training_rows(model: TableModel, table: Table) -> TrainingRows:
    """The rows of a table that a model was trained on.

    Raises
    ------
    InputError
        Where it is not the table that the model was trained on, or the model does not say how it was trained.
    """
    known = _known(model.record)
    try:
        options = TrainingOptions(
            task=model.task,
            seed=model.record["seed"],
            ignore=tuple(known["ignored"]),
            sets=known["sets"],
            class_weight=known["class_weight"],
        )
        held_out = None if known["held_out"] is None else inner_share("held_out", known["held_out"])
    except (ParameterError, KeyError, TypeError) as error:
        raise InputError(f"{_EXPECTED}, got another one ({error}).") from error
    target = read_target(table[model.target], options)
    part = split_rows(table, target, held_out, options).train
    X = model.encoding(part.table).X
    if _digest(X, part.y) != known["digest"]:
        raise InputError(
            f"{table.reading.source}: expected the table that the model was trained on, with the same rows in the same "
            f"order, got another one. The model was made of {model.record.get('source', 'another table')!r}, of which "
            f"{model.record.get('rows', 0):,} rows trained it; this one gives {len(X):,}."
        )
    return TrainingRows(X, part.y)


def _known(record: dict[str, Any]) -> dict[str, Any]:
    known = record.get("training_rows")
    if not isinstance(known, dict) or not isinstance(known.get("digest"), str):
        raise InputError(f"{_EXPECTED}, got one without.")
    return known


def _digest(X: Floats, y: Any) -> str:
    found = sha256(np.ascontiguousarray(X, dtype="<f8").tobytes())
    found.update(np.ascontiguousarray(y, dtype="<f8").tobytes())
    return found.hexdigest()
