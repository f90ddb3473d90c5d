"""Sets and intervals as plain arrays and back, for files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.calibration.conformal import SplitIntervals, SplitSets
from mercer.errors import InputError

__all__ = ["conformal_arrays", "conformal_from_arrays"]

_SETS = "split sets"
_INTERVALS = "split intervals"
_FIELDS = {_SETS: {"scores", "codes", "n_classes", "per_class"}, _INTERVALS: {"sizes"}}


def conformal_arrays(learnt: SplitSets | SplitIntervals) -> dict[str, Any]:
    """Its kind and its fields by name: arrays and numbers; `conformal_from_arrays` reads them."""
    kind = _SETS if isinstance(learnt, SplitSets) else _INTERVALS
    return {"kind": kind} | {name: getattr(learnt, name) for name in sorted(_FIELDS[kind])}


def conformal_from_arrays(arrays: Mapping[str, Any]) -> SplitSets | SplitIntervals:
    """What `conformal_arrays` tells of, each field checked."""
    kind = arrays.get("kind")
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise InputError(f"Expected conformal predictions of a kind among {list(_FIELDS)}, got {kind!r:.60}.")
    given = {name: value for name, value in arrays.items() if name != "kind"}
    if set(given) != _FIELDS[kind]:
        raise InputError(f"{kind}: expected {sorted(_FIELDS[kind])}, got {sorted(map(str, given))[:20]}.")
    if kind == _INTERVALS:
        sizes = _vector(kind, "sizes", given["sizes"], np.float64)
        if not np.all(sizes >= 0) or not np.all(np.isfinite(sizes)):
            raise InputError(f"{kind}: expected `sizes` to be finite and not negative, got others.")
        return SplitIntervals(sizes)
    return _sets(kind, given)


def _sets(kind: str, given: dict[str, Any]) -> SplitSets:
    scores = _vector(kind, "scores", given["scores"], np.float64)
    codes = _vector(kind, "codes", given["codes"], np.int64)
    n_classes, per_class = given["n_classes"], given["per_class"]
    if type(n_classes) is not int or n_classes < 2 or type(per_class) is not bool:
        raise InputError(f"{kind}: expected two classes or more, and `per_class` to be true or false, got others.")
    # Infinite scores are those of classes that a machine does not know.
    if len(scores) != len(codes) or np.any(np.isnan(scores)) or np.any(codes < 0) or np.any(codes >= n_classes):
        raise InputError(f"{kind}: expected a score and a class below {n_classes} for each row, got others.")
    return SplitSets(scores, codes, n_classes, per_class)


def _vector(kind: str, name: str, values: Any, dtype: type) -> Any:
    if not isinstance(values, np.ndarray) or values.dtype != dtype or values.ndim != 1 or not len(values):
        raise InputError(f"{kind}: expected `{name}` to be a vector of {np.dtype(dtype).name}, got others.")
    return values
