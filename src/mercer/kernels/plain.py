"""Kernels as plain dicts, which JSON can hold, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

from mercer.errors import KernelError, ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.catalogue import KERNELS

__all__ = ["kernel_from_dict", "kernel_to_dict"]

_READABLE: dict[str, Any] = {kind._name: kind for kind in KERNELS if kind._name is not None}


def kernel_from_dict(plain: Mapping[str, Any]) -> Kernel:
    """The kernel that `Kernel.to_dict` wrote.

    Parameters
    ----------
    plain : dict
        The kernel's name under "kernel" and a value for each of its parameters; kernels within it are such dicts.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from mercer.kernels import kernel_from_dict
    >>> kernel_from_dict({"kernel": "rbf", "gamma": 0.5})
    RBF(gamma=0.5)
    """
    if not isinstance(plain, Mapping):
        raise ParameterError(f"Expected a kernel as a dict such as {{'kernel': 'linear'}}, got {plain!r}.")
    name = plain.get("kernel")
    if not isinstance(name, str) or name not in _READABLE:
        raise ParameterError(f"Expected the 'kernel' of {plain!r} to be one of {', '.join(_READABLE)}, got {name!r}.")
    kind = _READABLE[name]
    expected = _plain_names(kind)
    given = {key: value for key, value in plain.items() if key != "kernel"}
    if set(given) != set(expected):
        raise ParameterError(
            f"Expected the kernel {name!r} with the fields {list(expected)}, no more and no less, got {list(given)}."
        )
    return kind(**{expected[key]: _value(value) for key, value in given.items()})  # type: ignore[no-any-return]


def _plain_names(kind: Any) -> dict[str, str]:
    """The fields of a kernel by their keys in its dict."""
    return {kind._plain_names.get(one.name, one.name): one.name for one in fields(kind)}


def _value(value: Any) -> Any:
    return kernel_from_dict(value) if isinstance(value, Mapping) else value


def kernel_to_dict(kernel: Any) -> dict[str, Any]:
    """The dict that `kernel_from_dict` reads."""
    if _READABLE.get(kernel._name) is not type(kernel):
        raise KernelError(
            f"{kernel!r} has no plain form: expected a kernel that is a formula with parameters, or sums, products and "
            "multiples of such. What is written in Python can be pickled, or its matrix used with Precomputed()."
        )
    return {"kernel": kernel._name} | {key: _plain(getattr(kernel, name)) for key, name in _plain_names(kernel).items()}


def _plain(value: Any) -> Any:
    """A parameter as JSON knows it."""
    if isinstance(value, Kernel):
        return kernel_to_dict(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else value
