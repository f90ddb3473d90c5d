"""The machines of a sequence of values of one parameter, each certified, for far less than fitting each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer import checks
from mercer.certificates import Unevaluated
from mercer.data import read_training_data
from mercer.errors import ParameterError
from mercer.estimators import SVC, SVR
from mercer.fits import Fitted, Task, fit, plan_fit
from mercer.problems.dual import AT_BOUND
from mercer.rows import Budget, as_computed, checked_matrix, rows_of, takes_features
from mercer.tune.cells import Cell
from mercer.tune.groups import BYTES_PER_VALUE, Asked, Group, Solved, relative_error
from mercer.tune.layout import Layout
from mercer.tune.shared import SharedFits
from mercer.tune.sharing import reason_against
from mercer.typing import Floats, Integers

__all__ = ["MachinePath", "machine_path"]

# C in units of the spread of the targets, where no values are given.
_LEAST, _LARGEST, _COUNT = 1e-2, 1e3, 20
# The share of the tolerance that machines are solved to, so that rounding has room.
_PART = 0.7


@dataclass(frozen=True)
class MachinePath(Sequence[Any]):
    """Fitted estimators along growing values of a parameter.

    Attributes
    ----------
    parameter : str
        Its name.
    values : ndarray
        Its values, one for each estimator.
    estimators : tuple
        Fitted, each with its `certificate_`; also by number, as of a list.
    scores : ndarray or None
        Of rows that `scored` was given.
    n_support, n_bounded : ndarray of int
        Support vectors, and those with a coefficient at a bound; of several classes, in any of the pairs.
    """

    parameter: str
    values: Floats
    estimators: tuple[Any, ...]
    n_support: Integers
    n_bounded: Integers
    scores: Floats | None = None

    def __len__(self) -> int:
        return len(self.estimators)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators)

    @property
    def gaps(self) -> Floats:
        """The duality gap of each machine."""
        return np.array([model.certificate_.gap for model in self.estimators])

    def scored(self, X: Any, y: Any) -> MachinePath:
        """The same with the scores of all machines on some rows."""
        return replace(self, scores=np.array([model.score(X, y) for model in self.estimators]))


def machine_path(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    parameter: str = "C",
    values: Any = None,
    sample_weight: Any = None,
    memory: float = 1000,
) -> MachinePath:
    """Fits an estimator for each value of a parameter, each machine beginning from the one before.

    Along C of `SVC` and `SVR` kernel values are computed once for all machines, where they fit the memory; once no
    coefficient is at its bound, the machine stays the same. Certificates are worked out when they are read.

    Parameters
    ----------
    estimator : SVC, SVR, NuSVC, NuSVR, LinearSVC or LinearSVR
        All its parameters but one.
    X, y, sample_weight
        As in its `fit`.
    parameter : str, default="C"
        Which; also "epsilon", "nu" or any other number that the estimator has.
    values : array-like, optional
        They are put in order. Of C, None takes twenty from 0.01 to 1000 times the spread of the targets.
    memory : float, default=1000
        Megabytes for kernel values.

    Returns
    -------
    MachinePath

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import SVC, machine_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = machine_path(SVC(), X / X.std(axis=0), y, values=[0.1, 1, 10])
    >>> [len(model.support_) > 0 for model in path]
    [True, True, True]
    """
    checks.positive("memory", memory)
    chosen = _values(estimator, parameter, values, y)
    if type(estimator) in (SVC, SVR) and parameter == "C":
        found = _together(estimator, X, y, chosen, sample_weight, float(memory))
        if found is not None:
            return found
    return _one_by_one(estimator, X, y, parameter, chosen, sample_weight)


def _values(estimator: Any, parameter: str, values: Any, y: Any) -> Floats:
    if not hasattr(estimator, "_task"):
        raise ParameterError(
            f"estimator: expected one of Mercer's machines, as mercer.SVC(), got {type(estimator).__name__}."
        )
    known = estimator.get_params()
    if parameter not in known:
        raise ParameterError(
            f"parameter: expected one of {sorted(known)}, as {type(estimator).__name__} has, got {parameter!r}."
        )
    if values is None:
        if parameter != "C":
            raise ParameterError(f"values: expected numbers for {parameter!r}, got None, which only C has a range for.")
        unit = float(np.std(np.asarray(y, dtype=np.float64))) or 1.0 if isinstance(estimator, SVR) else 1.0
        return np.asarray(unit * np.geomspace(_LEAST, _LARGEST, _COUNT))
    try:
        found = np.sort(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"values: expected finite numbers in a list, got {values!r}.") from error
    if found.ndim != 1 or len(found) == 0 or not np.all(np.isfinite(found)):
        raise ParameterError(f"values: expected finite numbers in a list, got {values!r}.")
    return found


def _one_by_one(estimator: Any, X: Any, y: Any, parameter: str, values: Floats, sample_weight: Any) -> MachinePath:
    """By warm starts, which every machine of Mercer's has."""
    model = clone(estimator).set_params(warm_start=True)
    models = []
    for value in values:
        model.set_params(**{parameter: float(value)}).fit(X, y, sample_weight)
        models.append(copy(model).set_params(warm_start=False))
    counts = [model.certificate_.counts for model in models]
    bounded = np.array([own.get("bounded", 0) for own in counts])
    support = np.array(
        [
            len(model.support_) if hasattr(model, "support_") else own.get("free", 0) + own.get("bounded", 0)
            for model, own in zip(models, counts, strict=True)
        ]
    )
    return MachinePath(parameter, values, tuple(models), support, np.minimum(support, bounded))


