"""A problem in one file, for a bug report: rows, targets, weights, parameters, and what computed with them.

The file is one of safetensors, with JSON in its metadata. All arrays come back bit by bit, in the order in memory that
they had; nothing in the file is run.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._runtime import available_threads, core
from mercer.data.written_text import opened_for_writing
from mercer.errors import InputError
from mercer.io.problem_arrays import ArrayReader, ArrayWriter

__all__ = ["Problem", "Unread", "dump_problem", "load_problem"]

_FORMAT = 1
_PACKAGES = ("numpy", "scipy", "scikit-learn", "safetensors")


@dataclass(frozen=True)
class Unread:
    """A parameter that is no plain value, such as a kernel or a function: what it printed as."""

    text: str

    def __repr__(self) -> str:
        return f"Unread({self.text})"


@dataclass(frozen=True, eq=False)
class Problem:
    """What a fit was given, and where."""

    X: Any
    y: Any
    sample_weight: Any = None
    estimator: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)


def dump_problem(X: Any, y: Any, path: str | Path, *, sample_weight: Any = None, params: Any = None) -> Path:
    """Write a problem to a file that can be sent.

    Parameters
    ----------
    X : array or sparse matrix
        With its dtype and order, or format, as a fit would get it.
    y : array or None
        Targets: numbers, words or a mixture.
    path : str or path
        The file to write; it is replaced as a whole.
    sample_weight : array, optional
    params : estimator or dict, optional
        The estimator whose fit failed, of which the name and the parameters are written, or parameters by name. Those
        that are no plain values, such as kernels, are written as they print.

    Returns
    -------
    Path
        That of the file.

    Examples
    --------
    >>> import os, tempfile
    >>> from mercer import SVC
    >>> from mercer.io.problem_files import dump_problem, load_problem
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = dump_problem([[0.0], [1.5]], ["no", "yes"], os.path.join(folder, "problem"), params=SVC(C=10))
    ...     problem = load_problem(path)
    >>> problem.X.tolist(), problem.y.tolist(), problem.estimator, problem.params["C"]
    ([[0.0], [1.5]], ['no', 'yes'], 'SVC', 10)
    """
    from safetensors.numpy import save

    writer = ArrayWriter()
    estimator, given = _parameters_of(params)
    told = {
        "format": _FORMAT,
        "mercer": _own_version(),
        "kind": "problem",
        "X": writer.write("X", X),
        "y": writer.write("y", y),
        "sample_weight": writer.write("sample_weight", sample_weight),
        "estimator": estimator,
        "params": {name: _plain(value, f"params.{name}", writer) for name, value in given.items()},
        "versions": _versions(),
        "machine": _machine(),
    }
    with opened_for_writing(path) as file:
        file.write(save(writer.tensors, {"mercer": json.dumps(told)}))
    return Path(path)


def load_problem(path: str | Path) -> Problem:
    """Read a problem that `dump_problem` wrote.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Problem
        With fields `X`, `y`, `sample_weight`, `estimator` (its name), `params`, `versions` and `machine`.
    """
    told, tensors = _content_of(path)
    try:
        _check_kind(told, path)
        reader = ArrayReader(tensors)
        return Problem(
            reader.read(told["X"]),
            reader.read(told["y"]),
            reader.read(told["sample_weight"]),
            told["estimator"],
            {name: _value_of(plain, reader) for name, plain in told["params"].items()},
            dict(told["versions"]),
            dict(told["machine"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise _no_problem(path, f"{type(error).__name__}: {error}") from error


def _content_of(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(os.fspath(path), framework="np") as file:
            text = (file.metadata() or {})["mercer"]
            return json.loads(text), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, KeyError, ValueError, RecursionError) as error:
        raise _no_problem(path, str(error)) from error


def _check_kind(told: Any, path: str | Path) -> None:
    if not isinstance(told, dict) or told.get("kind") != "problem":
        raise _no_problem(path, "it holds something else")
    if not isinstance(told["format"], int) or told["format"] > _FORMAT:
        raise InputError(
            f"{path}: expected a problem file of format {_FORMAT}, got one of format {told['format']}, which Mercer "
            f"{told.get('mercer')} wrote. Read it with that version."
        )


def _no_problem(path: str | Path, reason: str) -> InputError:
    return InputError(f"{path}: expected a file that dump_problem wrote, got another or a damaged one ({reason}).")


def _parameters_of(params: Any) -> tuple[str | None, Mapping[str, Any]]:
    if params is None:
        return None, {}
    if isinstance(params, Mapping):
        return None, params
    if hasattr(params, "get_params"):
        return type(params).__name__, params.get_params(deep=False)
    raise InputError(f"params: expected an estimator or a dict of parameters, got {type(params).__name__}.")


def _plain(value: Any, where: str, writer: ArrayWriter) -> Any:
    """What stands in the JSON for a parameter: itself, or an object with one key that says how to read it."""
    if isinstance(value, np.generic):
        value = value.item()
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if np.isfinite(value) else {"float": repr(value)}
        case list():
            return [_plain(one, f"{where}.{k}", writer) for k, one in enumerate(value)]
        case tuple():
            return {"tuple": [_plain(one, f"{where}.{k}", writer) for k, one in enumerate(value)]}
        case dict():
            pairs = ([_plain(one, f"{where}.{k}", writer) for one in pair] for k, pair in enumerate(value.items()))
            return {"dict": list(pairs)}
        case np.ndarray() if value.dtype.kind in "biufOU":
            return {"array": writer.write(where, value)}
    return {"text": repr(value)}


def _value_of(plain: Any, reader: ArrayReader) -> Any:
    if isinstance(plain, list):
        return [_value_of(one, reader) for one in plain]
    if not isinstance(plain, dict):
        return plain
    ((kind, content),) = plain.items()
    match kind:
        case "float":
            return float(content)
        case "tuple":
            return tuple(_value_of(one, reader) for one in content)
        case "dict":
            return {_value_of(key, reader): _value_of(value, reader) for key, value in content}
        case "array":
            return reader.read(content)
        case "text":
            return Unread(str(content))
    raise ValueError(f"no such kind of parameter: {kind}")


def _own_version() -> str:
    # Not imported above: the public face stands on this folder, not the other way round.
    return str(importlib.import_module("mercer").__version__)


def _versions() -> dict[str, str]:
    found = {"mercer": _own_version(), "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _machine() -> dict[str, Any]:
    return {
        "system": platform.platform(),
        "processor": platform.machine(),
        "simd_level": core.simd_level(),
        "simd_levels": list(core.simd_levels()),
        "threads": available_threads(),
    }
