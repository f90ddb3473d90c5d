"""The fitted thing: immutable, checked when it is made, and all that prediction needs."""

from mercer.machines.expansion import Expansion, Segment
from mercer.machines.machine import Machine, locked
from mercer.machines.one_vs_one import OneVsOneMachine
from mercer.machines.one_vs_rest import OneVsRestMachine
from mercer.machines.precise_expansion import PreciseExpansion
from mercer.machines.single import SingleMachine

__all__ = [
    "Expansion",
    "Segment",
    "Machine",
    "locked",
    "OneVsOneMachine",
    "OneVsRestMachine",
    "PreciseExpansion",
    "SingleMachine",
]
