"""Errors of ridge regression at rows that machines were fitted without, for many α: what a choice of α rests on."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mercer._runtime import available_threads
from mercer.errors import TimeLimitError
from mercer.fits.ridge import RidgeTask
from mercer.problems import RidgeProblem
from mercer.rows import Budget, Rows
from mercer.solvers import Terms, few_threads
from mercer.solvers.systems import (
    Solutions,
    System,
    estimate_left_out,
    plan_system,
    with_all_alphas,
    with_all_alphas_bytes,
)
from mercer.typing import Floats, Integers

__all__ = ["RidgeErrors", "ridge_errors"]

Folds = Sequence[tuple[Integers, Integers]]


class RidgeErrors(NamedTuple):
    """Weighted mean squared errors for every α and column of targets, and how far they are off where estimated."""

    mean_squares: Floats
    standard_errors: Floats


def ridge_errors(
    task: RidgeTask, alphas: Floats, folds: Folds | None, left_out: str, budget: Budget, limits: Terms
) -> RidgeErrors:
    """Errors at each row left out in turn, "exact", as an "estimate", or as memory allows ("auto"); or at folds."""
    count = len(task.rows)
    threads = available_threads() if budget.threads is None else budget.threads
    _look(limits)
    with few_threads(count, threads):
        if folds is not None:
            return _of_folds(task, alphas, folds, threads, limits)
        fits = with_all_alphas_bytes(count) <= budget.bytes
        if left_out == "estimate" or (left_out == "auto" and not fits):
            return _estimated(task, alphas, budget, threads, limits)
        problem = task.problem
        targets = problem.roots[:, None] * (problem.targets - problem.middles)
        errors = with_all_alphas(
            *(task.rows, problem.roots, threads), lambda form: form.left_out(targets, alphas, problem.has_intercept)
        )
        return _exact(_mean_squares(errors, problem.weights))


def _mean_squares(errors: Floats, weights: Floats) -> Floats:
    """For every α and column of targets."""
    return np.asarray(np.einsum("i,aic->ac", weights / weights.sum(), errors**2))


def _exact(mean_squares: Floats) -> RidgeErrors:
    return RidgeErrors(mean_squares, np.zeros_like(mean_squares))


def _of_folds(task: RidgeTask, alphas: Floats, folds: Folds, threads: int, limits: Terms) -> RidgeErrors:
    """One form of the matrix a fold tells all α."""
    problem, totals, weight = task.problem, np.zeros((len(alphas), task.problem.targets.shape[1])), 0.0
    for trained, held_out in folds:
        _look(limits)
        some = type(problem)(problem.targets[trained], problem.weights[trained], problem.alpha, problem.has_intercept)
        found = _solutions(task.rows.taken(trained), some, alphas, threads)
        between = task.rows.values(held_out, trained)
        values = np.einsum("hi,aic->ahc", between, some.roots[:, None] * found.d, optimize=True)
        missed = problem.targets[held_out] - some.middles - values - found.intercept[:, None, :]
        totals += np.einsum("h,ahc->ac", problem.weights[held_out], missed**2)
        weight += float(problem.weights[held_out].sum())
    return _exact(totals / weight)


def _solutions(rows: Rows, problem: RidgeProblem, alphas: Floats, threads: int) -> Solutions:
    targets = problem.roots[:, None] * (problem.targets - problem.middles)
    return with_all_alphas(
        *(rows, problem.roots, threads), lambda form: form.solutions(targets, alphas, problem.has_intercept)
    )


def _estimated(task: RidgeTask, alphas: Floats, budget: Budget, threads: int, limits: Terms) -> RidgeErrors:
    problem, found = task.problem, []
    targets = problem.roots[:, None] * (problem.targets - problem.middles)
    for alpha in alphas.tolist():
        _look(limits)
        system = System(task.rows, problem.roots, alpha, threads)
        rank = plan_system(system, budget, "cg").rank
        found.append(estimate_left_out(system, targets, problem.has_intercept, rank, limits))
    return RidgeErrors(np.stack([one.mean_square for one in found]), np.stack([one.standard_error for one in found]))


def _look(limits: Terms) -> None:
    if perf_counter() >= limits.ends:
        raise TimeLimitError(
            "time_limit: expected enough to try all alphas and gammas, and it is over. Raise it, or try fewer."
        )
