"""A point that meets the conditions of Karush, Kuhn and Tucker, found roughly, then exactly, then verified.

Solves       min J(x) with h(x) = 0 and g(x) ≤ 0, all smooth
Given        the functions and a start
Returns      x, multipliers λ and μ ≥ 0, and which inequalities are active
Stops when   the conditions hold to about 1e-8, and J curves upwards along the active constraints
See          Nocedal and Wright, chapters 12 and 18

SciPy's SLSQP finds x to some digits. The multipliers are those that balance the gradients best, with μ ≥ 0, over the
inequalities that hold with equality. Newton's method on ∇L = 0, h = 0 and g = 0 for those with μ > 0 finds the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import least_squares, lsq_linear, minimize

from mercer.lectures.optimum import NoOptimumError
from mercer.lectures.smooth import Smooth
from mercer.typing import Booleans, Floats, Integers

__all__ = ["KKTPoint", "solve_kkt"]

# What the conditions may be violated by, in units of the largest gradient: the rounding of differences, several times.
_TOLERANCE = 1e-8
# SLSQP's x is right to about this; an inequality that is closer to equality is taken as active.
_ROUGHLY = 1e-5
_SLSQP_STEPS = 1000
# Newton doubles the digits, or is on its way to nowhere.
_NEWTON_STEPS = 20
# How often the set of active inequalities may be repaired.
_MOST_SETS = 30
# The share of a second derivative that is its rounding, by differences of differences.
_CURVATURE_ROUNDING = 1e-6
# An objective below this at a feasible point is taken to have no lower bound.
_LOW_ENOUGH = -1e15


class KKTPoint(NamedTuple):
    """A point with its multipliers."""

    x: Floats
    lam: Floats
    mu: Floats
    active: Booleans


class _Constraints(NamedTuple):
    """Several functions as one that gives a vector."""

    functions: Sequence[Smooth]

    def values(self, x: Floats) -> Floats:
        return np.array([function(x) for function in self.functions], dtype=np.float64)

    def gradients(self, x: Floats) -> Floats:
        """One row a function."""
        return np.array([function.gradient(x) for function in self.functions]).reshape(len(self.functions), len(x))


def solve_kkt(J: Smooth, equalities: Sequence[Smooth], inequalities: Sequence[Smooth], start: Floats) -> KKTPoint:
    """The verified optimum next to where SLSQP gets from the start."""
    h, g = _Constraints(equalities), _Constraints(inequalities)
    if not np.isfinite(J(start)):
        raise NoOptimumError(f"start: expected a point where the objective is finite, got {J(start)} there.")
    x = _roughly(J, h, g, start)
    point = _refined(J, h, g, x)
    _verify(J, h, g, point)
    return point


def _roughly(J: Smooth, h: _Constraints, g: _Constraints, start: Floats) -> Floats:
    """Some digits of an optimum, from the start or from a feasible point next to it."""
    end = _slsqp(J, h, g, start)
    if end is None:
        end = _slsqp(J, h, g, _feasible(h, g, start))
    if end is None:
        raise NoOptimumError(
            "The search for an optimum stalled at a point that is not feasible: expected a way on. Start elsewhere, or "
            "scale the variables to sizes of about one."
        )
    return end


def _slsqp(J: Smooth, h: _Constraints, g: _Constraints, start: Floats) -> Floats | None:
    """The end of SLSQP where that is feasible to some digits, else None."""
    constraints = [
        {"type": kind, "fun": values, "jac": gradients}
        for kind, one, values, gradients in (
            ("eq", h, h.values, h.gradients),
            ("ineq", g, lambda x: -g.values(x), lambda x: -g.gradients(x)),
        )
        if one.functions
    ]
    with np.errstate(all="ignore"):
        end = minimize(
            J,
            start,
            jac=J.gradient,
            constraints=constraints,
            method="SLSQP",
            options={"maxiter": _SLSQP_STEPS, "ftol": 1e-14},
        )
        value, violation = J(end.x), _violation(h, g, end.x)
    is_somewhere = bool(np.all(np.isfinite(end.x)))
    if (h.functions or g.functions) and (not is_somewhere or not violation <= _ROUGHLY * _size(end.x)):
        return None
    if not is_somewhere or not np.isfinite(value) or value < _LOW_ENOUGH:
        raise NoOptimumError(
            f"The objective falls without end: the search ended at a value of {value:g}. Expected a lower bound; add "
            "constraints, or check the sign of the objective."
        )
    return np.asarray(end.x, dtype=np.float64)


def _feasible(h: _Constraints, g: _Constraints, start: Floats) -> Floats:
    """A feasible point, looked for from the start and from around it: it may be where constraints have no slope."""
    least, nearest = np.inf, start
    for begin in [start, *(start + _size(start) * np.eye(len(start)))]:
        with np.errstate(all="ignore"):
            end = least_squares(
                lambda x: np.concatenate([h.values(x), np.maximum(g.values(x), 0.0)]),
                begin,
                jac=lambda x: np.concatenate([h.gradients(x), g.gradients(x) * (g.values(x) > 0)[:, None]]),
                xtol=None,
                ftol=1e-15,
                gtol=1e-15,
            )
        x: Floats = np.asarray(end.x, dtype=np.float64)
        violation = _violation(h, g, x)
        if violation <= _ROUGHLY * _size(x):
            return x
        if violation < least:
            least, nearest = violation, x
    raise NoOptimumError(
        f"No feasible point was found: the least violation of the constraints, at x = {nearest.tolist()}, is "
        f"{least:.3g}. Expected constraints that can hold together, or a start from which they can be met."
    )


def _violation(h: _Constraints, g: _Constraints, x: Floats) -> float:
    return max(float(np.abs(h.values(x)).max(initial=0.0)), float(g.values(x).max(initial=0.0)))


def _multipliers(J: Smooth, h: _Constraints, g: _Constraints, x: Floats, near: Integers) -> tuple[Floats, Floats]:
    """λ, and μ ≥ 0 of the inequalities near equality, that bring ∇J + Σ λ ∇h + Σ μ ∇g closest to zero."""
    gradients = np.concatenate([h.gradients(x), g.gradients(x)[near]])
    mu = np.zeros(len(g.functions))
    if len(gradients) == 0:
        return np.empty(0), mu
    count = len(h.functions)
    least = np.concatenate([np.full(count, -np.inf), np.zeros(len(near))])
    prices = lsq_linear(gradients.T, -J.gradient(x), bounds=(least, np.inf), method="bvls", tol=1e-14).x
    mu[near] = np.maximum(prices[count:], 0.0)
    return prices[:count], mu


def _refined(J: Smooth, h: _Constraints, g: _Constraints, x: Floats) -> KKTPoint:
    """The same point to all digits: Newton on a set of active inequalities, repaired until it is the right one."""
    size = _size(x)
    lam, mu = _multipliers(J, h, g, x, np.flatnonzero(g.values(x) >= -_ROUGHLY * size))
    scale = _scale(J, x)
    chosen = mu > _TOLERANCE * scale
    for _ in range(_MOST_SETS):
        x, lam, mu = _newton(J, h, g, x, lam, mu, chosen)
        negative = mu < -_TOLERANCE * scale
        violated = (g.values(x) > _TOLERANCE * size) & ~chosen
        if not negative.any() and not violated.any():
            break
        # One at a time, the worst first: to drop several at once may go round in circles.
        if violated.any():
            chosen[np.argmax(np.where(violated, g.values(x), -np.inf))] = True
        else:
            chosen[np.argmin(mu)] = False
            mu = np.where(chosen, mu, 0.0)
    active = np.abs(g.values(x)) <= _ROUGHLY * size
    return KKTPoint(x, lam, np.maximum(mu, 0.0), active)


def _newton(
    J: Smooth, h: _Constraints, g: _Constraints, x: Floats, lam: Floats, mu: Floats, chosen: Booleans
) -> tuple[Floats, Floats, Floats]:
    """Newton's method on ∇L = 0 with the equalities and the chosen inequalities as equalities."""
    fixed = _Constraints([*h.functions, *np.array(g.functions, dtype=object)[chosen]])
    prices = np.concatenate([lam, mu[chosen]])
    best = (np.inf, x, prices)
    for _ in range(_NEWTON_STEPS):
        rows, values = fixed.gradients(x), fixed.values(x)
        slope = J.gradient(x) + rows.T @ prices
        error = float(np.abs(np.concatenate([slope, values])).max())
        if not error < best[0]:
            break
        best = (error, x, prices)
        curvature = J.hessian(x) + sum(
            (price * one.hessian(x) for price, one in zip(prices, fixed.functions, strict=True)),
            np.zeros((len(x),) * 2),
        )
        system = np.block([[curvature, rows.T], [rows, np.zeros((len(rows),) * 2)]])
        # Of least norm, where constraints depend on each other or the objective is flat.
        step = np.linalg.lstsq(system, -np.concatenate([slope, values]), rcond=1e-12)[0]
        x, prices = x + step[: len(x)], prices + step[len(x) :]
    _, x, prices = best
    mu = np.zeros(len(g.functions))
    mu[chosen] = prices[len(lam) :]
    return x, prices[: len(lam)], mu


