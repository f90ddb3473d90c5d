"""Tables that need no file: one that ships with Mercer, and those that come with scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.tables.table import Column, ColumnKind, Reading, Table

__all__ = ["BUILT_IN", "census_file", "scikit_learn_table"]

_SCIKIT_LEARN = ("iris", "wine", "breast_cancer", "diabetes", "digits")

#: The names of the tables.
BUILT_IN: tuple[str, ...] = ("census", *_SCIKIT_LEARN)

#: The column to predict in the tables of scikit-learn.
_TARGET = "target"


def census_file() -> Path:
    """The file of the census, which ships with Mercer."""
    return Path(__file__).parent / "datasets" / "census.csv"


def scikit_learn_table(name: str) -> Table:
    """A table that comes with scikit-learn; its last column, `target`, is the one to predict."""
    # Imported when asked for: this room does without scikit-learn.
    from sklearn import datasets

    data = getattr(datasets, f"load_{name}")()
    features = np.asarray(data.data, dtype=np.float64)
    columns = [
        Column(str(feature), ColumnKind.NUMBER, np.ascontiguousarray(features[:, place]))
        for place, feature in enumerate(data.feature_names)
    ]
    told = f"{name} comes with scikit-learn; the column to predict is {_TARGET!r}."
    return Table((*columns, _target(data.target, _labels(name, data))), Reading(name, "built in", (told,)))


def _labels(name: str, data: Any) -> Sequence[str]:
    """The names of the classes where they say more than numbers."""
    return [str(label) for label in data.target_names] if name in ("iris", "wine", "breast_cancer") else ()


def _target(target: NDArray[Any], labels: Sequence[str]) -> Column:
    if labels:
        return Column(_TARGET, ColumnKind.TEXT, target.astype(np.int32), tuple(labels))
    return Column(_TARGET, ColumnKind.NUMBER, target.astype(np.float64))
