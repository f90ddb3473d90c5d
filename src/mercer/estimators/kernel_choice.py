"""kernel="auto": a linear machine unless a kernel pays, told on a sample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from mercer.data import read_sample_weight, take_rows
from mercer.errors import ParameterError, UnsolvedWarning, warn_user
from mercer.estimators.monitor import Monitor
from mercer.fits import fit
from mercer.rows import as_computed, rows_of
from mercer.typing import Floats, Integers

if TYPE_CHECKING:
    from mercer.estimators.base import KernelEstimator

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


def choose_kernel(estimator: KernelEstimator, X: Any, y: Any, sample_weight: Any) -> KernelChoice:
    """Compares the estimator with the linear kernel and with RBF on rows that neither was fitted on.

    X and y are as the estimator reads them. Rows without weight do not count, and classes are split alike.
    """
    if y is None:
        raise ParameterError("kernel='auto': expected targets to compare machines by, got none. Name a kernel.")
    random = check_random_state(estimator.random_state or 0)
    weights = read_sample_weight(sample_weight, X.shape[0])
    trained, held_out = _split(np.flatnonzero(weights > 0), y if is_classifier(estimator) else None, random)
    if len(held_out) < 2:
        return KernelChoice("rbf", "kernel='auto' takes RBF: too few rows to compare")
    losses = {name: _losses(estimator, name, X, y, weights, trained, held_out) for name in ("linear", "rbf")}
    gain = losses["linear"] - losses["rbf"]
    scores = ", ".join(f"{name} {1 - float(loss.mean()):.4g}" for name, loss in losses.items())
    error = float(gain.std()) / math.sqrt(len(gain))
    pays = float(gain.mean()) > max(_STANDARD_ERRORS * error, _LEAST_GAIN)
    verdict = "takes RBF" if pays else "keeps the linear kernel, for RBF is not significantly better"
    return KernelChoice(
        "rbf" if pays else "linear", f"kernel='auto' {verdict}: on {len(held_out)} held-out rows, scores are {scores}"
    )


def _split(rows: Integers, classes: Any, random: Any) -> tuple[Integers, Integers]:
    """Rows to fit on and rows to compare on, of each class about as many; a class of one row is fitted on."""
    order = random.permutation(rows)
    if classes is not None:
        order = order[np.argsort(np.unique(np.asarray(classes)[order], return_inverse=True)[1], kind="stable")]
    chosen = order[np.linspace(0, len(order) - 1, min(len(order), 2 * _MOST_ROWS)).astype(np.int64)]
    trained, held_out = chosen[::2], chosen[1::2]
    if classes is not None:
        missing = ~np.isin(np.asarray(classes)[held_out], np.asarray(classes)[trained])
        trained, held_out = np.concatenate([trained, held_out[missing]]), held_out[~missing]
    return trained, held_out


def _losses(
    estimator: KernelEstimator,
    name: str,
    X: Any,
    y: Any,
    weights: Floats,
    trained: Integers,
    held_out: Integers,
) -> Floats:
    """What each held-out row costs: one if it is misclassified, or its squared error beside the variance."""
    monitor = Monitor(None, False)
    some, y = take_rows(X, trained), np.asarray(y)
    targets = estimator._read_targets(y[trained], weights[trained], len(trained))
    kernel = estimator._named_kernel(name)
    computed = as_computed(kernel, some)
    rows = rows_of(kernel.resolve(computed), computed, given=some)
    task = estimator._task(rows, targets)._replace(folds=None)
    plan, limits = estimator._plan(task), estimator._limits(monitor)
    if estimator.time_limit is not None:
        limits = limits._replace(ends=monitor.after(_SHARE_OF_TIME * float(estimator.time_limit)))
    fitted = fit(task, plan, estimator._own_solver or plan.solver(estimator._seed()), limits)
    if fitted.unsolved:
        warn_user(
            UnsolvedWarning(
                f"kernel='auto': on a sample, the machine with the {name} kernel was not solved to tol. "
                f"{fitted.status.value} The choice rests on it nevertheless; name a kernel, or raise the limit or tol."
            )
        )
    predicted = estimator._predicted(estimator._precise_machine_of(fitted, targets), take_rows(X, held_out))
    truth = y[held_out].ravel()
    if is_classifier(estimator):
        return np.asarray(predicted != truth, dtype=np.float64)
    return np.asarray((predicted - truth) ** 2 / (float(np.var(truth)) or 1.0))
