"""What is wrong with Mercer's answer, by judges that share none of its solvers: scikit-learn and Clarabel.

A peer's machine has an objective that no true lower bound exceeds, and a certificate whose bound no machine undercuts.
So each of the two intervals between a dual and a primal value must meet the other.
"""

from __future__ import annotations

import warnings
from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp
import sklearn.svm

import mercer
from mercer import Certificate, Status, certify
from mercer.certificates import evidence_of, more_precise
from mercer.problems import NuRegression
from mercer.rows import TwofoldGram, rows_of
from tests.fuzz.cases import Case

# What certificates may differ by when they are worked out again, and objectives by rounding.
SLACK = 1.02
ROUNDING = 1e-8
PEER_STEPS = 50_000
PEER_PASSES = 1_000
PEER_TOL = 1e-8
# An interior-point solver in float64 gets no further than this relative to its own numbers, and is slow beyond.
MOST_ROWS = 150


def disagreement(case: Case, model: Any) -> str | None:
    """What is wrong with a fitted model; None where nothing is, or where nobody can tell."""
    if not np.all(np.isfinite(model.predict(case.X))):
        return "predictions are not finite"
    if model.status_ is not Status.SOLVED:
        return None
    own = model.certificate_
    again = certify(model, case.X, case.y, sample_weight=case.weights)
    is_linear = case.kind.startswith("Linear")
    tol = np.inf if is_linear else SLACK * model.tol
    if not again.holds(tol) or (is_linear and own.relative_gap > SLACK * model.tol):
        return f"called solved, but the violation is {again.violation:.3g} and the relative gap {own.relative_gap:.3g}"
    if case.parameters.get("kernel") == "sigmoid":
        return None
    for name, peer in _peers(case, model):
        if not np.isfinite(peer.gap):
            continue
        size = max(1.0, abs(own.primal), abs(peer.dual))
        # Values that are off by the accuracy of both move the squared norm by that for each unit of the coefficients.
        rounding = 0.0 if is_linear else float(abs(model.dual_coef_).sum()) * (own.accuracy + peer.accuracy)
        if max(own.dual - peer.primal, peer.dual - own.primal) > ROUNDING * size + rounding:
            return (
                f"objectives between {own.dual:.10g} and {own.primal:.10g}, of {name} between {peer.dual:.10g} and "
                f"{peer.primal:.10g}"
            )
    return None


def _peers(case: Case, model: Any) -> list[tuple[str, Certificate]]:
    found = []
    theirs = _by_scikit_learn(case)
    if theirs is not None:
        with np.errstate(all="ignore"):
            found.append(("scikit-learn", certify(theirs, case.X, case.y, sample_weight=case.weights)))
    if not case.kind.startswith("Linear") and case.X.shape[0] <= MOST_ROWS:
        found += [("Clarabel", one) for one in [_by_clarabel(case, model)] if one is not None]
    return found


def _by_scikit_learn(case: Case) -> Any:
    own = {"regularize_intercept", "n_jobs"}
    parameters = {name: value for name, value in case.parameters.items() if name not in own} | {"tol": PEER_TOL}
    if case.parameters.get("kernel") == "laplacian" or case.parameters.get("regularize_intercept") is False:
        return None
    if case.kind == "OneClassSVM" and case.parameters["nu"] > 0.99 and case.weights is not None:
        return None  # its start writes behind the end of its array where the weights' sum is rounded down
    if case.kind.startswith("Linear"):
        parameters |= {"max_iter": PEER_PASSES}
        if parameters.get("penalty") == "l1":
            parameters |= {"dual": False}
        elif parameters.get("loss") in ("hinge", "epsilon_insensitive"):
            parameters |= {"dual": True}
    else:
        parameters |= {"max_iter": PEER_STEPS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return getattr(sklearn.svm, case.kind)(**parameters).fit(case.X, case.y, sample_weight=case.weights)
        except ValueError:
            return None  # a division by a ρ of nothing, an infeasible ν


def _by_clarabel(case: Case, model: Any) -> Certificate | None:
    """The certificate of Clarabel's solution of the first binary problem, where the model has one only."""
    poser = type(model)(**{**model.get_params(deep=False), "random_state": None})
    if sp.issparse(case.X):
        return None
    rows = rows_of(model._machine.kernel, np.ascontiguousarray(case.X))
    task = poser._task(rows, poser._read_targets(case.y, case.weights, case.X.shape[0]))
    problem, members = task.problem, task.members
    if len(members) > 1 or isinstance(problem, NuRegression):
        return None
    coef = _box_qp(problem, TwofoldGram.of(rows.subset(members[0])).centred)
    if coef is None:
        return None
    coef = problem.feasible(coef)
    return more_precise(evidence_of(problem, rows, members, coef, None, 1), None).certificate


def _box_qp(problem: Any, K: np.ndarray) -> np.ndarray | None:
    """max slopeᵀc − ½cᵀKc − kinkᵀ|c| in the box with the sums of the problem, by x₊ − x₋."""
    above, below = np.flatnonzero(problem.upper > 0), np.flatnonzero(problem.lower < 0)
    row = np.concatenate([above, below])
    sign = np.concatenate([np.ones(len(above)), -np.ones(len(below))])
    upper = np.where(sign > 0, problem.upper[row], -problem.lower[row])
    size = float(np.median(upper))  # Clarabel likes numbers of order one
    kink = 0.0 if problem.kink is None else problem.kink[row]
    Q = np.outer(sign, sign) * K[np.ix_(row, row)] * size
    g = kink - sign * problem.slope[row]
    sums, wanted = [sign], [problem.fixed_sums[0, 0]]
    if problem.two_sums:
        sums, wanted = [np.where(sign > 0, 1.0, 0.0), np.where(sign < 0, -1.0, 0.0)], problem.fixed_sums[:, 0].tolist()
    m = len(row)
    A = sp.vstack([sp.csr_matrix(np.array(sums)), -sp.eye(m), sp.eye(m)]).tocsc()
    b = np.concatenate([np.array(wanted) / size, np.zeros(m), upper / size])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.time_limit = False, 2.0
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = PEER_TOL
    cones = [clarabel.ZeroConeT(len(sums)), clarabel.NonnegativeConeT(2 * m)]
    solution = clarabel.DefaultSolver(sp.triu(Q).tocsc(), g, A, b, cones, settings).solve()
    x = np.array(solution.x) * size
    return np.bincount(row, sign * x, len(problem.slope)) if np.all(np.isfinite(x)) else None


def fitted(case: Case, **limits: Any) -> Any:
    """Mercer's model of a case."""
    model = getattr(mercer, case.kind)(**case.parameters, **limits)
    arguments = (case.X,) if case.y is None else (case.X, case.y)
    return model.fit(*arguments, sample_weight=case.weights)
