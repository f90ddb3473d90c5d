"""Targets and weights: labels to class numbers, weights to checked float64 arrays."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from mercer.errors import InputError, NumericsWarning, ParameterError, warn_user
from mercer.typing import Floats, Integers, Labels

__all__ = [
    "ClassTargets",
    "WeightedRows",
    "class_weights",
    "read_class_targets",
    "read_known_class_targets",
    "read_numbers",
    "read_row_weights",
    "read_sample_weight",
    "read_weighted_rows",
]

# From so many rows on labels are counted, which takes less than to sort them.
_MANY = 10_000


class ClassTargets(NamedTuple):
    """Class numbers of the rows, the labels they stand for, and what each row weighs.

    `weights` is the product of sample and class weight; rows that weigh nothing take no part in training. Where
    `is_weighted` is off, every weight is one.
    """

    classes: Labels
    codes: Integers
    class_weight: Floats
    weights: Floats
    is_weighted: bool = True


class WeightedRows(NamedTuple):
    """The rows that weigh something, in the order in which they are solved, with their targets and weights."""

    rows: Integers
    y: Floats
    weights: Floats


def read_weighted_rows(y: Any, sample_weight: Any, rows: int, random_state: Any = None) -> WeightedRows:
    """So many rows with their targets, zero where there are none; in random order where a seed is given."""
    weights = read_sample_weight(sample_weight, rows)
    chosen = np.flatnonzero(weights > 0)
    if random_state is not None:
        from sklearn.utils import check_random_state

        chosen = check_random_state(random_state).permutation(chosen)
    targets = np.zeros(rows) if y is None else read_numbers(y)
    return WeightedRows(chosen, targets[chosen], weights[chosen])


def read_numbers(y: Any) -> Floats:
    """Targets of regression in float64: scikit-learn's check, and a short way for arrays that would pass it."""
    plain = type(y) is np.ndarray and y.ndim == 1
    return np.asarray(y if plain else _column(y), dtype=np.float64)


def read_sample_weight(sample_weight: Any, n: int) -> Floats:
    """One finite weight ≥ 0 a row, not all zero; ones where none are given.

    Negative weights count as zero, as in scikit-learn, and a warning says so.
    """
    if sample_weight is None:
        return np.ones(n)
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind == "c":
            raise TypeError("complex numbers")
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"sample_weight: expected numbers, got {type(sample_weight).__name__} that is not numeric ({error})."
        ) from error
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.ndim != 1:
        raise InputError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. Flatten it first.")
    if weights.shape != (n,):
        raise InputError(f"sample_weight.shape == {weights.shape}, expected {(n,)}! Give one weight for each row of X.")
    if not np.all(np.isfinite(weights)):
        raise InputError("sample_weight: expected finite numbers, got NaN or infinity. Use 0 to leave a row out.")
    if not np.any(weights > 0):
        raise InputError(
            "Invalid input - all samples have zero or negative weights. sample_weight: expected some weight > 0; there "
            "is nothing to learn from."
        )
    negative = weights < 0
    if np.any(negative):
        warn_user(
            NumericsWarning(
                f"sample_weight: expected weights ≥ 0, got {np.count_nonzero(negative)} below zero, the least "
                f"{weights.min():.3g}. These rows count as absent, as in scikit-learn; use 0 to say so."
            )
        )
        weights = np.where(negative, 0.0, weights)
    return weights


def read_row_weights(sample_weight: Any, n: int) -> Floats:
    """The same for machines that remember their rows: there a weight below zero is refused."""
    given = None if sample_weight is None else np.asarray(sample_weight)
    if given is not None and given.dtype.kind in "iuf" and np.any(given < 0):
        # The beginning is scikit-learn's, which people match.
        raise InputError(
            f"Negative values in data passed to `sample_weight`: expected weights ≥ 0, got {np.nanmin(given):.3g} as "
            "the least. Use 0 to leave a row out."
        )
    return read_sample_weight(sample_weight, n)


