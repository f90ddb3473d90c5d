"""Every check of a parameter, of estimators and kernels alike, with errors that say what was expected and what came.

An estimator declares the checks of its own parameters in `_checks`; `check_parameters` runs those of all its classes.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer._runtime import available_threads
from mercer.errors import ParameterError

__all__ = [
    "Check",
    "bytes_allowed",
    "check_parameters",
    "positive",
    "positive_or_infinite",
    "not_negative",
    "optional_not_negative",
    "share",
    "inner_share",
    "any_share",
    "optional_positive",
    "optional_inner_share",
    "positive_or_auto",
    "flag",
    "flag_or_auto",
    "flag_or_one_of",
    "seed",
    "one_of",
    "at_least",
    "optional_at_least",
    "optional_callable",
    "choice",
    "integer",
    "number_of_threads",
    "thread_count",
    "check_gamma",
    "check_number",
    "finite_number",
]

#: Takes the name and the value of a parameter; raises `ParameterError` where it cannot have it.
Check = Callable[[str, Any], Any]


def check_parameters(estimator: Any) -> None:
    """Raises at the first parameter of an estimator that has a value it cannot have."""
    for name, check, default in _checks_of(type(estimator)):
        value = getattr(estimator, name)
        if value is not default:  # which most are, and small fits are quick
            check(name, value)


#: No value that anybody gives.
_NONE = object()
_KNOWN: dict[type, list[tuple[str, Check, Any]]] = {}


def _checks_of(kind: type) -> list[tuple[str, Check, Any]]:
    """The checks that a class and those it comes from declare, by name, with a value that is known to pass."""
    if kind not in _KNOWN:
        declared = [one.__dict__.get("_checks", {}) for one in reversed(kind.__mro__)]
        checks = {name: check for some in declared for name, check in some.items()}
        defaults = {name: given.default for name, given in inspect.signature(kind).parameters.items()}
        for name in checks.keys() & defaults.keys():
            checks[name](name, defaults[name])
        _KNOWN[kind] = [(name, check, defaults.get(name, _NONE)) for name, check in checks.items()]
    return _KNOWN[kind]


_MOST_THREADS = 4096


def _is_real(value: Any) -> bool:
    # Asking the abstract classes of `numbers` takes long; most values are plain.
    return type(value) in (float, int) or (isinstance(value, Real) and not isinstance(value, (bool, np.bool_)))


def positive(name: str, value: Any) -> float:
    """A finite number > 0."""
    if not _is_real(value) or not 0 < value < math.inf:
        raise ParameterError(f"{name}: expected a finite number > 0, got {value!r}.")
    return float(value)


def positive_or_infinite(name: str, value: Any) -> float:
    """A number > 0, possibly infinite."""
    if not _is_real(value) or not value > 0:
        raise ParameterError(f"{name}: expected a number > 0 (possibly inf), got {value!r}.")
    return float(value)


def not_negative(name: str, value: Any) -> float:
    """A finite number ≥ 0."""
    if not _is_real(value) or not 0 <= value < math.inf:
        raise ParameterError(f"{name}: expected a finite number ≥ 0, got {value!r}.")
    return float(value)


def not_negative_or_infinite(name: str, value: Any) -> float:
    if not _is_real(value) or not value >= 0:
        raise ParameterError(f"{name}: expected a number ≥ 0, or infinity, got {value!r}.")
    return float(value)


def optional_not_negative(name: str, value: Any) -> float | None:
    """None, or a finite number ≥ 0."""
    return None if value is None else not_negative(name, value)


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


def optional_inner_share(name: str, value: Any) -> float | None:
    """None, or a number > 0 and < 1."""
    return None if value is None else inner_share(name, value)


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


def flag_or_one_of(*options: str) -> Check:
    """A check for True, False or one of the names."""

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, (bool, np.bool_)) and (not isinstance(value, str) or value not in options):
            raise ParameterError(
                f"{name}: expected True, False or one of {', '.join(map(repr, options))}, got {value!r}."
            )
        return value

    return check


def seed(name: str, value: Any) -> Any:
    """None, an integer ≥ 0 or a RandomState: what decides random choices."""
    is_number = isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0
    if value is not None and not is_number and not isinstance(value, np.random.RandomState):
        raise ParameterError(f"{name}: expected None, an integer ≥ 0 or a numpy.random.RandomState, got {value!r}.")
    return value


def one_of(*options: str) -> Check:
    """A check for one of the names."""
    return partial(choice, options=options)


def at_least(least: int) -> Check:
    """A check for an integer no less than `least`."""
    return partial(integer, least=least)


def optional_at_least(least: int) -> Check:
    """A check for None, or an integer no less than `least`."""
    return lambda name, value: None if value is None else integer(name, value, least)


def auto_or_at_least(least: int) -> Check:
    """A check for "auto", or an integer no less than `least`."""

    def check(name: str, value: Any) -> Any:
        if isinstance(value, str) and value == "auto":
            return value
        try:
            return integer(name, value, least)
        except ParameterError as error:
            raise ParameterError(f"{name}: expected an integer ≥ {least} or 'auto', got {value!r}.") from error

    return check


def optional_callable(name: str, value: Any) -> Any:
    """None, or something to call."""
    if value is not None and not callable(value):
        raise ParameterError(f"{name}: expected a callable or None, got {value!r}.")
    return value


def integer(name: str, value: Any, least: int) -> int:
    """An integer no less than `least`."""
    whole = type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))
    if not whole or int(value) < least:
        raise ParameterError(f"{name}: expected an integer ≥ {least}, got {value!r}.")
    return int(value)


def number_of_threads(name: str, value: Any) -> int | None:
    """Threads for `n_jobs`: None means those that are available, −1 as well, −2 all but one, …"""
    if value is None:
        return None
    if not isinstance(value, Integral) or isinstance(value, bool) or value == 0:
        raise ParameterError(f"{name}: expected None or an integer other than 0, got {value!r}.")
    if abs(int(value)) > _MOST_THREADS:
        raise ParameterError(f"{name}: expected at most {_MOST_THREADS} threads, got {value!r}.")
    return int(value) if int(value) > 0 else max(1, available_threads() + 1 + int(value))


def thread_count(n_jobs: Any) -> int | None:
    """The threads that a parameter `n_jobs` asks for."""
    return number_of_threads("n_jobs", n_jobs)


def bytes_allowed(cache_size: float | None) -> float:
    """What a parameter `cache_size` allows, which is in MB; None allows whatever is needed."""
    return math.inf if cache_size is None else 1e6 * float(cache_size)


def finite_number(value: object) -> float:
    """The value where it is a finite real number, else NaN."""
    given = float(value) if _is_real(value) else math.nan  # type: ignore[arg-type]
    return given if math.isfinite(given) else math.nan


def check_number(owner: str, name: str, value: object, least: float | None = None) -> None:
    """Raises unless the value is a finite real number, no less than `least`."""
    given = finite_number(value)
    if math.isnan(given) or (least is not None and given < least):
        bound = "" if least is None else f" ≥ {least:g}"
        raise ParameterError(f"{owner}: expected {name} to be a finite number{bound}, got {value!r}.")


def check_gamma(owner: str, gamma: object) -> None:
    """Raises unless gamma is "scale", "auto" or a finite number ≥ 0."""
    if isinstance(gamma, str) and gamma in ("scale", "auto"):
        return
    if not finite_number(gamma) >= 0:
        raise ParameterError(f"{owner}: expected gamma to be 'scale', 'auto' or a finite number ≥ 0, got {gamma!r}.")