def _size(x: Floats) -> float:
    """What distances are measured in."""
    return max(1.0, float(np.abs(x).max()))


def _scale(J: Smooth, x: Floats) -> float:
    """What residuals are measured in."""
    return max(1.0, float(np.abs(J.gradient(x)).max()))


def _verify(J: Smooth, h: _Constraints, g: _Constraints, point: KKTPoint) -> None:
    """Raises unless the conditions hold, and the curvature along the active constraints is not negative."""
    x, lam, mu, _ = point
    size, scale = _size(x), _scale(J, x)
    slope = J.gradient(x) + h.gradients(x).T @ lam + g.gradients(x).T @ mu
    stationarity, violation = float(np.abs(slope).max()), _violation(h, g, x)
    slack = float(np.abs(mu * g.values(x)).max(initial=0.0))
    if max(stationarity / scale, violation / size, slack / (scale * size)) > _TOLERANCE:
        raise NoOptimumError(
            f"The search stalled at x = {x.tolist()}: expected optimality conditions within {_TOLERANCE:g}, got a "
            f"slope of {stationarity:.2g}, violations of {violation:.2g} and a complementarity of {slack:.2g}. The "
            "gradients of the constraints may vanish there, or the functions have kinks. Start elsewhere."
        )
    terms = [(1.0, J), *zip(lam, h.functions, strict=True), *zip(mu, g.functions, strict=True)]
    curvature = np.sum([price * term.hessian(x) for price, term in terms if price], axis=0)
    fixed = np.concatenate([h.gradients(x), g.gradients(x)[mu > _TOLERANCE * scale]])
    along = null_space(fixed) if len(fixed) else np.eye(len(x))
    if (
        along.size
        and np.linalg.eigvalsh(along.T @ curvature @ along)[0] < -_CURVATURE_ROUNDING * np.abs(curvature).max()
    ):
        raise NoOptimumError(
            f"x = {x.tolist()} meets the first-order conditions, but it is no minimum: the objective falls to both "
            "sides along the constraints. Start elsewhere."
        )
