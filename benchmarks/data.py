"""Loaders: a folder of npz files, the sets that ship with scikit-learn, and synthetic ones; and scalings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import datasets, model_selection

from benchmarks.dataset import Dataset, Matrix

Scaling = Callable[[Dataset], Dataset]
Loader = Callable[[], Dataset]


def unscaled(data: Dataset) -> Dataset:
    """The features as they are."""
    return data


def min_max(data: Dataset) -> Dataset:
    """Every feature to [0, 1] on the training rows."""
    low = data.X_train.min(axis=0)
    width = data.X_train.max(axis=0) - low
    return _affine(data, low, np.where(width > 0, width, 1.0))


def min_max_about_zero(data: Dataset) -> Dataset:
    """Every feature to [-1, 1] on the training rows, as LIBSVM's own copies are scaled."""
    low, high = data.X_train.min(axis=0), data.X_train.max(axis=0)
    return _affine(data, (low + high) / 2, np.where(high > low, (high - low) / 2, 1.0))


def standardised(data: Dataset) -> Dataset:
    """Every feature to mean 0 and variance 1 on the training rows."""
    spread = data.X_train.std(axis=0)
    return _affine(data, data.X_train.mean(axis=0), np.where(spread > 0, spread, 1.0))


def divided(by: float) -> Scaling:
    """Every feature divided by one constant."""

    def scale(data: Dataset) -> Dataset:
        return _affine(data, 0.0, by)

    return scale


def _affine(data: Dataset, shift: Any, width: Any) -> Dataset:
    X_train = np.ascontiguousarray((data.X_train - shift) / width)
    X_test = np.ascontiguousarray((data.X_test - shift) / width)
    return Dataset(X_train, data.y_train, X_test, data.y_test)


def from_folder(
    folder: Path,
    name: str,
    scaling: Scaling = unscaled,
    rows: int | None = None,
    test_rows: int | None = None,
    positive: int | None = None,
    numbers: bool = False,
) -> Loader:
    """Loader of ``folder/name/name.npz``.

    Parameters
    ----------
    rows, test_rows : int, optional
        Only the first so many rows.
    positive : int, optional
        Make the problem binary: this class against the rest.
    numbers : bool
        The targets are numbers, to be brought to mean 0 and variance 1 on the training rows.
    """

    def load() -> Dataset:
        with np.load(folder / name / f"{name}.npz") as arrays:
            X_train, X_test = _rows(arrays, "train")[:rows], _rows(arrays, "test")[:test_rows]
            y_train, y_test = arrays["y_train"][:rows], arrays["y_test"][:test_rows]
        if positive is not None:
            y_train, y_test = y_train == positive, y_test == positive
        if numbers:
            shift, width = y_train.mean(), y_train.std()
            return scaling(Dataset(X_train, (y_train - shift) / width, X_test, (y_test - shift) / width))
        return scaling(_with_integer_labels(X_train, y_train, X_test, y_test))

    return load


def _rows(arrays: Any, part: str) -> Matrix:
    if f"X_{part}" in arrays:
        return arrays[f"X_{part}"].astype(np.float64)
    data = arrays[f"X_{part}_data"].astype(np.float64)
    shape = tuple(arrays[f"X_{part}_shape"])
    # csr_matrix, not csr_array: libsvm-official knows only the former.
    X = sp.csr_matrix((data, arrays[f"X_{part}_indices"], arrays[f"X_{part}_indptr"]), shape=shape)
    return _tfidf(X, arrays["idf"]) if "idf" in arrays else X


def _tfidf(counts: Matrix, idf: Any) -> Matrix:
    X = counts.copy()
    X.data = 1.0 + np.log(X.data)
    X = X.multiply(idf.astype(np.float64)).tocsr()
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sp.csr_matrix(sp.diags(1.0 / np.where(norms > 0, norms, 1.0)) @ X)


def shipped(load: Callable[..., Any], scaling: Scaling = unscaled) -> Loader:
    """Loader of a set that ships with scikit-learn, three quarters of it for training."""

    def loader() -> Dataset:
        X, y = load(return_X_y=True)
        return scaling(_split(X, y))

    return loader


def synthetic(rows: int, columns: int, scaling: Scaling = unscaled, **options: Any) -> Loader:
    """Loader of ``make_classification`` with ``rows`` training rows and a fifth as many for the test."""

    def loader() -> Dataset:
        return scaling(_made(rows, rows // 5, columns, options))

    return loader


def nested(rows: int, largest: int, test_rows: int, columns: int) -> Loader:
    """Loader of the first ``rows`` of one ``make_classification``, so that sizes differ in nothing else."""

    def loader() -> Dataset:
        whole = _made(largest, test_rows, columns, {})
        return Dataset(whole.X_train[:rows].copy(), whole.y_train[:rows].copy(), whole.X_test, whole.y_test)

    return loader


def _made(rows: int, test_rows: int, columns: int, options: dict[str, Any]) -> Dataset:
    options = {"n_informative": 8} | options
    X, y = datasets.make_classification(rows + test_rows, columns, random_state=0, **options)
    return _head_and_tail(X, y, rows)


def moons(rows: int, noise: float) -> Loader:
    """Loader of two interleaved half circles."""

    def loader() -> Dataset:
        X, y = datasets.make_moons(rows + rows // 5, noise=noise, random_state=0)
        return _head_and_tail(X, y, rows)

    return loader


def _split(X: Matrix, y: Any) -> Dataset:
    X_train, X_test, y_train, y_test = model_selection.train_test_split(
        X, y, test_size=0.25, random_state=0, stratify=y
    )
    return _with_integer_labels(X_train, y_train, X_test, y_test)


def _head_and_tail(X: Matrix, y: Any, rows: int) -> Dataset:
    return _with_integer_labels(X[:rows], y[:rows], X[rows:], y[rows:])


def _with_integer_labels(X_train: Matrix, y_train: Any, X_test: Matrix, y_test: Any) -> Dataset:
    # A label that only the test has would be counted wrong whatever its number: map it to -1.
    classes = np.unique(y_train)
    known = {label: number for number, label in enumerate(classes.tolist())}
    train = np.array([known[label] for label in y_train.tolist()], dtype=np.int64)
    test = np.array([known.get(label, -1) for label in y_test.tolist()], dtype=np.int64)
    return Dataset(X_train, train, X_test, test)
