"""Facts about values, told in words and checked: what attributes must be for a model to be one.

Lengths have names: "n" rows, "d" features and so on. Where a name occurs twice within an estimator, both lengths must
be the same, and the first decides. The same facts are checked before a model is written and after it was read, so that
nothing is written that would not be read again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer.data import is_sparse
from mercer.errors import ModelFileError

__all__ = [
    "ANYTHING",
    "COUNT",
    "FINITE",
    "FLAG",
    "LABELS",
    "NOTHING",
    "NUMBER",
    "POSITIVE",
    "ROOM",
    "TEXT",
    "Fact",
    "Sizes",
    "array",
    "check_facts",
    "count_of",
    "either",
    "instance",
    "integers",
    "labels",
    "lists",
    "mapping",
    "matrix",
    "maybe",
    "numbers",
    "one_of",
]


class Sizes(dict[str, int]):
    """Lengths by name."""

    def agree(self, name: str | int | None, length: int) -> bool:
        """Whether a length is that of the name, which it becomes where there is none yet; None stands for any."""
        if name is None:
            return True
        return (self.setdefault(name, length) if isinstance(name, str) else name) == length

    def shaped(self, shape: tuple[int, ...], expected: tuple[str | int | None, ...]) -> bool:
        return len(shape) == len(expected) and all(map(self.agree, expected, shape))


@dataclass(frozen=True)
class Fact:
    """What is expected, in words, and whether a value is that."""

    told: str
    holds: Callable[[Any, Sizes], bool]


def check_facts(owner: str, facts: Mapping[str, Fact], values: Mapping[str, Any], sizes: Sizes) -> None:
    """Raises at the first value of which its fact does not hold; those that are not there are not looked at."""
    for name, fact in facts.items():
        if name in values and not fact.holds(values[name], sizes):
            raise ModelFileError(f"{owner}: expected {name} to be {fact.told}, got {_got(values[name])}.")


def _got(value: Any) -> str:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"values of dtype {value.dtype} and shape {value.shape}"
    told = repr(value)
    return told if len(told) <= 80 else f"{told[:77]}..."


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) < 2**62


ANYTHING = Fact("a value", lambda value, sizes: True)
NOTHING = Fact("None", lambda value, sizes: value is None)
TEXT = Fact("a text", lambda value, sizes: isinstance(value, str))
FLAG = Fact("True or False", lambda value, sizes: isinstance(value, (bool, np.bool_)))
NUMBER = Fact("a number", lambda value, sizes: _is_real(value))
FINITE = Fact("a finite number", lambda value, sizes: _is_real(value) and math.isfinite(value))
POSITIVE = Fact("a finite number > 0", lambda value, sizes: _is_real(value) and 0 < value < math.inf)
#: Bytes that may be used, or any number of them.
ROOM = Fact("a number > 0", lambda value, sizes: _is_real(value) and value > 0)
COUNT = Fact("a whole number ≥ 0", lambda value, sizes: _is_count(value))


def count_of(name: str, least: int = 0) -> Fact:
    """A length by its name."""
    return Fact(
        f"the number of {name}, {least} or more",
        lambda value, sizes: _is_count(value) and value >= least and sizes.agree(name, int(value)),
    )


def one_of(*choices: Any) -> Fact:
    """One of some values."""
    return Fact(
        f"one of {choices}",
        lambda value, sizes: any(type(value) is type(choice) and value == choice for choice in choices),
    )


def either(*facts: Fact) -> Fact:
    """What one of the facts says, the first that holds."""

    def holds(value: Any, sizes: Sizes) -> bool:
        for fact in facts:
            tried = Sizes(sizes)
            if fact.holds(value, tried):
                sizes.update(tried)
                return True
        return False

    return Fact(" or ".join(fact.told for fact in facts), holds)


def maybe(fact: Fact) -> Fact:
    """None, or what the fact says."""
    return either(NOTHING, fact)


def lists(fact: Fact, length: str | int | None = None, of: tuple[type, ...] = (list, tuple), least: int = 0) -> Fact:
    """A list or tuple of what the fact says."""

    def holds(value: Any, sizes: Sizes) -> bool:
        return (
            type(value) in of
            and len(value) >= least
            and sizes.agree(length, len(value))
            and all(fact.holds(one, sizes) for one in value)
        )

    return Fact(f"a list of which each is {fact.told}", holds)


def mapping(fact: Fact) -> Fact:
    """A dict from texts to what the fact says."""
    return Fact(
        f"a dict of which each value is {fact.told}",
        lambda value, sizes: (
            isinstance(value, dict)
            and all(isinstance(key, str) and fact.holds(one, sizes) for key, one in value.items())
        ),
    )


def instance(address: str, facts: Mapping[str, Fact] | None = None) -> Fact:
    """An object of the class at "module:name", or of one that comes from it, whose attributes are as the facts say."""
    module, _, kind = address.partition(":")

    def holds(value: Any, sizes: Sizes) -> bool:
        if not any((one.__module__, one.__qualname__) == (module, kind) for one in type(value).__mro__):
            return False
        check_facts(kind, facts or {}, {name: getattr(value, name) for name in facts or {}}, sizes)
        return True

    return Fact(f"a {kind}", holds)


def array(
    kinds: str, *shape: str | int | None, test: Callable[[Any, Sizes], bool] | None = None, told: str = ""
) -> Fact:
    """An array of some kinds of values, by NumPy's letters, of a shape, which passes a test."""

    def holds(value: Any, sizes: Sizes) -> bool:
        return (
            isinstance(value, np.ndarray)
            and value.dtype.kind in kinds
            and sizes.shaped(value.shape, shape)
            and (test is None or bool(test(value, sizes)))
        )

    named = ", ".join("any" if length is None else str(length) for length in shape)
    return Fact(f"an array of shape ({named}){told}", holds)


