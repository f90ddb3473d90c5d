"""Which cells can be solved together, and why others cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer import checks
from mercer.errors import MercerError
from mercer.tune.cells import Cell
from mercer.tune.layout import Layout

__all__ = ["reason_against"]

# What a machine may ask for, and what it must be for the core to solve its cells together.
_PLAIN = {
    "solver": "auto",
    "polish": False,
    "trace": False,
    "gap_tol": None,
    "max_iter": -1,
    "predict_by": "decision",
    "callback": None,
    "time_limit": None,
    "warm_start": False,
}

_OF_LINEAR = {"callback": None, "time_limit": None, "warm_start": False}


def reason_against(layout: Layout, cell: Cell) -> str | None:
    """Why a cell cannot be solved together with others; None where it can."""
    if layout.replaces_machine(cell.before):
        return "a parameter replaces the machine"
    try:
        machine = clone(layout.machine).set_params(**cell.own)
        if layout.is_linear:
            machine._check()
            return _reason_in(machine, _OF_LINEAR)
        checks.check_parameters(machine)
        if isinstance(machine.kernel, str) and machine.kernel == "auto":
            return "kernel='auto' chooses a kernel in each fit"
        kernel = machine._named_kernel(machine.kernel)
    except (MercerError, TypeError, ValueError) as error:
        return f"its parameters are refused ({error})"
    reason = _reason_in(machine, _PLAIN)
    if reason is not None:
        return reason
    if getattr(machine, "probability", False) not in (False, "deprecated"):
        return "probability asks for folds within each fit"
    if machine.formulation == "primal":
        return "formulation='primal' asks for weights"
    if not np.isfinite(float(getattr(machine, "C", 1.0))):
        return "C is infinite"
    if kernel.is_definite is False:
        return "the kernel is not positive semi-definite"
    return None


def _reason_in(machine: Any, expected: Mapping[str, Any]) -> str | None:
    for name, value in expected.items():
        given = getattr(machine, name, value)
        if given is not value and given != value:
            return f"{name}={given!r} asks for a fit of its own"
    return None
