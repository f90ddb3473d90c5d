"""What a search knows, in a file that grows line by line: after a crash it goes on from there, also on a finer grid."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics._scorer import _BaseScorer

from mercer.errors import InputError
from mercer.tune.cells import Cell, Split
from mercer.tune.results import CellStatus, Result

__all__ = ["Checkpoint", "Memory", "digest", "name_of_estimator", "name_of_value"]

_FORMAT = "mercer search 1"


class Checkpoint:
    """A file of JSON lines: what the search is about, and then a result each.

    Parameters
    ----------
    path : str or Path
        Made where it does not exist.
    about : mapping
        What must be the same for results to hold: data, splits, scorers, the estimator.
    """

    def __init__(self, path: Any, about: Mapping[str, str]) -> None:
        try:
            self.path, self.about = Path(path), dict(about)
            self.known = self._read() if self.path.exists() and self.path.stat().st_size else None
            if self.known is None:
                self.known = {}
                self.path.write_text(json.dumps({"format": _FORMAT, **self.about}) + "\n", encoding="utf-8")
        except (OSError, TypeError) as error:
            raise InputError(
                f"checkpoint: expected the path of a file that can be read and written, got {path!r} ({error})."
            ) from error

    def result(self, cell: Cell, split: Split) -> Result | None:
        """What is known of a cell on a split."""
        assert self.known is not None
        return self.known.get((name_of(cell.params), split.number))

    def add(self, cell: Cell, split: Split, result: Result) -> None:
        """Writes a result down, at once."""
        line = {"params": name_of(cell.params), "split": split.number, **asdict(result), "status": result.status.name}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _read(self) -> dict[tuple[str, int], Result]:
        lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        try:
            header = json.loads(lines[0])
        except (ValueError, IndexError):
            header = None
        if not isinstance(header, dict) or header.get("format") != _FORMAT:
            raise InputError(
                f"checkpoint: expected a file that a search wrote, got {str(self.path)!r}, which is another. Give a "
                "path that does not exist yet."
            )
        other = [name for name, value in self.about.items() if header.get(name) != value]
        if other:
            raise InputError(
                f"checkpoint: expected {str(self.path)!r} to be of this search, got one with another "
                f"{', '.join(other)}. Give another path, or remove the file."
            )
        found = {}
        for line in lines[1:]:
            try:
                entry = json.loads(line)
                status = CellStatus[entry.pop("status")]
                key = entry.pop("params"), entry.pop("split")
                found[key] = Result(**entry, status=status)
            except (ValueError, TypeError, KeyError):
                continue  # the last line of a run that was cut off
        return found


class Memory:
    """The same without a file: what one search knows, for the next on the same data and folds."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, int], Result] = {}

    def result(self, cell: Cell, split: Split) -> Result | None:
        return self.known.get((name_of(cell.params), split.number))

    def add(self, cell: Cell, split: Split, result: Result) -> None:
        self.known[name_of(cell.params), split.number] = result


def name_of(params: Mapping[str, Any]) -> str:
    """Parameters as a text that is the same for equal ones."""
    return json.dumps({name: _plain(value) for name, value in sorted(params.items())})


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value if isinstance(value, (bool, int, float, str, type(None))) else repr(value)


def name_of_value(value: Any) -> str:
    """A text that is the same for what is the same."""
    return json.dumps(_named(value))


def name_of_estimator(estimator: Any) -> str:
    """What an estimator is, with all its parameters."""
    params = {name: _named(value) for name, value in sorted(estimator.get_params(deep=True).items())}
    return f"{type(estimator).__name__} {hashlib.sha256(json.dumps(params).encode()).hexdigest()[:16]}"


def _named(value: Any) -> Any:
    if isinstance(value, np.ndarray) or sp.issparse(value):
        return digest(value)
    if hasattr(value, "get_params"):
        return type(value).__name__
    if isinstance(value, _BaseScorer):
        return [_named(getattr(value, part, None)) for part in ("_score_func", "_sign", "_kwargs", "_response_method")]
    if isinstance(value, partial):
        return ["partial", _named(value.func), _named(value.args), _named(value.keywords)]
    if isinstance(value, MethodType):
        return [_named(value.__func__), _named(value.__self__)]
    if isinstance(value, FunctionType):  # its address is another in each process
        told = [_code(value.__code__), *(_named(one) for one in (value.__defaults__, value.__kwdefaults__))]
        told += [_cell(one) for one in value.__closure__ or ()]
        text = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
        return f"{value.__module__}.{value.__qualname__} {text}"
    if isinstance(value, (list, tuple)):
        return [_named(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _named(one) for key, one in value.items()}
    return _plain(value)


def _code(code: CodeType) -> Any:
    constants = [_code(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return [code.co_code.hex(), constants, list(code.co_names)]


def _cell(cell: Any) -> Any:
    """What a function has from where it was made."""
    try:
        value = cell.cell_contents
    except ValueError:  # not yet set
        return None
    return None if isinstance(value, FunctionType) and cell in (value.__closure__ or ()) else _named(value)


def digest(*arrays: Any) -> str:
    """A short name of what arrays hold."""
    found = hashlib.sha256()
    for array in arrays:
        if sp.issparse(array):
            matrix = array.tocsr()
            parts: Sequence[Any] = (matrix.data, matrix.indices, matrix.indptr)
        else:
            parts = (np.asarray(array),)
        for part in parts:
            values = part.astype(str) if part.dtype.kind == "O" else part
            found.update(f"{values.shape}{values.dtype}".encode())
            found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()[:16]
