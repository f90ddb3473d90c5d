"""Whether two models are the same to whoever looks at them: parameters, fitted attributes, answers, bit by bit."""

import dataclasses
import warnings
from enum import Enum

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

ANSWERS = (
    *("predict", "decision_function", "predict_proba", "predict_log_proba", "transform", "score_samples"),
    *("predict_set", "predict_interval", "inlier_probability", "kneighbors", "radius_neighbors"),
)
# What the last search took.
_OF_THE_MOMENT = {"exact_"}


def difference(own, other, where="model"):
    """Where two values differ, as a text; None where they do not."""
    if own is other:
        return None
    is_mapped = isinstance(own, np.ndarray) and isinstance(other, np.memmap)  # which is an array all the same
    if type(own) is not type(other) and not is_mapped:
        return f"{where}: {type(own).__name__} and {type(other).__name__}"
    if isinstance(own, np.ma.MaskedArray):
        return difference(own.data, other.data, where) or difference(
            np.ma.getmaskarray(own), np.ma.getmaskarray(other), where
        )
    if isinstance(own, np.ndarray):
        return _difference_of_arrays(own, np.asarray(other), where)
    if sp.issparse(own):
        parts = [difference(getattr(own, part), getattr(other, part), where) for part in ("data", "indices", "indptr")]
        return next(filter(None, parts), None if own.shape == other.shape else f"{where}: shapes")
    if isinstance(own, BaseEstimator):
        return difference_of_models(own, other, where)
    if isinstance(own, dict):
        if list(own) != list(other):
            return f"{where}: keys {list(own)} and {list(other)}"
        return next(filter(None, (difference(own[key], other[key], f"{where}[{key!r}]") for key in own)), None)
    if isinstance(own, (list, tuple)):
        if len(own) != len(other):
            return f"{where}: lengths"
        pairs = enumerate(zip(own, other, strict=True))
        return next(filter(None, (difference(a, b, f"{where}[{place}]") for place, (a, b) in pairs)), None)
    if dataclasses.is_dataclass(own) and not isinstance(own, (type, Enum)):
        names = [one.name for one in dataclasses.fields(own)]
        told = (difference(getattr(own, name), getattr(other, name), f"{where}.{name}") for name in names)
        return next(filter(None, told), None)
    if isinstance(own, float) and np.isnan(own) and np.isnan(other):
        return None
    if type(own).__eq__ is object.__eq__ and not isinstance(own, type):
        return None if vars(own).keys() == vars(other).keys() else f"{where}: {own!r} and {other!r}"
    return None if own == other else f"{where}: {own!r} and {other!r}"


def _difference_of_arrays(own, other, where):
    if own.dtype != other.dtype or own.shape != other.shape:
        return f"{where}: {own.dtype} {own.shape} and {other.dtype} {other.shape}"
    if own.dtype == object:
        return difference(own.ravel().tolist(), other.ravel().tolist(), where)
    equal_nan = own.dtype.kind == "f"
    return None if np.array_equal(own, other, equal_nan=equal_nan) else f"{where}: values"


def difference_of_models(own, other, where="model"):
    """The same of estimators: parameters, and public attributes that a fit leaves."""
    told = difference(own.get_params(deep=False), other.get_params(deep=False), f"{where}.params")
    return told or difference(attributes_of(own), attributes_of(other), where)


def attributes_of(model):
    """The public fitted attributes by name, those that are worked out included."""
    names = {name for name in (*dir(type(model)), *vars(model)) if name.endswith("_") and not name.startswith("_")}
    found = {}
    if "learnt_" in names:
        names -= {"plan_"}  # searches learn from those before them which way is quicker
    for name in sorted(names - _OF_THE_MOMENT):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[name] = getattr(model, name)
            except (AttributeError, ValueError):
                continue
    return found


def answers_of(model, X):
    """What a model says of rows, by the name of what is asked."""
    found = {}
    for name in ANSWERS:
        try:
            ask = getattr(model, name)
        except AttributeError:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[name] = ask(X)
            except ValueError as error:
                found[name] = str(error)
    return found
