"""The fitted thing: immutable, checked when it is made, and all that prediction needs."""

from mercer.machines.expansion import evaluate_expansion
from mercer.machines.one_vs_one import OneVsOneMachine

__all__ = ["evaluate_expansion", "OneVsOneMachine"]
