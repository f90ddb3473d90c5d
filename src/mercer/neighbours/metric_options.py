"""What a metric takes besides rows: names that it does not know are told before anything is searched."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np

from mercer.errors import ParameterError

__all__ = ["check_options"]

# Those whose search is Mercer's own or SciPy's; `w` are weights of the features.
_KNOWN = {
    "precomputed": (),
    "cosine": (),
    "minkowski": ("p", "w"),
    **dict.fromkeys(("euclidean", "manhattan", "chebyshev", "hamming"), ("w",)),
}
# Without which distances would depend on what is asked for.
_NEEDED = {"seuclidean": ("V",), "mahalanobis": ("VI",)}
# What SciPy's function of two rows has, but neither it nor scikit-learn takes for many at a time.
_ROWS = {"u", "v", "X", "Y"}


def check_options(name: str, options: Mapping[str, Any], features: int) -> None:
    """Raises ParameterError for `metric_params` that a metric by its name does not know, or that are no such thing."""
    known = _known(name)
    unknown = [option for option in options if option not in known]
    if unknown:
        takes = f"some of {sorted(known)}" if known else "none"
        raise ParameterError(f"metric_params: metric={name!r} takes {takes}, got {sorted(map(str, unknown))}.")
    missing = [option for option in _NEEDED.get(name, ()) if option not in options]
    if missing:
        raise ParameterError(f"metric_params: metric={name!r} needs {missing}, got {sorted(options) or 'none'}.")
    if "p" in options and not _is_power(options["p"]):
        raise ParameterError(f"metric_params: expected p to be a number > 0 or infinite, got {options['p']!r}.")
    if "w" in options:
        _check_feature_weights(options["w"], features)


def _known(name: str) -> tuple[str, ...]:
    if name in _KNOWN:
        return _KNOWN[name]
    from scipy.spatial import distance  # they take long to import
    from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS

    function = PAIRWISE_DISTANCE_FUNCTIONS.get(name) or getattr(distance, name, None)
    return () if function is None else tuple(option for option in signature(function).parameters if option not in _ROWS)


def _is_power(p: Any) -> bool:
    try:
        return float(p) > 0
    except (TypeError, ValueError):
        return False


def _check_feature_weights(w: Any, features: int) -> None:
    weights = np.asarray(w)
    is_right = weights.dtype.kind in "biuf" and weights.shape == (features,)
    if not is_right or not np.all(np.isfinite(weights) & (weights >= 0)) or not np.any(weights):
        raise ParameterError(
            f"metric_params: expected w to be {features} finite weights ≥ 0 of the features, not all zero, got {w!r}."
        )
