"""Groups of rows, each a binary problem or one of regression on several splits, as the core solves them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mercer._runtime import core
from mercer.rows import GramPlan, Rows
from mercer.solvers import NO_LIMIT
from mercer.solvers.status import STATUSES, Status
from mercer.typing import Floats, Integers

__all__ = [
    "BYTES_PER_VALUE",
    "FLOAT64",
    "PROBES",
    "SAFETY",
    "Asked",
    "Group",
    "Solved",
    "relative_error",
    "solve_groups",
]

#: Kernel values in float32, and half as many of rows that are active.
BYTES_PER_VALUE = 6

# Groups on which the error of float32 is measured.
_GROUPS = 4
#: Rows on which it is, and how many times the largest seen it may be elsewhere.
PROBES = 24
SAFETY = 4.0
#: The error of values in float64, as a share of √(Σ c²) max k(x, x): several times what was seen on all data at hand.
FLOAT64 = 64 * float(np.finfo(np.float64).eps)


class Group(NamedTuple):
    """A problem on several splits.

    Attributes
    ----------
    data : Rows
        Rows under a kernel.
    rows : ndarray of int
        Those of them that any split knows, or is asked about.
    linear, kink : ndarray of shape (rows,)
        The slope of each row, and the price of a coefficient's size; empty for none.
    lower, upper : ndarray of shape (splits, rows)
        Bounds whose scale is one; both are zero where a split does not know a row.
    begin : ndarray of shape (scales × splits × rows,)
        Coefficients that machines begin with; empty where the core is to find some itself.
    """

    data: Rows
    rows: Integers
    linear: Floats
    kink: Floats
    lower: Floats
    upper: Floats
    begin: Floats = np.empty(0)


class Asked(NamedTuple):
    """How well machines are to be solved, and within what time.

    `unit` is how far values lie apart, about; `exactly` goes on beyond `tol` up to the rounding of float64.
    """

    tol: float
    unit: float
    exactly: bool = False
    seconds: float = np.inf
    report: Any = None


class Solved(NamedTuple):
    """Machines of one group: the first axis is the scales of the bounds, the second the splits.

    Attributes
    ----------
    rows : ndarray of int
        Those of the group.
    coef, products : ndarray of shape (scales, splits, rows)
        Coefficients, and Σ_j coef_j k(x_j, x_i) at every row, known or not.
    violation, gap, offset : ndarray of shape (scales, splits)
        Of each machine, the gap with the best offset.
    best : ndarray of shape (scales, splits, 2)
        Between which offsets are the best.
    free_bounds : ndarray of shape (scales, splits)
        What an error of one in the values may change in the gap.
    statuses, copied, steps : list
        One after the other, the splits of a scale together.
    dtype : type
        Precision of the kernel values.
    """

    rows: Integers
    coef: Floats
    products: Floats
    violation: Floats
    gap: Floats
    best: Floats
    offset: Floats
    free_bounds: Floats
    statuses: list[Status]
    copied: list[bool]
    steps: list[int]
    dtype: type

    def rounding(self, relative: float, data: Rows) -> Floats:
        """How far rounding may have moved the values of each machine, given what it is for one of size one."""
        size = np.sqrt(np.einsum("ksi,ksi->ks", self.coef, self.coef))
        return np.asarray(relative * float(np.abs(data.diagonal).max()) * size)


def solve_groups(
    groups: Sequence[Group], scales: Sequence[float], asked: Asked, plan: GramPlan, room: Any, threads: int
) -> list[Solved]:
    """The machines of all groups, on kernel values that are computed once for each, in the first precision of the plan.

    They are solved for all scales of their bounds, which grow.
    """
    ascending, dtype = np.array(scales, dtype=np.float64), next(iter(plan.block_rows))
    grams: Any = [group.data.gram(group.rows, plan, dtype) for group in groups]
    problems = [
        [core.Cells(group.linear, group.kink, group.lower, group.upper, ascending, group.begin)] for group in groups
    ]
    options = core.SolverOptions(
        tol=asked.tol,
        gap_tol=0.0,
        screening=False,
        verify=asked.exactly,
        **plan.block_sizes(dtype),
        unit=asked.unit,
        least_margin=0.0,
        record=False,
        most_steps=NO_LIMIT,
        few_rows=0,
    )
    found = core.solve_cells(grams, problems, room, options, asked.seconds, NO_LIMIT, threads, asked.report)
    return [_solved(group, one, len(ascending), dtype) for group, (one,) in zip(groups, found, strict=True)]


def _solved(group: Group, found: core.CellSolutions, scales: int, dtype: type) -> Solved:
    shape = (scales, len(group.lower))
    table = found.optimality.reshape(*shape, -1)
    return Solved(
        rows=group.rows,
        coef=found.coef.reshape(*shape, -1),
        products=group.linear - found.values.reshape(*shape, -1),
        violation=table[..., 0],
        gap=table[..., 3],
        best=table[..., 4:6],
        offset=table[..., 6],
        free_bounds=table[..., 7],
        statuses=[STATUSES[status] for status in found.statuses],
        copied=found.copied,
        steps=found.steps,
        dtype=dtype,
    )


def relative_error(found: Sequence[Solved], data: Rows, exactly: bool) -> float:
    """How far off values are, as a share of √(Σ c²) max k(x, x): of float32 measured on some rows of some groups."""
    if found[0].dtype is np.float64 or exactly:
        return FLOAT64
    largest = float(np.abs(data.diagonal).max())
    seen = float(np.finfo(np.float32).eps)
    for one in found[:: max(1, len(found) // _GROUPS)]:
        probes = np.linspace(0, len(one.rows) - 1, min(PROBES, len(one.rows)), dtype=np.int64)
        coef = one.coef.reshape(-1, len(one.rows))
        used = np.flatnonzero(np.any(coef != 0, axis=0))
        if len(used) == 0 or largest == 0:
            continue
        exact = coef[:, used] @ data.values(one.rows[used], one.rows[probes])
        off = np.abs(exact - one.products.reshape(len(coef), -1)[:, probes]).max(axis=1)
        size = np.sqrt(np.einsum("mi,mi->m", coef, coef)) * largest
        seen = max(seen, float(np.divide(off, size, out=np.zeros_like(off), where=size > 0).max()))
    return SAFETY * seen
