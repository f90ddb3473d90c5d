"""How the system of ridge regression is solved within a budget of memory, and why."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from mercer.rows import Budget
from mercer.solvers.systems.system import System

__all__ = ["SystemMethod", "SystemPlan", "plan_system"]

# Up to so many rows a factor in float64 takes no longer than one in float32 with what it has to be refined.
_FEW_ROWS = 1000
# float32 leaves about this times the machine precision of a residual: beyond, float64 is quicker.
_WORST_CONDITION = 3e5
# Rows of the preconditioner: at least, at most, as a share of the budget, and one in so many of all rows.
_LEAST_RANK = 64
_MOST_RANK = 4000
_SHARE_OF_BUDGET = 0.5
_ROWS_PER_RANK = 8


class SystemMethod(Enum):
    """How a system is solved."""

    FACTOR32 = "a Cholesky factor in float32, refined in float64"
    FACTOR64 = "a Cholesky factor in float64"
    ITERATIVE = "conjugate gradients, without a stored matrix, with a Nyström preconditioner"


class SystemPlan(NamedTuple):
    """A method, the rank of its preconditioner where it has one, what it may keep, and why."""

    method: SystemMethod
    rank: int
    may_factor64: bool
    reason: str

    def __str__(self) -> str:
        rank = f" of rank {self.rank}" if self.method is SystemMethod.ITERATIVE else ""
        return f"The system is solved by {self.method.value}{rank}: {self.reason}."


def plan_system(system: System, budget: Budget, asked: str = "auto") -> SystemPlan:
    """The method for a system; `asked` is "auto", "cholesky" or "cg"."""
    n = len(system)
    rank = int(min(_MOST_RANK, n // _ROWS_PER_RANK, _SHARE_OF_BUDGET * budget.bytes / (4 * n)))
    rank = min(n, max(_LEAST_RANK, rank))
    single, double, room = 4 * n * n, 8 * n * n, f"{budget.bytes / 1e6:.0f} MB"
    may_factor64 = asked == "cholesky" or double <= budget.bytes
    if asked == "cg":
        return SystemPlan(SystemMethod.ITERATIVE, rank, False, "as asked")
    if asked == "auto" and single > budget.bytes:
        reason = f"the matrix of {n} rows would take {single / 1e6:.0f} MB of {room}"
        return SystemPlan(SystemMethod.ITERATIVE, rank, False, reason)
    if n <= _FEW_ROWS:
        return SystemPlan(SystemMethod.FACTOR64, rank, True, f"{n} rows are few")
    condition = system.condition()
    if condition > _WORST_CONDITION:
        told = f"the condition number, up to {condition:.1g}, is too large for float32"
        if may_factor64:
            return SystemPlan(SystemMethod.FACTOR64, rank, True, told)
        return SystemPlan(SystemMethod.ITERATIVE, rank, False, f"{told}, and float64 would take more than {room}")
    return SystemPlan(SystemMethod.FACTOR32, rank, may_factor64, f"{single / 1e6:.0f} MB of {room}")
