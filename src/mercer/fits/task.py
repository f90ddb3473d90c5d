"""What is to be solved, on which rows, and how well: what a fit needs to know, and what a certificate judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mercer.data import Pair, is_sparse
from mercer.problems import CrammerSingerProblem, DualProblem, LinearProblem
from mercer.rows import LinearRows, Rows, Subset
from mercer.solvers import Terms
from mercer.typing import Integers

__all__ = ["LinearProblems", "LinearTask", "Task"]

# A fit keeps what its certificate is worked out from where that is no more numbers than these 2 MB: a copy of the data,
# and for each row of each group its number, slope, bounds, coefficient and product.
_FEW_NUMBERS = 250_000

LinearProblems = Sequence[LinearProblem | CrammerSingerProblem]


class Task(NamedTuple):
    """A dual problem on training rows.

    Attributes
    ----------
    problem : DualProblem
        One or several independent groups.
    rows : Rows
        The training rows under the kernel.
    members : sequence of ndarray
        Which rows each group has.
    pairs : sequence of Pair
        Of classes, what each group is; else empty.
    tol, gap_tol : float
        The violation that is allowed, and the relative gap where one is asked for.
    polish : bool
        Whether coefficients are to be exact up to rounding.
    folds : ndarray, optional
        The number of each training row's fold, from zero, where rows are to be valued by machines that do not know
        them; −1 of rows that are never held out. Every group has rows of each sign outside each fold.
    held_out : sequence of int
        How many of the last rows of each group a machine of the others is to be asked about; empty for none.
    """

    problem: DualProblem
    rows: Rows
    members: Sequence[Integers]
    pairs: Sequence[Pair] = ()
    tol: float = 1e-3
    gap_tol: float | None = None
    polish: bool = False
    folds: Integers | None = None
    held_out: Sequence[int] = ()

    @property
    def subsets(self) -> list[Subset]:
        """The rows of each group."""
        return [self.rows.subset(members) for members in self.members]

    def terms(self, limits: Terms) -> Terms:
        """What a solver is held to within these limits."""
        return limits._replace(tol=self.tol, gap_tol=self.gap_tol)

    def posing(self, problem: DualProblem, members: Sequence[Integers] | None = None) -> Task:
        """The same with another problem, on other rows where these are given."""
        return self._replace(problem=problem, members=self.members if members is None else members)

    @property
    def keeps_evidence(self) -> bool:
        """Whether the certificate can wait until somebody asks: a small fit takes less time than it does."""
        size = self.rows.X.size + 6 * self.problem.groups.rows
        return self.rows.is_computed and not is_sparse(self.rows.X) and size <= _FEW_NUMBERS

    def on_a_copy(self) -> Task:
        """The same, whatever becomes of the user's arrays."""
        return self._replace(rows=self.rows.copied(self.rows.deadline))


class LinearTask(NamedTuple):
    """Linear problems of one kind on the same rows; `tol` is the relative gap that is allowed."""

    problems: LinearProblems
    rows: LinearRows
    tol: float = 1e-4
