"""The model that predictions from tables need: encoding, machine, calibration, sets."""

from __future__ import annotations

from mercer.calibration import SplitIntervals, SplitSets
from mercer.machines import class_values
from mercer.tabular import TableModel
from mercer.training.fitting import Fit
from mercer.training.options import TrainingOptions
from mercer.training.prepared import Prepared

__all__ = ["make_model"]


def make_model(data: Prepared, fit: Fit, options: TrainingOptions) -> TableModel:
    """The model, without a record of where it comes from."""
    return TableModel(
        encoding=data.encoding,
        machine=fit.machine,
        task="classification" if data.is_classification else "regression",
        target=data.target.name,
        classes=data.target.classes,
        calibration=fit.calibration,
        conformal=_conformal(data, fit, options.threads),
    )


def _conformal(data: Prepared, fit: Fit, threads: int | None) -> SplitSets | SplitIntervals | None:
    """Learnt from rows that neither the search nor the fit has seen."""
    apart = data.parts.apart
    if apart is None:
        return None
    values = fit.machine.values(data.encoding(apart.table).X, threads)
    if data.is_classification:
        return SplitSets.learn(class_values(fit.machine, values), apart.y)
    return SplitIntervals.learn(apart.y - values[:, 0])
