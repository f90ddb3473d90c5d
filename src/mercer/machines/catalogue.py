"""The kinds of machines there are, by their names in plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mercer.errors import InputError
from mercer.machines.linear import LinearMachine
from mercer.machines.machine import Machine
from mercer.machines.one_vs_one import OneVsOneMachine
from mercer.machines.one_vs_rest import OneVsRestMachine
from mercer.machines.several import SeveralMachine
from mercer.machines.single import SingleMachine

__all__ = [
    "LinearMachine",
    "MACHINES",
    "OneVsOneMachine",
    "OneVsRestMachine",
    "SeveralMachine",
    "SingleMachine",
    "machine_from_arrays",
]

MACHINES: dict[str, type[Machine]] = {
    kind.kind: kind for kind in (SingleMachine, SeveralMachine, OneVsOneMachine, OneVsRestMachine, LinearMachine)
}


def machine_from_arrays(arrays: Mapping[str, Any]) -> Machine:
    """The machine whose `arrays()` these are, whatever its kind."""
    kind = arrays.get("kind")
    if not isinstance(kind, str) or kind not in MACHINES:
        raise InputError(f"Expected the arrays of a machine, of a kind among {list(MACHINES)}, got {kind!r}.")
    return MACHINES[kind].from_arrays(arrays)
