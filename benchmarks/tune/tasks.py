"""What is searched: rows, the values of C and gamma, and the folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks import data
from benchmarks.dataset import Dataset
from benchmarks.tune.mixture import mixture

Grid = Mapping[str, Sequence[float]]

#: Rows of each set of data where a section does not say otherwise.
ROWS = 5_000
FOLDS = 5
DECADES: Grid = {"C": [1e-1, 1e0, 1e1, 1e2, 1e3], "gamma": [1e-4, 1e-3, 1e-2, 1e-1, 1e0]}
TEN_BY_TEN: Grid = {"C": np.geomspace(0.1, 1000, 10).tolist(), "gamma": np.geomspace(1e-4, 1, 10).tolist()}
#: The cells of LIBSVM's grid.py without options, -log2c -5,15,2 -log2g 3,-15,-2, as numbers that grow.
GRID_PY: Grid = {"C": [2.0**k for k in range(-5, 16, 2)], "gamma": [2.0**k for k in range(-15, 4, 2)]}
#: For rows whose kernel matrix is beyond the memory, on features as they are given.
FEW_CELLS: Grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}
#: TorchKM's weights λ of ‖w‖², from which C = 1 ÷ (2 n λ).
LAMBDAS = (1e-3, 1e3)
_SETS = ("ijcnn1", "letter", "susy-30k", "covtype", "phoneme")
# The class of covtype that stands against the others, here as in the other benchmarks.
_POSITIVE = {"covtype": 1}


@dataclass(frozen=True)
class Task:
    """A problem of one section.

    Attributes
    ----------
    scaling : str
        How the features were scaled, for the report.
    is_long : bool
        Whether scikit-learn takes so long that it is to be asked for.
    """

    name: str
    load: data.Loader
    grid: Grid
    folds: int = FOLDS
    scaling: str = "standardised"
    is_long: bool = False

    @property
    def cells(self) -> int:
        """How many there are."""
        return int(np.prod([len(values) for values in self.grid.values()]))


def five_by_five(folder: Path, most_rows: int | None) -> list[Task]:
    """The sets that searches are compared on."""
    rows = _least(ROWS, most_rows)
    return [Task(name, _of(folder, name, data.standardised, rows), DECADES) for name in _SETS]


def ten_by_ten(folder: Path, most_rows: int | None) -> list[Task]:
    """As many cells as liquidSVM searches by default, on its rows."""

    def task(rows: int, is_long: bool) -> Task:
        name = f"covtype-{rows // 1000}k"
        load = _of(folder, "covtype", data.standardised, _least(rows, most_rows))
        return Task(name, load, TEN_BY_TEN, is_long=is_long)

    return [task(1_000, is_long=False), task(5_000, is_long=True)]


def practical_guide(folder: Path, most_rows: int | None) -> list[Task]:
    """The first example of LIBSVM's practical guide: all rows of its file, scaled by svm-scale's default."""
    load = _of(folder, "svmguide1", data.min_max_about_zero, most_rows)
    return [Task("svmguide1", load, GRID_PY, scaling="min-max to [-1, 1]")]


def torchkm(folder: Path, most_rows: int | None) -> list[Task]:
    """TorchKM's own job: one gamma, 50 values of C, 10 folds."""
    rows = _least(10_000, most_rows)
    grid = {"C": (1 / (2 * rows * np.geomspace(*LAMBDAS, 50)[::-1])).tolist()}
    return [
        Task(f"mixture-{columns}", mixture(rows, columns), grid, folds=10, scaling="standardised")
        for columns in (10, 100, 1_000)
    ]


def many_rows(folder: Path, most_rows: int | None) -> list[Task]:
    """Sets whose kernel matrix is beyond the memory."""
    rows = _least(32_000, most_rows)
    return [
        Task(name, _of(folder, name, data.unscaled, rows), FEW_CELLS, folds=3, scaling="as given")
        for name in ("a9a", "ijcnn1")
    ]


def _of(folder: Path, name: str, scaling: data.Scaling, rows: int | None) -> data.Loader:
    whole = data.from_folder(folder, name, positive=_POSITIVE.get(name))
    return lambda: scaling(_thinned(whole(), rows))


def _thinned(dataset: Dataset, rows: int | None) -> Dataset:
    """So many rows from all over: some files are in the order of time, or have one class after the other."""
    n = len(dataset.y_train)
    if rows is None or rows >= n:
        return dataset
    kept = np.linspace(0, n - 1, rows).round().astype(np.int64)
    return replace(dataset, X_train=dataset.X_train[kept], y_train=dataset.y_train[kept])


def _least(rows: int, most_rows: int | None) -> int:
    return rows if most_rows is None else min(rows, most_rows)
