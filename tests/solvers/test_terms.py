"""The terms of a solver: what is left of them after some steps, and of the time."""

from time import perf_counter, sleep

import numpy as np
import pytest

from mercer.solvers import NO_LIMIT, Terms


def heard(*_):
    return False


TERMS = Terms(
    tol=1e-5,
    gap_tol=1e-4,
    ends=perf_counter() + 60,
    steps=100,
    is_careful=True,
    least_margin=0.1,
    report=heard,
    record=[],
    first_group=2,
)
OTHERS = ("tol", "gap_tol", "is_careful", "least_margin", "report", "record", "first_group")


def test_terms_without_limits_have_no_end():
    terms = Terms()
    assert terms.seconds == np.inf
    assert terms.steps == NO_LIMIT
    assert terms.after(10**9).steps > 10**18
    assert (terms.gap_tol, terms.report, terms.record, terms.is_careful) == (None, None, None, False)


def test_after_some_steps_only_these_are_gone():
    left = TERMS.after(30)
    assert left.steps == 70
    assert left.after(70).steps == 0
    assert left.ends == TERMS.ends  # one deadline for all that follows
    for name in OTHERS:
        assert getattr(left, name) is getattr(TERMS, name)
    assert TERMS.steps == 100
    assert TERMS.after(0) == TERMS


def test_used_up_terms_have_neither_time_nor_steps():
    before = perf_counter()
    used = TERMS.used_up()
    assert before <= used.ends <= perf_counter()
    assert used.steps == 0
    assert used.seconds <= 0
    for name in OTHERS:
        assert getattr(used, name) is getattr(TERMS, name)
    assert Terms().used_up().seconds <= 0


def test_seconds_are_those_that_are_left():
    terms = Terms(ends=perf_counter() + 5)
    first = terms.seconds
    sleep(0.02)
    assert 0.02 <= first - terms.seconds <= 2
    assert 0 < first <= 5


def test_terms_are_not_changed_in_place():
    with pytest.raises(AttributeError):
        TERMS.steps = 0
