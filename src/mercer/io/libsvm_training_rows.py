"""Which training rows the support vectors of a LIBSVM model are: files do not tell, and write eight digits of them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from mercer.data import is_sparse
from mercer.errors import InputError
from mercer.machines import KernelMachine, OneVsOneMachine
from mercer.typing import Floats, Integers

__all__ = ["find_training_rows"]

# Eight digits are off by half of the last one at most, a share of 5e-8 of the number; a little more for rounding.
_EIGHT_DIGITS = 6e-8


def find_training_rows(machine: KernelMachine, X: Any, labels: Any) -> Integers:
    """The number of the row of X that each support vector is, no row twice.

    LIBSVM writes the support vectors of a class in the order of the training rows, which decides among rows that are
    alike. Where `labels` are given, only rows of its class are looked at.
    """
    vectors = machine.support_vectors
    columns = X.shape[1]
    weights = np.random.RandomState(0).uniform(0.5, 1.5, columns)
    keys, spread = _projected(X, weights)
    own, _ = _projected(vectors, weights[: vectors.shape[1]])
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    room = float(_EIGHT_DIGITS * 2 * spread.max(initial=0.0)) + np.finfo(np.float64).tiny
    first, last = np.searchsorted(ordered, own - room), np.searchsorted(ordered, own + room, side="right")
    classes = _classes_of(machine) if labels is not None else None
    found = np.full(len(own), -1, dtype=np.int64)
    used = np.zeros(X.shape[0], dtype=bool)
    latest: dict[Any, int] = defaultdict(lambda: -1)
    for k in range(len(own)):
        near = np.sort(order[first[k] : last[k]])
        near = near[~used[near]]
        wanted = None if classes is None else classes[k]
        if wanted is not None:
            near = near[labels[near] == wanted]
        near = near[_are_alike(X, near, vectors, k)]
        if not len(near):
            raise _unfound(k)
        later = near[near > latest[wanted]]
        row = int(later[0] if len(later) else near[0])
        found[k], used[row], latest[wanted] = row, True, row
    return found


def _projected(X: Any, weights: Floats) -> tuple[Floats, Floats]:
    """One number a row that like rows share, and how large the numbers are of which it is a sum."""
    return np.asarray(X @ weights).ravel(), np.asarray(abs(X) @ weights).ravel()


def _classes_of(machine: KernelMachine) -> Any:
    assert isinstance(machine, OneVsOneMachine)
    return np.repeat(machine.classes, machine.n_support)


def _are_alike(X: Any, rows: Integers, vectors: Any, k: int) -> Any:
    """Which of these rows are the support vector to eight digits."""
    own = vectors[k].toarray().ravel() if is_sparse(vectors) else vectors[k]
    given = X[rows].toarray() if is_sparse(X) else X[rows]
    width = len(own)
    alike = np.all(np.abs(given[:, :width] - own) <= _EIGHT_DIGITS * np.abs(given[:, :width]), axis=1)
    return alike & ~given[:, width:].any(axis=1)


def _unfound(k: int) -> InputError:
    return InputError(
        f"X: expected the rows that the model was trained on, of which support vector {k + 1} is one to eight digits, "
        "got none that is. Pass the training rows as svm-train read them, scaled if they were, and their labels."
    )
