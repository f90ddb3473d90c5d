"""Checks of parameters, with errors that say what was expected and what came."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer._runtime import available_threads
from mercer.errors import ParameterError

__all__ = [
    "positive",
    "not_negative",
    "share",
    "inner_share",
    "any_share",
    "optional_positive",
    "positive_or_auto",
    "flag",
    "flag_or_auto",
    "choice",
    "integer",
    "thread_count",
]


_MOST_THREADS = 4096


def _is_real(value: Any) -> bool:
    # Asking the abstract classes of `numbers` takes long; most values are plain.
    return type(value) in (float, int) or (isinstance(value, Real) and not isinstance(value, (bool, np.bool_)))


def positive(name: str, value: Any, *, infinite: bool = False) -> float:
    """A number > 0, possibly infinite."""
    if not _is_real(value) or not value > 0 or (value == math.inf and not infinite):
        kind = "a number > 0 (possibly inf)" if infinite else "a finite number > 0"
        raise ParameterError(f"{name}: expected {kind}, got {value!r}.")
    return float(value)


def not_negative(name: str, value: Any) -> float:
    """A finite number ≥ 0."""
    if not _is_real(value) or not 0 <= value < math.inf:
        raise ParameterError(f"{name}: expected a finite number ≥ 0, got {value!r}.")
    return float(value)


def share(name: str, value: Any) -> float:
    """A number > 0 and ≤ 1."""
    if not _is_real(value) or not 0 < value <= 1:
        raise ParameterError(f"{name}: expected a number in (0, 1], got {value!r}.")
    return float(value)


def inner_share(name: str, value: Any) -> float:
    """A number > 0 and < 1."""
    if not _is_real(value) or not 0 < value < 1:
        raise ParameterError(f"{name}: expected a number in (0, 1), got {value!r}.")
    return float(value)


def any_share(name: str, value: Any) -> float:
    """A number ≥ 0 and ≤ 1."""
    if not _is_real(value) or not 0 <= value <= 1:
        raise ParameterError(f"{name}: expected a number in [0, 1], got {value!r}.")
    return float(value)


def optional_positive(name: str, value: Any) -> float | None:
    """None, or a finite number > 0."""
    return None if value is None else positive(name, value)


def positive_or_auto(name: str, value: Any) -> float | None:
    """A finite number > 0; None stands for "auto"."""
    if isinstance(value, str) and value == "auto":
        return None
    if not _is_real(value) or not 0 < value < math.inf:
        raise ParameterError(f"{name}: expected 'auto' or a finite number > 0, got {value!r}.")
    return float(value)


def flag(name: str, value: Any) -> bool:
    """True or False; integers as scikit-learn takes them."""
    if isinstance(value, (bool, np.bool_, Integral)):
        return bool(value)
    raise ParameterError(f"{name}: expected True or False, got {value!r}.")


def flag_or_auto(name: str, value: Any) -> bool | None:
    """True or False; None stands for "auto"."""
    if isinstance(value, str) and value == "auto":
        return None
    if isinstance(value, (bool, np.bool_, Integral)):
        return bool(value)
    raise ParameterError(f"{name}: expected 'auto', True or False, got {value!r}.")


def choice(name: str, value: Any, options: tuple[str, ...]) -> str:
    """One of the names."""
    if not isinstance(value, str) or value not in options:
        raise ParameterError(f"{name}: expected one of {', '.join(map(repr, options))}, got {value!r}.")
    return value


def integer(name: str, value: Any, least: int) -> int:
    """An integer no less than `least`."""
    whole = type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))
    if not whole or int(value) < least:
        raise ParameterError(f"{name}: expected an integer ≥ {least}, got {value!r}.")
    return int(value)


def thread_count(n_jobs: Any) -> int | None:
    """Threads for `n_jobs`: None are those that are available, −1 as well, −2 all but one, …"""
    if n_jobs is None:
        return None
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ParameterError(f"n_jobs: expected None or an integer other than 0, got {n_jobs!r}.")
    if abs(int(n_jobs)) > _MOST_THREADS:
        raise ParameterError(f"n_jobs: expected at most {_MOST_THREADS} threads, got {n_jobs!r}.")
    return int(n_jobs) if int(n_jobs) > 0 else max(1, available_threads() + 1 + int(n_jobs))
