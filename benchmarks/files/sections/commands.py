"""How long commands take from the first key to the last line, in processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import mercer
from benchmarks.files.program import run_program
from benchmarks.ways.bars import within_seconds
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer.io import dump_libsvm

TOLD = """\
Whole processes, warm: the files are in memory, and the byte code of Python is there. *predict*: 1,000 rows of \
`census` by the model that `mercer train` made of it; *svm-predict*: 100 rows of 10 features by a LIBSVM model."""

#: The most seconds that are asked of each.
_LIMITS = {"help": 0.25, "info": 0.25, "predict": 0.6, "svm-predict": 0.3}


def _own_arguments(name: str, folder: Path) -> Sequence[str]:
    return ["--help" if name == "help" else name]


def _predict(name: str, folder: Path) -> Sequence[str]:
    run_program(["train", "census", "--target", "income", "--output", str(folder), "--quiet"])
    shipped = Path(mercer.__file__).parent / "tables" / "datasets" / "census.csv"
    lines = shipped.read_text().splitlines(keepends=True)
    table = folder / "new.csv"
    table.write_text("".join(lines[:1001]))
    return [name, str(folder / "census.mercer"), str(table)]


def _svm_predict(name: str, folder: Path) -> Sequence[str]:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(500, 10)), random.integers(2, size=500)
    data, model = folder / "data", folder / "model"
    dump_libsvm(X[:100], y[:100], data)
    dump_libsvm(X, y, folder / "training")
    run_program(["svm-train", "-q", str(folder / "training"), str(model)])
    return [name, str(data), str(model), str(folder / "labels")]


_MAKERS: dict[str, Callable[[str, Path], Sequence[str]]] = {"predict": _predict, "svm-predict": _svm_predict}


def _measured(name: str, terms: Terms) -> Measured:
    arguments = _MAKERS.get(name, _own_arguments)(name, Path(mkdtemp()))
    return Measured("one process", race([Way(OURS, lambda: run_program(arguments))], terms))


COMMANDS = Section(
    "Commands",
    TOLD,
    {name: partial(_measured, name) for name in _LIMITS},
    tuple(within_seconds(name, limit, OURS) for name, limit in _LIMITS.items()),
)
