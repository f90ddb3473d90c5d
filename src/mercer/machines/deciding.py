"""From the values of a machine's functions to classes: which one a row is given, and one value for each.

Two classes have one function; several have one for each pair, which vote, or one for each class.
"""

from __future__ import annotations

import numpy as np

from mercer.errors import InputError
from mercer.machines.linear import LinearMachine
from mercer.machines.machine import Machine
from mercer.machines.one_vs_one import OneVsOneMachine
from mercer.machines.one_vs_rest import OneVsRestMachine
from mercer.typing import Floats, Integers

__all__ = ["class_count", "class_values", "decided_codes", "largest", "pair_class_values"]


def class_count(machine: Machine) -> int:
    """How many classes a machine tells apart: of weights by their functions, where one function means two classes."""
    if isinstance(machine, (OneVsOneMachine, OneVsRestMachine)):
        return len(machine.classes)
    if isinstance(machine, LinearMachine):
        return max(2, len(machine.weights))
    raise InputError(f"Expected a machine that tells classes apart, got one of the kind {machine.kind!r}.")


def decided_codes(machine: Machine, values: Floats) -> Integers:
    """The class number of every row, from values of shape (rows, functions), as the estimators decide it."""
    if isinstance(machine, OneVsOneMachine):
        return machine.votes(values)
    return np.asarray(values.argmax(axis=1)) if isinstance(machine, OneVsRestMachine) else largest(values)


def largest(values: Floats) -> Integers:
    """The class number of every row by weights: of two classes the second where its one function is above zero."""
    return np.asarray(values[:, 0] > 0).astype(np.int64) if values.shape[1] == 1 else np.asarray(values.argmax(axis=1))


def class_values(machine: Machine, values: Floats) -> Floats:
    """One value a class, larger for a likelier one, from values of shape (rows, functions)."""
    if values.shape[1] == 1:
        return np.concatenate([-values, values], axis=1)
    return pair_class_values(values, class_count(machine)) if isinstance(machine, OneVsOneMachine) else values


def pair_class_values(values: Floats, classes: int) -> Floats:
    """Votes of the pairs for each class, with their values as tie breakers: scikit-learn's shape "ovr".

    The sum s of the values for a class is added as s / (3 (|s| + 1)), which is less than a third of a vote.

    Parameters
    ----------
    values : ndarray of shape (rows, pairs)
        Positive for the first class of the pair; pairs in the order (0, 1), (0, 2), …, (1, 2), …
    classes : int
        How many there are, at least three.
    """
    votes, sums = np.zeros((2, classes, len(values)))
    for pair, (first, second) in enumerate(zip(*np.triu_indices(classes, 1), strict=True)):
        own = values[:, pair]
        sums[first] += own
        sums[second] -= own
        # A value that is neither above nor below zero is a vote for the first.
        lost = own < 0
        votes[first] += ~lost
        votes[second] += lost
    return np.ascontiguousarray((votes + sums / (3 * (np.abs(sums) + 1))).T)
