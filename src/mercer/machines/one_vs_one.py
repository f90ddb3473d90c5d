"""A machine for two or more classes: one hyperplane for each pair of them, on shared support vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations
from typing import Any, ClassVar, Self

import numpy as np

from mercer.data import ClassTargets, Pair
from mercer.machines.decisive import decisive_values
from mercer.machines.kernel import KernelMachine
from mercer.machines.machine import check_labels, locked
from mercer.rows import Rows, Segment
from mercer.typing import Booleans, Floats, Integers, Labels

__all__ = ["OneVsOneMachine"]


@dataclass(frozen=True, eq=False)
class OneVsOneMachine(KernelMachine):
    """Support vectors grouped by class, and their coefficients in LIBSVM's layout.

    `dual_coef` has one row fewer than there are classes: a support vector of class c carries its coefficient against
    class o in row o − 1 where o > c, else in row o. With two classes a positive decision value means the second class,
    with more the first of the pair.
    """

    kind = "one-vs-one"
    _array_kinds: ClassVar[dict[str, str]] = {**KernelMachine._array_kinds, "classes": "biufUSO"}

    classes: Labels

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "classes", locked(self.classes))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        machine = super().from_arrays(arrays)
        check_labels(cls.kind, machine.classes)
        return machine

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        classes = len(self.classes)
        return {
            "n_support": (classes,),
            "dual_coef": (classes - 1, len(self.support)),
            "intercept": (classes * (classes - 1) // 2,),
            "classes": (classes,),
        }

    def _segments(self) -> list[Segment]:
        ends = list(accumulate(self.n_support.tolist(), initial=0))
        if len(self.classes) == 2:
            return [Segment(0, 0, ends[-1], self.dual_coef[0])]
        return [
            Segment(pair, ends[c], ends[c + 1], self.dual_coef[row, ends[c] : ends[c + 1]])
            for pair, (first, second) in enumerate(combinations(range(len(self.classes)), 2))
            for c, row in ((first, second - 1), (second, first))
        ]

    @classmethod
    def of_pairs(
        cls,
        data: Rows,
        targets: ClassTargets,
        pairs: Sequence[Pair],
        rows: Integers,
        coef: Floats,
        intercept: Floats,
    ) -> OneVsOneMachine:
        """One machine from the rows of all pairs, one pair after the other, their coefficients, and the intercepts."""
        classes = len(targets.classes)
        dual_coef = np.zeros((classes - 1, len(data)))
        if classes == 2:
            dual_coef[0, rows] = coef
            return cls._of_rows(data, targets, dual_coef, dual_coef[0].nonzero()[0], intercept)
        both = np.array([pair.positive + pair.negative for pair in pairs]).repeat([len(pair.rows) for pair in pairs])
        carried = coef.nonzero()[0]
        rows = rows[carried]
        own = targets.codes[rows]
        other = both[carried] - own
        dual_coef[other - (other > own), rows] = coef[carried]
        is_support = np.zeros(len(data), dtype=bool)
        is_support[rows] = True
        return cls._of_rows(data, targets, dual_coef, is_support.nonzero()[0], intercept)

    @classmethod
    def _of_rows(
        cls, data: Rows, targets: ClassTargets, dual_coef: Floats, support: Integers, intercept: Floats
    ) -> OneVsOneMachine:
        """The machine with these of the rows' coefficients, its support vectors sorted by class."""
        codes = targets.codes[support]
        support = support[codes.argsort(kind="stable")]
        return cls(
            kernel=data.kernel,
            classes=targets.classes,
            n_features=data.X.shape[1],
            support=support.astype(np.int32),
            support_vectors=data.vectors(support),
            n_support=np.bincount(codes, minlength=len(targets.classes)).astype(np.int32),
            dual_coef=dual_coef.take(support, axis=1),
            intercept=intercept.copy(),
        )

    def classify(self, X: Any, threads: int | None, dtype: type) -> Integers:
        """The class number of every row, by votes, for which signs are all that is needed."""
        return self.votes(decisive_values(self, X, threads, dtype, _signs_are_sure))

    def votes(self, decision: Floats) -> Integers:
        """The class number with the most votes; the lowest of several with as many."""
        if len(self.classes) == 2:
            return (decision[:, 0] >= 0).astype(np.int64)
        firsts, by_second, seconds = self._ballots
        wins = (decision.T > 0).astype(np.int32, order="C")
        votes = np.zeros((len(self.classes), len(decision)), dtype=np.int32)
        votes[:-1] = np.add.reduceat(wins, firsts)
        votes[1:] += np.add.reduceat(1 - wins[by_second], seconds)
        return np.asarray(votes.argmax(axis=0))

    @cached_property
    def _ballots(self) -> tuple[Integers, Integers, Integers]:
        """Where among the pairs each first class begins; the pairs in order of their second, and where each begins."""
        first, second = np.triu_indices(len(self.classes), 1)
        by_second = second.argsort(kind="stable")
        of_each = np.arange(len(self.classes) - 1)
        return first.searchsorted(of_each), by_second, second[by_second].searchsorted(of_each + 1)


def _signs_are_sure(values: Floats, error: Floats) -> Booleans:
    return np.asarray(np.all(np.abs(values) > error, axis=1))
