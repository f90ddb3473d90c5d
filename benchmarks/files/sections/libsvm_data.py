"""LIBSVM's data files: read by the core, by scikit-learn, and by LIBSVM."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from benchmarks import data
from benchmarks.ways.bars import at_least
from benchmarks.ways.book import installed
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer.io import dump_libsvm, load_libsvm

PEER, LIBSVM = "scikit-learn", "LIBSVM"

TOLD = """\
*scikit-learn*: `load_svmlight_file`; *LIBSVM*: `svm_read_problem` of its own package, into SciPy's form. *dense*: \
normal numbers with all their digits; *text*: 0.2 % of 50,000 columns."""


def _a9a(terms: Terms) -> tuple[Any, Any]:
    found = data.from_folder(terms.data, "a9a")()
    return found.X_train, found.y_train


def _dense(terms: Terms) -> tuple[Any, Any]:
    random, rows = np.random.default_rng(0), terms.at_most(100_000)
    return random.normal(size=(rows, 50)), random.integers(2, size=rows)


def _text(terms: Terms) -> tuple[Any, Any]:
    random, rows = np.random.default_rng(0), terms.at_most(50_000)
    return sp.random(rows, 50_000, 0.002, "csr", random_state=random), random.integers(20, size=rows)


_PROBLEMS: dict[str, Callable[[Terms], tuple[Any, Any]]] = {"a9a": _a9a, "dense": _dense, "text": _text}


def _measured(make: Callable[[Terms], tuple[Any, Any]], terms: Terms) -> Measured:
    X, y = make(terms)
    path = Path(mkdtemp()) / "data"
    dump_libsvm(X, y, path)
    ways = [
        Way(OURS, lambda: load_libsvm(path, threads=terms.threads).X),
        Way(PEER, lambda: load_svmlight_file(str(path))[0]),
    ]
    libsvm = installed("libsvm.svmutil")
    if libsvm is not None:
        ways.append(Way(LIBSVM, lambda: libsvm.svm_read_problem(str(path), return_scipy=True)[1]))
    reference = load_svmlight_file(str(path))[0]

    def judge(way: Way, found: Any, _: Any) -> dict[str, float | str]:
        return {"different": float((found != reference).nnz), "MB": path.stat().st_size / 1e6}

    return Measured(f"{X.shape[0]:,} × {X.shape[1]:,}", race(ways, terms, judge))


LIBSVM_DATA = Section(
    "LIBSVM's data files",
    TOLD,
    {name: partial(_measured, make) for name, make in _PROBLEMS.items()},
    tuple(bar for name in _PROBLEMS for bar in (at_least(name, 10, PEER, OURS), at_least(name, 1, LIBSVM, OURS))),
)
