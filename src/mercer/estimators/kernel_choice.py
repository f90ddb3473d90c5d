"""kernel="auto": a linear machine unless a kernel pays, told on a sample."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples

from mercer.errors import ParameterError
from mercer.typing import Floats, Integers

__all__ = ["KernelChoice", "choose_kernel"]

# Rows on which both machines are fitted, at most, and as many to compare them on.
_MOST_ROWS = 2000
# The kernel pays where it is better by this many standard errors of the difference, and by this much.
_STANDARD_ERRORS = 2.0
_LEAST_GAIN = 0.005
# The share of a time limit that a machine on the sample may take.
_SHARE_OF_TIME = 0.2


class KernelChoice(NamedTuple):
    """The name of a kernel, and why."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.reason}."


def choose_kernel(estimator: Any, X: Any, y: Any, sample_weight: Any) -> KernelChoice:
    """Compares the estimator with the linear kernel and with RBF on rows that neither was fitted on."""
    if y is None:
        raise ParameterError("kernel='auto': expected targets to compare machines by, got none. Name a kernel.")
    order = check_random_state(estimator.random_state or 0).permutation(_num_samples(X))[: 2 * _MOST_ROWS]
    trained, held_out = order[: (len(order) + 1) // 2], order[(len(order) + 1) // 2 :]
    if len(held_out) < 2 or (is_classifier(estimator) and not _same_classes(y, trained, order)):
        return KernelChoice("rbf", "kernel='auto' takes RBF: too few rows to compare")
    losses = {name: _losses(estimator, name, X, y, sample_weight, trained, held_out) for name in ("linear", "rbf")}
    gain = losses["linear"] - losses["rbf"]
    scores = ", ".join(f"{name} {1 - float(loss.mean()):.4g}" for name, loss in losses.items())
    error = float(gain.std()) / math.sqrt(len(gain))
    pays = float(gain.mean()) > max(_STANDARD_ERRORS * error, _LEAST_GAIN)
    verdict = "takes RBF" if pays else "keeps the linear kernel, for RBF does not pay"
    return KernelChoice(
        "rbf" if pays else "linear", f"kernel='auto' {verdict}: on {len(held_out)} held-out rows, scores are {scores}"
    )


def _losses(
    estimator: Any, name: str, X: Any, y: Any, sample_weight: Any, trained: Integers, held_out: Integers
) -> Floats:
    """What each held-out row costs: one if it is misclassified, or its squared error beside the variance."""
    limit = estimator.time_limit
    model = clone(estimator).set_params(
        kernel=name,
        callback=None,
        verbose=False,
        warm_start=False,
        time_limit=None if limit is None else _SHARE_OF_TIME * limit,
    )
    weights = None if sample_weight is None or np.ndim(sample_weight) == 0 else _safe_indexing(sample_weight, trained)
    model.fit(_safe_indexing(X, trained), _safe_indexing(y, trained), weights)
    predicted, truth = model.predict(_safe_indexing(X, held_out)), np.asarray(_safe_indexing(y, held_out)).ravel()
    if is_classifier(estimator):
        return np.asarray(predicted != truth, dtype=np.float64)
    return np.asarray((predicted - truth) ** 2 / (float(np.var(truth)) or 1.0))


def _same_classes(y: Any, some: Integers, others: Integers) -> bool:
    classes = np.asarray(_safe_indexing(y, others)).ravel()
    return len(np.unique(classes[: len(some)])) == len(np.unique(classes)) > 1