def _together(estimator: Any, X: Any, y: Any, values: Floats, sample_weight: Any, memory: float) -> MachinePath | None:
    """By kernel values that are stored; None where there is a reason against it."""
    layout = Layout(estimator, estimator, "")
    cells = [Cell(k, {"C": float(value)}, {"C": float(value)}) for k, value in enumerate(values)]
    if any(reason_against(layout, cell) is not None for cell in cells):
        return None
    base = clone(estimator).set_params(C=1.0)
    kernel = base._named_kernel(base.kernel)
    X, y = read_training_data(base, X, y, takes_features(kernel), base._target_kinds)
    X = checked_matrix(kernel, X)
    computed = as_computed(kernel, X)
    if BYTES_PER_VALUE * X.shape[0] ** 2 > memory * 1e6:
        return None
    targets = base._read_targets(y, sample_weight, X.shape[0])
    rows = rows_of(kernel.resolve(computed), computed, np.inf, X)
    task = base._task(rows, targets)
    fits = SharedFits(base, Budget(int(memory * 1e6), checks.thread_count(base.n_jobs)))
    problem, none = task.problem, np.empty(0)
    groups = [
        Group(
            *(rows, members, problem.slope[run], none if problem.kink is None else problem.kink[run]),
            *(problem.lower[run][None], problem.upper[run][None]),
        )
        for members, run in zip(task.members, problem.groups.runs, strict=True)
    ]
    found = fits.solve(groups, values.tolist(), Asked(_PART * float(base.tol), problem.unit))
    error = relative_error(found, rows, exactly=False)
    worst = np.max([one.violation[:, 0] + 2 * one.rounding(error, rows)[:, 0] for one in found], axis=0)
    models, bounded = [], []
    for k, value in enumerate(values):
        model = clone(estimator).set_params(C=float(value))
        model.n_features_in_ = base.n_features_in_
        if hasattr(base, "feature_names_in_"):
            model.feature_names_in_ = base.feature_names_in_
        own = _fitted(model._task(rows, targets), found, k, fits.threads)
        if not worst[k] <= float(base.tol):  # rounding may hide a violation: float64 decides
            own = fit(own.task, plan_fit(own.task, fits.budget), start=own.coef)
        model._keep(own, targets)
        model.plan_ = "Found with the machines of other values of C, on kernel values that were computed once for all."
        models.append(model)
        problem = own.problem
        at_bound = (own.coef >= problem.upper * (1 - AT_BOUND)) & (problem.upper > 0)
        at_bound |= (own.coef <= problem.lower * (1 - AT_BOUND)) & (problem.lower < 0)
        bounded.append(len(np.unique(np.concatenate(own.task.members)[at_bound])))
    support = np.array([len(model.support_) for model in models])
    return MachinePath("C", values, tuple(models), support, np.array(bounded))


def _fitted(task: Task, found: Sequence[Solved], k: int, threads: int) -> Fitted:
    """The machines of one value, whose certificate waits until somebody asks."""
    coef = np.concatenate([one.coef[k, 0] for one in found])
    offsets = np.array([[one.offset[k, 0] for one in found]])
    proof = Unevaluated(task.problem, task.rows, task.members, coef, offsets, threads)
    return Fitted(task, coef, offsets, proof, [one.statuses[k] for one in found], [one.steps[k] for one in found])
