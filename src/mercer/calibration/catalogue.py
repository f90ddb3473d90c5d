"""The kinds of calibrations by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mercer.calibration.calibration import Calibration
from mercer.calibration.isotonic import IsotonicCalibration
from mercer.calibration.sigmoid import SigmoidCalibration
from mercer.calibration.temperature import TemperatureCalibration
from mercer.errors import InputError

__all__ = ["CALIBRATIONS", "calibration_from_arrays"]

CALIBRATIONS: dict[str, type[Calibration]] = {
    kind.kind: kind for kind in (SigmoidCalibration, IsotonicCalibration, TemperatureCalibration)
}


def calibration_from_arrays(arrays: Mapping[str, Any]) -> Calibration:
    """The calibration that `Calibration.arrays` tells of, of whichever kind it is."""
    name = arrays.get("kind")
    kind = CALIBRATIONS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise InputError(f"Expected a calibration of a kind among {sorted(CALIBRATIONS)}, got {name!r:.60}.")
    return kind.from_arrays(arrays)
