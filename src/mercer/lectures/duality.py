"""A constrained problem, its Lagrangian and its dual function.

min J(x) with h(x) = 0 and g(x) ≤ 0 has the Lagrangian L(x, λ, μ) = J(x) + Σ λ h(x) + Σ μ g(x), and the dual function
Q(λ, μ) = inf over x of L. For any μ ≥ 0 and any feasible x, Q(λ, μ) ≤ J(x).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.lectures.infimum import infimum
from mercer.lectures.kkt import solve_kkt
from mercer.lectures.optimum import KKTResiduals, Optimum
from mercer.lectures.smooth import Smooth, as_smooth, read_point
from mercer.typing import Floats

__all__ = ["ConstrainedProblem"]


@dataclass(frozen=True, init=False)
class ConstrainedProblem:
    """min J(x) with h(x) = 0 for every equality and g(x) ≤ 0 for every inequality; for a few variables.

    Parameters
    ----------
    objective : callable or (callable, callable)
        x → J(x), alone or with its gradient x → ∇J(x); without, the gradient is taken by differences.
    equalities, inequalities : iterable of the same, default=()
        The functions h and g.

    Examples
    --------
    The point of the unit disk that is next to (2, 0), and the price of the constraint:

    >>> from mercer.lectures import ConstrainedProblem
    >>> problem = ConstrainedProblem(
    ...     lambda x: (x[0] - 2) ** 2 + x[1] ** 2, inequalities=[lambda x: x[0] ** 2 + x[1] ** 2 - 1]
    ... )
    >>> optimum = problem.solve([0.5, 0.5])
    >>> print(optimum.x.round(6) + 0.0, optimum.mu.round(6))
    [1. 0.] [1.]
    """

    objective: Smooth
    equalities: tuple[Smooth, ...]
    inequalities: tuple[Smooth, ...]

    def __init__(self, objective: Any, equalities: Iterable[Any] = (), inequalities: Iterable[Any] = ()) -> None:
        for name, given in (("equalities", equalities), ("inequalities", inequalities)):
            if not isinstance(given, Iterable):
                raise ParameterError(f"{name}: expected a list of functions, got {given!r}.")
        object.__setattr__(self, "objective", as_smooth(objective, "objective"))
        h = tuple(as_smooth(one, f"equalities[{i}]") for i, one in enumerate(equalities))
        g = tuple(as_smooth(one, f"inequalities[{i}]") for i, one in enumerate(inequalities))
        object.__setattr__(self, "equalities", h)
        object.__setattr__(self, "inequalities", g)

    @classmethod
    def quadratic(
        cls, A: Any, d: Any, B: Any = None, e: Any = None, *, F: Any = None, f: Any = None
    ) -> ConstrainedProblem:
        """The quadratic program min ½ zᵀAz − dᵀz with Bz ≤ e, and where given with Fz = f.

        It is convex where A is positive semi-definite; that is not asked for.
        """
        d = read_point("d", d)
        A = _read_matrix("A", A, (len(d), len(d)))
        if not np.allclose(A, A.T):
            raise InputError("A: expected a symmetric matrix, got another. Take (A + A.T) / 2.")
        return cls(
            Smooth(lambda z: z @ A @ z / 2 - d @ z, lambda z: A @ z - d, lambda z: A, "objective"),
            equalities=_linear("F", F, "f", f, len(d)),
            inequalities=_linear("B", B, "e", e, len(d)),
        )

    def lagrangian(self, x: Any, lam: Any = (), mu: Any = ()) -> float:
        """L(x, λ, μ) = J(x) + Σ λ h(x) + Σ μ g(x)"""
        return self._lagrangian_of(*self._read_multipliers(lam, mu))(read_point("x", x))

    def dual(self, lam: Any = (), mu: Any = (), *, start: Any) -> float:
        """Q(λ, μ), the lowest value that L takes over all x, or −∞; a lower bound of J at all feasible points.

        The infimum is looked for from `start` and from points around it. Where L is convex in x it is exact to
        rounding; where not, L may have lower values that nobody met.
        """
        lam, mu = self._read_multipliers(lam, mu)
        if np.any(mu < 0):
            raise InputError(f"mu: expected multipliers ≥ 0, got {mu.min():g}. Only these give a lower bound.")
        return infimum(self._lagrangian_of(lam, mu), read_point("start", start))

    def residuals(self, x: Any, lam: Any = (), mu: Any = ()) -> KKTResiduals:
        """By how much a point with multipliers violates the conditions of Karush, Kuhn and Tucker."""
        x = read_point("x", x)
        lam, mu = self._read_multipliers(lam, mu)
        h = np.array([one(x) for one in self.equalities])
        g = np.array([one(x) for one in self.inequalities])
        return KKTResiduals(
            stationarity=float(np.abs(self._lagrangian_of(lam, mu).gradient(x)).max()),
            primal_feasibility=max(float(np.abs(h).max(initial=0.0)), float(g.max(initial=0.0))),
            dual_feasibility=abs(float(mu.min(initial=0.0))),
            complementarity=float(np.abs(mu * g).max(initial=0.0)),
        )

    def solve(self, start: Any) -> Optimum:
        """The optimum that is found from a start, which need not be feasible.

        Raises
        ------
        NoOptimumError
            Where no feasible point is found, the objective has no lower bound there, or the point found is no minimum.
        """
        start = read_point("start", start)
        point = solve_kkt(self.objective, self.equalities, self.inequalities, start)
        return Optimum(
            x=point.x,
            lam=point.lam,
            mu=point.mu,
            active=point.active,
            residuals=self.residuals(point.x, point.lam, point.mu),
            primal=self.objective(point.x),
            dual=self.dual(point.lam, point.mu, start=point.x),
        )

    def _lagrangian_of(self, lam: Floats, mu: Floats) -> Smooth:
        """x → L(x, λ, μ)"""
        priced = [*zip(lam, self.equalities, strict=True), *zip(mu, self.inequalities, strict=True)]
        terms = [(1.0, self.objective), *((price, term) for price, term in priced if price)]
        return Smooth(
            lambda x: sum(price * term(x) for price, term in terms),
            lambda x: np.sum([price * term.gradient(x) for price, term in terms], axis=0),
            lambda x: np.sum([price * term.hessian(x) for price, term in terms], axis=0),
            "Lagrangian",
        )

    def _read_multipliers(self, lam: Any, mu: Any) -> tuple[Floats, Floats]:
        read = []
        for name, given, functions in (("lam", lam, self.equalities), ("mu", mu, self.inequalities)):
            read.append(read_point(name, given, len(functions)) if functions or np.size(given) else np.empty(0))
        return read[0], read[1]


def _linear(matrix: str, B: Any, side: str, e: Any, size: int) -> list[Smooth]:
    """The functions Bz − e, row by row."""
    if B is None and e is None:
        return []
    if B is None or e is None:
        raise InputError(f"Expected both {matrix} and {side}, got one of them.")
    e = read_point(side, e)
    B = _read_matrix(matrix, B, (len(e), size))
    return [_linear_row(row, bound, f"row {i} of {matrix}") for i, (row, bound) in enumerate(zip(B, e, strict=True))]


def _linear_row(row: Floats, bound: float, name: str) -> Smooth:
    flat = np.zeros((len(row), len(row)))
    return Smooth(lambda z: row @ z - bound, lambda z: row, lambda z: flat, name)


def _read_matrix(name: str, given: Any, shape: tuple[int, int]) -> Floats:
    try:
        matrix = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected a matrix of numbers, got {type(given).__name__} ({error}).") from error
    if matrix.shape != shape or not np.all(np.isfinite(matrix)):
        raise InputError(f"{name}: expected finite numbers of shape {shape}, got shape {matrix.shape}.")
    return matrix
