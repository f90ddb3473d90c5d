"""Several classes as binary problems, and the binary answers back as votes."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from mercer.data.targets import ClassTargets, read_class_targets
from mercer.typing import Floats, Integers

__all__ = ["BinaryTargets", "Pair", "one_vs_one", "one_vs_rest", "read_binary_targets"]


class Pair(NamedTuple):
    """One binary problem: which rows take part, and on which side. The negative side may be the rest, −1."""

    positive: int
    negative: int
    rows: Integers
    signs: Floats


class BinaryTargets(NamedTuple):
    """Targets of several classes, and the binary problems that they are split into."""

    targets: ClassTargets
    pairs: list[Pair]


def read_binary_targets(y: Any, class_weight: Any, sample_weight: Any, against_rest: bool) -> BinaryTargets:
    """Labels and weights as binary problems: every pair of classes, or each class against the rest."""
    targets = read_class_targets(y, class_weight, sample_weight)
    # Two classes are one pair either way.
    split = one_vs_rest if against_rest and len(targets.classes) > 2 else one_vs_one
    return BinaryTargets(targets, split(targets))


def one_vs_one(targets: ClassTargets) -> list[Pair]:
    """Every pair of classes, in the order (0, 1), (0, 2), …, (1, 2), …; rows that weigh nothing are left out.

    The positive side is scikit-learn's: with two classes the second, with more the first of each pair.
    """
    count = len(targets.classes)
    if count == 2 and not targets.is_weighted:
        return [Pair(1, 0, np.arange(len(targets.codes)), np.where(targets.codes == 1, 1.0, -1.0))]
    members = [targets.codes == number for number in range(count)]
    if targets.is_weighted:
        members = [member & (targets.weights > 0) for member in members]
    pairs = []
    for first, second in combinations(range(count), 2):
        rows = (members[first] | members[second]).nonzero()[0]
        positive, negative = (second, first) if count == 2 else (first, second)
        signs = np.where(members[positive][rows], 1.0, -1.0)
        pairs.append(Pair(positive, negative, rows, signs))
    return pairs


def one_vs_rest(targets: ClassTargets) -> list[Pair]:
    """Every class against all others, in order; rows that weigh nothing are left out."""
    rows = np.flatnonzero(targets.weights > 0)
    codes = targets.codes[rows]
    return [Pair(number, -1, rows, np.where(codes == number, 1.0, -1.0)) for number in range(len(targets.classes))]
