"""The steps of a trace, checked before they are drawn."""

from __future__ import annotations

from typing import Any

from mercer.errors import InputError
from mercer.solvers import Step, Trace

__all__ = ["steps_of", "trace_of"]


def steps_of(trace: Any, problem: int) -> tuple[Step, ...]:
    """The steps of one binary problem; raises where there are none."""
    if not isinstance(trace, Trace):
        raise InputError(
            f"trace: expected a Trace, got {type(trace).__name__}. Fit SVC(trace=True) and take its trace_."
        )
    count = len(trace.rows)
    if not 0 <= problem < count:
        raise InputError(f"problem: expected one of the {count} binary problems, from 0, got {problem!r}.")
    steps = trace.of_problem(problem).steps
    if not steps:
        raise InputError(f"trace: expected steps of problem {problem}, got none.")
    return steps


def trace_of(estimator: Any) -> Trace:
    """The trace of a fitted estimator."""
    trace = getattr(estimator, "trace_", None)
    if trace is None:
        raise InputError(
            f"Expected a machine with a trace, got {type(estimator).__name__} without. Fit it with trace=True."
        )
    assert isinstance(trace, Trace)
    return trace