def numbers(
    *shape: str | int | None, finite: bool = True, low: float | None = None, dtypes: tuple[type, ...] = (np.float64,)
) -> Fact:
    """Floats of a shape, finite unless told otherwise, and no less than a number."""

    def test(value: Any, sizes: Sizes) -> bool:
        return (
            value.dtype.type in dtypes
            and (not finite or is_finite(value))
            and (low is None or value.size == 0 or bool(value.min() >= low))
        )

    told = " of finite floats" if finite else " of floats"
    return array("f", *shape, test=test, told=told if low is None else f"{told} ≥ {low:g}")


def integers(*shape: str | int | None, low: int | None = None, below: str | int | None = None) -> Fact:
    """Integers of a shape, within a range whose end is a number or a length by its name."""

    def test(value: Any, sizes: Sizes) -> bool:
        if value.size == 0:
            return True
        end = sizes.get(below, 0) if isinstance(below, str) else below
        return (low is None or bool(value.min() >= low)) and (end is None or bool(value.max() < end))

    return array("iu", *shape, test=test, told=f" of integers from {low} to below {below}")


def matrix(rows: str | int | None, columns: str | int | None, allow_nan: bool = False) -> Fact:
    """Rows of features as the core takes them: dense in C order or canonical CSR, of native floats."""

    def holds(value: Any, sizes: Sizes) -> bool:
        if is_sparse(value):
            held = value.data
            is_laid_out = value.format == "csr" and value.has_canonical_format
        else:
            held = value
            is_laid_out = isinstance(value, np.ndarray) and value.flags.c_contiguous
        return (
            is_laid_out
            and held.dtype in (np.float64, np.float32)
            and sizes.shaped(value.shape, (rows, columns))
            and (not np.isinf(held).any() if allow_nan else is_finite(held))
        )

    return Fact(f"a matrix of {rows} rows and {columns} columns of finite floats", holds)


def is_finite(values: Any) -> bool:
    """Whether all are; the sum tells at once unless it overflows."""
    if values.dtype.kind != "f":
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        # A sum of finite numbers is finite or overflows.
        return bool(np.isfinite(values.sum())) or bool(np.isfinite(values).all())


def labels(name: str, least: int = 1) -> Fact:
    """Different labels in order, whose number is the length of that name."""

    def test(value: Any, sizes: Sizes) -> bool:
        return len(value) >= least and bool(np.array_equal(np.unique(value), value))

    return array("biufUSO", name, test=test, told=" of different labels in order")


LABELS = labels("classes", 2)
