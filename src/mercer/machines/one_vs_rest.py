"""A machine for several classes: one hyperplane for each of them against all others, on shared support vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mercer.data import ClassTargets
from mercer.machines.decisive import decisive_values
from mercer.machines.kernel import KernelMachine
from mercer.machines.machine import check_labels, locked
from mercer.rows import Rows, Segment
from mercer.typing import Booleans, Floats, Integers, Labels

__all__ = ["OneVsRestMachine"]


@dataclass(frozen=True, eq=False)
class OneVsRestMachine(KernelMachine):
    """Support vectors grouped by class; `dual_coef` has one row a class, in which its own vectors are positive."""

    kind = "one-vs-rest"
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

    @classmethod
    def of_classes(
        cls,
        data: Rows,
        targets: ClassTargets,
        rows: Sequence[Integers],
        coefs: Sequence[Floats],
        intercept: Floats,
    ) -> OneVsRestMachine:
        """One machine from the rows and coefficients of each class against the rest, and the intercepts."""
        dual_coef = np.zeros((len(targets.classes), len(data)))
        for row, chosen, coef in zip(dual_coef, rows, coefs, strict=True):
            row[chosen] = coef
        support = np.flatnonzero(dual_coef.any(axis=0))
        codes = targets.codes[support]
        support = support[codes.argsort(kind="stable")]
        return cls(
            kernel=data.kernel,
            n_features=data.X.shape[1],
            support=support.astype(np.int32),
            support_vectors=data.vectors(support),
            n_support=np.bincount(codes, minlength=len(targets.classes)).astype(np.int32),
            dual_coef=dual_coef.take(support, axis=1),
            intercept=intercept.copy(),
            classes=targets.classes,
        )

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        count = len(self.classes)
        shapes = {"n_support": (count,), "dual_coef": (count, len(self.support)), "intercept": (count,)}
        return {**shapes, "classes": (count,)}

    def _segments(self) -> list[Segment]:
        return [Segment(k, 0, len(self.support), coef) for k, coef in enumerate(self.dual_coef)]

    def classify(self, X: Any, threads: int | None, dtype: type) -> Integers:
        """The class number of every row: that of the largest value, the lowest of several as large."""
        return np.asarray(decisive_values(self, X, threads, dtype, _leads_are_sure).argmax(axis=1))


def _leads_are_sure(values: Floats, error: Floats) -> Booleans:
    """Whether the largest value at its least is above every other at its most."""
    best = values.argmax(axis=1)[:, None]
    most = values + error
    np.put_along_axis(most, best, -np.inf, axis=1)
    least = np.take_along_axis(values - error, best, axis=1)
    return np.asarray(np.all(least > most, axis=1))