def read_class_targets(y: Any, class_weight: Any, sample_weight: Any) -> ClassTargets:
    """Class numbers and weights from labels of any kind."""
    classes, codes = _numbered(y)
    if len(classes) < 2:
        raise InputError(
            f"The number of classes has to be greater than one; got {len(classes)} class. "
            "Check that y holds the labels and that no filter removed the others."
        )
    sample = read_sample_weight(sample_weight, len(codes))
    if sample_weight is None and class_weight is None:
        return ClassTargets(classes, codes, class_weight=np.ones(len(classes)), weights=sample, is_weighted=False)
    per_class = class_weights(class_weight, classes, codes, sample)
    weights = sample * per_class[codes]
    totals = np.bincount(codes, weights=weights, minlength=len(classes))
    if np.any(totals == 0):
        left = "the same class" if np.count_nonzero(totals) == 1 else "some classes only"
        raise InputError(
            f"Invalid input - all samples with positive weights belong to {left} (for NuSVC: specified nu is "
            f"infeasible): {classes[totals == 0].tolist()} weigh nothing. Expected a positive weight in every class; "
            "remove these rows or give them weight."
        )
    return ClassTargets(classes=classes, codes=codes, class_weight=per_class, weights=weights)


def read_known_class_targets(y: Any, classes: Labels, class_weight: Any, sample_weight: Any) -> ClassTargets:
    """Class numbers and weights of labels that are among the given ones, of which some may be missing."""
    labels = _column(y)
    present = np.unique(labels)
    unknown = np.setdiff1d(present, classes)
    if len(unknown):
        raise InputError(
            f"y: expected labels among {classes.tolist()}, which the first call named, got {unknown.tolist()}. "
            "Name all classes in the first call."
        )
    codes = np.searchsorted(classes, labels)
    sample = read_sample_weight(sample_weight, len(codes))
    per_class = class_weights(class_weight, classes, codes, sample)
    return ClassTargets(classes, codes, class_weight=per_class, weights=sample * per_class[codes])


def _numbered(y: Any) -> tuple[Labels, Integers]:
    """The distinct labels in order, and the place of each row's label among them."""
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biufU":
        counted = len(y) > _MANY and y.dtype.kind == "i" and int(y.max()) - int(y.min()) < len(y)
        classes = _counted(y) if counted else np.unique(y)
        # Names and whole numbers, few of them: scikit-learn's check, slower than a small fit, would pass in silence.
        if 2 * len(classes) < len(y) and (y.dtype.kind != "f" or np.array_equal(classes, np.rint(classes))):
            return classes, classes.searchsorted(y)
    from sklearn.utils.multiclass import check_classification_targets

    labels = _column(y)
    check_classification_targets(labels)
    try:
        return np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise InputError(
            f"y: expected labels of one kind that can be put in order, got a mixture ({error})."
        ) from error


def _column(y: Any) -> Any:
    """One value a row, by scikit-learn's check, which is imported for what is no plain array."""
    from sklearn.utils.validation import column_or_1d

    return column_or_1d(y, warn=True)


def _counted(y: Any) -> Labels:
    """The distinct labels in order, of whole numbers that lie close together."""
    low = int(y.min())
    present = np.bincount(y.astype(np.int64) - low).nonzero()[0]
    return (present + low).astype(y.dtype)


def class_weights(class_weight: Any, classes: Labels, codes: Integers, sample: Floats) -> Floats:
    """A weight for each class; "balanced" makes all classes weigh the same, sample weights included."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ParameterError(f"class_weight: expected a dict, 'balanced' or None, got {class_weight!r}.")
        totals = np.bincount(codes, weights=sample, minlength=len(classes))
        with np.errstate(divide="ignore"):
            balanced = totals.sum() / (len(classes) * totals)
        return np.where(totals > 0, balanced, 0.0)
    if not hasattr(class_weight, "items"):
        raise ParameterError(f"class_weight: expected a dict, 'balanced' or None, got {type(class_weight).__name__}.")
    weights = np.ones(len(classes))
    unnamed = []
    for number, label in enumerate(classes.tolist()):
        if label not in class_weight:
            unnamed.append(label)
            continue
        weight = class_weight[label]
        if not isinstance(weight, Real) or not np.isfinite(float(weight)) or float(weight) < 0:
            raise ParameterError(f"class_weight: expected a finite weight ≥ 0, got {weight!r} for the class {label!r}.")
        weights[number] = float(weight)
    # As in scikit-learn: labels that do not occur are fine as long as every class that does is named.
    if unnamed and len(classes) - len(unnamed) != len(class_weight):
        raise ParameterError(
            f"The classes, {unnamed}, are not in class_weight, and it names some that do not occur in y: expected "
            f"labels among {classes.tolist()}, got {list(class_weight)}. Check the spelling of the labels."
        )
    return weights
