"""Linear machines along C: each fit begins from the weights of the one before."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any

from sklearn.base import clone, is_classifier

from mercer.data import take_rows
from mercer.solvers.status import Status
from mercer.tune.cells import Family
from mercer.tune.responses import Known
from mercer.tune.shared import Evaluated, Stage

__all__ = ["evaluate_warm"]


def evaluate_warm(machine: Any, family: Family, stage: Stage, wants_train: bool, ends: float) -> Iterator[Evaluated]:
    """The machines of the cells on all splits of the stage, as `SharedFits.evaluate` gives them, but for bounds."""
    for split in stage.splits:
        model = clone(machine).set_params(**family.params, warm_start=True)
        X, y = take_rows(stage.X, split.train), take_rows(stage.y, split.train)
        weights = None if stage.weights is None else stage.weights[split.train]
        held_out = take_rows(stage.X, split.test)
        for cell, value in zip(family.cells, family.values, strict=True):
            began = perf_counter()
            if began >= ends:
                return
            model.set_params(**{family.along: value}).fit(X, y, weights)
            certificate = model.certificate_
            yield Evaluated(
                cell,
                split,
                _known(model, stage, held_out),
                _known(model, stage, X) if wants_train else None,
                gap=certificate.gap,
                violation=certificate.violation,
                status=Status.SOLVED if model.status_.is_within_tolerance else model.status_,
                is_copied=False,
                support=-1,
                seconds=perf_counter() - began,
            )


def _known(model: Any, stage: Stage, X: Any) -> Known:
    if is_classifier(model):
        values = model.decision_function(X)
        return Known(model.predict(X), model.classes_, values if values.ndim == 2 else values[:, None])
    predicted = model.predict(X)
    known = Known(predicted, None, predicted[:, None])
    return known if stage.back is None else known.mapped(stage.back, stage.is_rising)
