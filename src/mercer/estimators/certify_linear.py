"""Certificates for linear machines that somebody else fitted, or fitted earlier.

Such a machine keeps its weights and no dual variables. Any feasible dual point bounds the optimum, so several are
tried: what the losses have at the values of the machine, which is the right one where these are smooth and the weights
are at the optimum; where that leaves a gap, what solving anew finds; and where that does not end, what a dense method
finds. The solver is asked for a tenth of the gap, so that little of it is its own. Where none of them is near its own
optimum, a gap says nothing of the machine, and the certificate says that it is not proven.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn import svm
from sklearn.utils.class_weight import compute_class_weight

from mercer._runtime import available_threads, core
from mercer.certificates import Certificate
from mercer.data import read_sample_weight
from mercer.errors import InputError
from mercer.estimators.linear import LinearEstimator, TrainingRows
from mercer.estimators.linear_densely import certify_result, solved_densely
from mercer.estimators.linear_svc import LinearSVC
from mercer.estimators.linear_svr import LinearSVR
from mercer.problems import CrammerSingerProblem, Intercept, LinearProblem
from mercer.solvers import (
    Limits,
    LinearMethod,
    LinearResult,
    LinearTerms,
    Status,
    may_solve_linear_densely,
    plan_linear,
    solve_linear,
)
from mercer.typing import Floats

__all__ = ["LINEAR_MODELS", "certify_linear_model"]

LINEAR_MODELS = (LinearSVC, LinearSVR, svm.LinearSVC, svm.LinearSVR)

# Relative gaps asked of the solver, one after the other, until the one certified is ten times as large.
_ASKED = (1e-3, 1e-5, 1e-7, 1e-9)
_CLEARLY_LARGER = 10
# Some dozens of Newton's steps do, or some hundred passes over the rows; hard problems get ten times the passes that
# LIBLINEAR makes by default.
_NEWTON_STEPS = 1_000
_PASSES = 10_000
# Where a dense method can take over, it is quicker than more passes.
_FEW_PASSES = 1_000
_IN_PASSES = (LinearMethod.COORDINATES, LinearMethod.CRAMMER_SINGER)
# The method of multipliers does not: on columns of many scales it goes astray from where it ended.
_GOING_ON = (*_IN_PASSES, LinearMethod.LASSO)

# A dual value may be so much above the primal one, relative to it, by rounding.
_ROUNDING = 1e-9

_SHARED = ("C", "loss", "fit_intercept", "intercept_scaling")
_OF_CLASSES = ("penalty", "multi_class")


class _Machine(NamedTuple):
    """Weights and intercept of one problem, as the certificate takes them."""

    weights: Floats
    intercept: Any
    scaling: float
    kind: Intercept

    @property
    def with_offset(self) -> Floats:
        """The weights, with that of the offset column behind them where there is one."""
        return self.weights if self.kind is Intercept.NONE else np.append(self.weights, self.intercept / self.scaling)


def certify_linear_model(model: Any, X: Any, y: Any, sample_weight: Any) -> Certificate:
    """The certificate of a fitted LinearSVC or LinearSVR; X and y are checked and the core's."""
    coef = np.atleast_2d(model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_)
    coef = np.ascontiguousarray(coef, np.float64)
    if X.shape[1] != coef.shape[1]:
        raise InputError(f"certify: expected {coef.shape[1]} features as in fit, got {X.shape[1]}.")
    if not isinstance(model, LinearEstimator) and sample_weight is not None:
        # scikit-learn takes weights below zero for zero.
        sample_weight = read_sample_weight(np.maximum(sample_weight, 0.0), X.shape[0])
    poser = model if isinstance(model, LinearEstimator) else _ours(model, y, sample_weight)
    poser._check_parameters()
    targets = poser._read_targets(y, sample_weight, X.shape[0])
    if isinstance(poser, LinearSVC) and not np.array_equal(targets.classes, model.classes_):
        raise InputError(
            f"certify: expected the classes {model.classes_.tolist()}, got {targets.classes.tolist()}. "
            "Pass the targets the model was fitted on."
        )
    problems, rows = poser._pose(targets), TrainingRows.of(X, available_threads())
    rows.check_size()
    middle = poser._middle(targets) if isinstance(poser, LinearSVR) else 0.0
    intercepts = np.broadcast_to(np.asarray(model.intercept_, np.float64) - middle, len(coef))
    terms = (float(poser.intercept_scaling), poser._intercept())
    if isinstance(problems[0], CrammerSingerProblem):
        return _certificate(problems[0], rows, _Machine(coef, intercepts, *terms))
    return Certificate.of_several(
        [
            _certificate(problem, rows, _Machine(w, float(b), *terms))
            for problem, w, b in zip(problems, coef, intercepts, strict=True)
        ]
    )


