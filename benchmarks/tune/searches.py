"""The ways to search: Mercer's search, scikit-learn's around its own machine, and scikit-learn's around Mercer's."""

from __future__ import annotations

from typing import Any

from sklearn import model_selection, svm

import mercer
from benchmarks.tune.tasks import Task

#: Names of the ways in the record. Alone is a machine of Mercer's that scikit-learn fits cell by cell.
OURS, UNSETTLED, SETTLED = "default", "settle=False", "settle=True"
PEER, ALONE = "sklearn", "sklearn, mercer.SVC"


def by_mercer(task: Task, threads: int, machine: Any = None, **options: Any) -> Any:
    """`mercer.GridSearchCV`; a machine other than `mercer.SVC()` and any option of the search can be given."""
    machine = mercer.SVC() if machine is None else machine
    given: dict[str, Any] = {"param_grid": task.grid, "cv": task.folds, "n_jobs": threads} | options
    return mercer.GridSearchCV(machine, **given)


def by_scikit_learn(task: Task, threads: int) -> Any:
    """Scikit-learn's search around its own machine, in as many processes as there are threads."""
    return model_selection.GridSearchCV(svm.SVC(), task.grid, cv=task.folds, n_jobs=threads)


def one_by_one(task: Task) -> Any:
    """Scikit-learn's search around Mercer's machine, whose threads are the only ones."""
    return model_selection.GridSearchCV(mercer.SVC(), task.grid, cv=task.folds)
