"""The certificate as a value, and the paragraph a person reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Certificate", "FEASIBLE"]

# Sums over thousands of multipliers are off by this much, relative to their size, from rounding alone.
FEASIBLE = 1e-9
_EXCUSED = 1e-2
# A machine that is not solved is usable nevertheless where its objective is this near to the best one.
_USABLE_GAP = 0.01
# Differences of values that are below so many times their rounding are none.
_ROUNDINGS = 2

_KINDS = ("non-support", "free", "bounded")


@dataclass(frozen=True)
class Certificate:
    """A bound on the distance from the optimum, recomputed from the machine alone.

    `certify` computes all of it in float64. After a fit on more than some thousand rows, values of rows that cannot
    decide the violation or a residual are in float32: they enter the objectives only.

    Attributes
    ----------
    problem : str
        What was minimised.
    rows : int
        Training rows with a positive weight.
    primal, dual, gap, relative_gap : float
        Objective of the machine, a lower bound of what any machine can reach, their difference, and that difference
        divided by the larger magnitude of the two; 1 where that is more, or no number.
    violation : float
        m(α) − M(α), LIBSVM's measure of optimality and what `tol` means: by how much the limits that the rows set to
        the intercept cross; negative where they leave room for several. Of linear machines, whose `tol` is the
        relative gap, how far the worst row is from its condition.
    kkt_residuals : dict
        The worst residual of each optimality condition: "non-support", "free", "bounded"; where weights are priced by
        their absolute values also that of the "weights", as a share of the price.
    feasibility_residuals : dict
        How far the multipliers leave the box ("box") and the sum condition ("sum").
    counts : dict
        Rows that are "non-support", "free" and "bounded" support vectors, and rows by where they lie: in classification
        "outside", "inside the margin" and "misclassified", in regression "inside the tube" and "outside the tube", of
        one class "inliers" and "outliers".
    intercept_interval : (float, float)
        From the least to the largest intercept that the optimality conditions allow; off the optimum they allow none,
        and their limits are told in order. Of several problems that of the worst; of all classes at once the least and
        the largest intercept.
    margin : float or None
        The distance from the hyperplane to the margin, 1 / ‖w‖ or ρ / ‖w‖; of one class that to the origin. None in
        regression.
    convex : bool or None
        Whether the kernel makes the problem convex; None where nobody knows. Without it a gap proves nothing.
    accuracy : float
        How far rounding can have moved the violation and the residuals.
    scale : float
        Of problems whose values have no unit of their own (ν and one class), the largest value, where float64 is too
        coarse for values of this size and they were summed in twice its precision; else zero.
    is_proven : bool
        False where the dual variables of a linear machine had to be found anew and are not near their own optimum: then
        the gap is a bound that says nothing of the machine.
    parts : tuple of Certificate
        The binary problems behind a machine for several classes; empty for one.
    """

    problem: str
    rows: int
    primal: float
    dual: float
    violation: float
    kkt_residuals: dict[str, float]
    feasibility_residuals: dict[str, float]
    counts: dict[str, int]
    intercept_interval: tuple[float, float]
    margin: float | None
    convex: bool | None
    accuracy: float
    scale: float = 0.0
    is_proven: bool = True
    parts: tuple[Certificate, ...] = field(default=(), repr=False)

    @property
    def gap(self) -> float:
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        if not math.isfinite(self.gap):
            return 1.0
        scale = max(abs(self.primal), abs(self.dual))
        return min(self.gap / scale, 1.0) if scale > 0 else 0.0

    @property
    def verdict(self) -> str:
        """What a machine that is not solved is worth."""
        is_near = abs(self.relative_gap) <= _USABLE_GAP and math.isfinite(self.violation)
        return "is usable" if is_near else "may be far from the optimum and should not be relied on"

    def holds(self, tol: float, gap_tol: float | None = None) -> bool:
        """Whether the violation and every residual are within `tol`, the multipliers are feasible, and the relative gap
        is within `gap_tol` where one is asked for.

        Rounding may excuse a hundredth of `tol`; where it could hide as much as `tol`, nothing is proved. Where values
        have a `scale`, `tol` relative to that is enough, if float64 tells values no finer.
        """
        if self.parts:
            close = gap_tol is None or self.relative_gap <= gap_tol
            return close and all(part.holds(tol) for part in self.parts)
        tol = max(tol, min(tol * self.scale, _ROUNDINGS * self.accuracy))
        feasible = max(self.feasibility_residuals.values()) <= FEASIBLE
        close = gap_tol is None or self.relative_gap <= gap_tol
        worst = max(self.violation, *self.kkt_residuals.values())
        return (
            math.isfinite(self.gap)
            and feasible
            and close
            and self.accuracy <= tol
            and worst <= tol + min(self.accuracy, _EXCUSED * tol)
        )

    @classmethod
    def of_several(cls, parts: Sequence[Certificate]) -> Certificate:
        """One certificate for independent problems: objectives and counts add up, residuals are the worst."""
        if len(parts) == 1:
            return parts[0]

        def worst(dicts: Sequence[dict[str, float]]) -> dict[str, float]:
            return {key: max(entry[key] for entry in dicts) for key in dicts[0]}

        convexities = [part.convex for part in parts]
        return cls(
            problem=parts[0].problem,
            rows=sum(part.rows for part in parts),
            primal=math.fsum(part.primal for part in parts),
            dual=math.fsum(part.dual for part in parts),
            violation=max(part.violation for part in parts),
            kkt_residuals=worst([part.kkt_residuals for part in parts]),
            feasibility_residuals=worst([part.feasibility_residuals for part in parts]),
            counts={key: sum(part.counts[key] for part in parts) for key in parts[0].counts},
            intercept_interval=max(parts, key=lambda part: part.violation).intercept_interval,
            margin=min((part.margin for part in parts if part.margin is not None), default=None),
            convex=False if False in convexities else None if None in convexities else True,
            accuracy=max(part.accuracy for part in parts),
            scale=min(part.scale for part in parts),
            is_proven=all(part.is_proven for part in parts),
            parts=tuple(parts),
        )

    def __str__(self) -> str:
        in_all = " in all" if self.parts else ""
        several = f" of {len(self.parts)} binary problems" if self.parts else ""
        about = f"{self.problem}{several} on {self.rows} rows{in_all}"
        if self.convex is False:
            optimum = (
                f"The kernel is not positive semi-definite, so this is a stationary point only: "
                f"the objective is {self.primal:.6g} and no bound on the best one is known."
            )
        else:
            given = "" if self.convex else "If the kernel is positive semi-definite, "
            distance = f"at most {max(self.gap, 0.0):.2g} ({100 * max(self.relative_gap, 0.0):.2g} %)"
            optimum = (
                f"{given}{'n' if given else 'N'}o machine has an objective below {self.dual:.8g}; this one has "
                f"{self.primal:.8g}, so it is {distance} from the optimum."
                if math.isfinite(self.gap)
                else "How far it is from the optimum is not known: the objectives are beyond what float64 holds."
            )
            if not self.is_proven:
                optimum += " It may be far nearer: that is not proven, for no better dual variables were found."
        infeasible = max(self.feasibility_residuals.values())
        if infeasible > FEASIBLE:
            optimum += (
                f" The coefficients leave the constraints of this problem by {infeasible:.2g}: were these the data and "
                "weights it was trained on?"
            )
        count = self.counts
        places = ", ".join(f"{number} are {place}" for place, number in count.items() if place not in _KINDS)
        return (
            f"{about}. {optimum} The optimality conditions are violated by {max(self.violation, 0.0):.2g} at most. "
            f"{count['free'] + count['bounded']} support vectors{in_all}: {count['free']} free, {count['bounded']} at "
            f"their bound. Of the rows, {places}. Recomputed from the data, rounding below {self.accuracy:.1g}."
        )
