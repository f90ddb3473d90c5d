"""JSON that every parser reads: no NaN, no infinity, no half of a pair of surrogates."""

from __future__ import annotations

import json
import math
from numbers import Integral, Real
from typing import Any

__all__ = ["strict_json"]


def strict_json(values: dict[str, Any]) -> str:
    """The values as JSON; numbers that it does not know are null.

    Examples
    --------
    >>> print(strict_json({"gap": float("nan"), "C": 2.0}))
    {
     "gap": null,
     "C": 2.0
    }
    """
    return json.dumps(_plain(values), ensure_ascii=False, allow_nan=False, indent=1)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_plain(str(key)): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    # A scalar of NumPy that is none of Python's numbers, as its booleans are.
    return _plain(value.item()) if hasattr(value, "item") else value