def _ours(model: Any, y: Any, sample_weight: Any) -> LinearEstimator:
    """An estimator of Mercer's that poses the problem of a model of scikit-learn's."""
    shared = {name: getattr(model, name) for name in _SHARED}
    if isinstance(model, svm.LinearSVR):
        return LinearSVR(epsilon=model.epsilon, **shared)
    class_weight = model.class_weight
    if class_weight == "balanced":
        # Releases before 1.7 balance classes without regard to sample weights.
        counts = "sample_weight" in inspect.signature(compute_class_weight).parameters
        known = {"sample_weight": sample_weight} if counts else {}
        labels = np.unique(y)
        balanced = compute_class_weight("balanced", classes=labels, y=y, **known)
        class_weight = dict(zip(labels.tolist(), balanced.tolist(), strict=True))
    of_classes = {name: getattr(model, name) for name in _OF_CLASSES}
    return LinearSVC(class_weight=class_weight, **of_classes, **shared)


def _certificate(problem: LinearProblem | CrammerSingerProblem, rows: TrainingRows, machine: _Machine) -> Certificate:
    """The certificate at the dual point with the highest bound."""
    threads = available_threads()

    def own(found: LinearResult) -> Certificate:
        """That of the machine that was found with the dual variables: how near these are to their optimum."""
        terms = (machine.kind, machine.scaling, found, threads)
        return certify_result(problem, rows.X, rows.data, rows.norms, *terms)

    def judge(found: LinearResult) -> Certificate:
        return own(found._replace(weights=machine.weights, intercept=machine.intercept))

    at_values = problem.coef_at(_values(problem, rows, machine, threads))
    found = LinearResult(machine.weights, machine.intercept, at_values, 0, Status.STALLED, at_values)
    best = judge(found)
    plan = plan_linear(rows.X, problem, machine.kind)
    passes = _FEW_PASSES if may_solve_linear_densely(problem, rows.X) else _PASSES
    limits = Limits(steps=passes if plan.method in _IN_PASSES else _NEWTON_STEPS)
    start = [machine.with_offset] if plan.method is LinearMethod.LASSO else None
    is_near = best.relative_gap <= _ASKED[-1]
    for gap_tol in _ASKED:
        if best.relative_gap <= _ASKED[-1]:
            break
        terms = LinearTerms(rows.data, machine.kind, machine.scaling, gap_tol, limits, threads)
        (found,) = solve_linear([problem], plan, terms, start)
        best = max(best, judge(found), key=_bound)
        start = [found.start] if plan.method in _GOING_ON else None
        if found.status is not Status.SOLVED:
            found = solved_densely(
                problem, rows.X, machine.kind, machine.scaling, own, found, gap_tol, Limits(), threads
            )
            best = max(best, judge(found), key=_bound)
        reached = own(found).relative_gap
        is_near = is_near or reached <= gap_tol
        if reached > gap_tol or best.relative_gap >= _CLEARLY_LARGER * gap_tol:
            break
    return best if is_near or best.relative_gap <= _CLEARLY_LARGER * _ASKED[-1] else replace(best, is_proven=False)


def _bound(certificate: Certificate) -> float:
    """The dual value; none where it exceeds the primal one, which is rounding, or is no number."""
    sound = certificate.dual <= certificate.primal + _ROUNDING * abs(certificate.primal)
    return certificate.dual if sound else -np.inf


def _values(
    problem: LinearProblem | CrammerSingerProblem, rows: TrainingRows, machine: _Machine, threads: int
) -> Floats:
    """The functions at the rows of the problem: one value a row, or of all classes at once one column each."""
    columns = [core.linear_values(rows.data, problem.rows, w, threads) for w in np.atleast_2d(machine.weights)]
    values: Floats = np.stack(columns, axis=1) + machine.intercept
    return values if isinstance(problem, CrammerSingerProblem) else values[:, 0]
