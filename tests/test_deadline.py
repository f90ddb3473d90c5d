"""A deadline holds for the call that set it: in loops, in the core and in the threads that it starts, and no longer."""

import threading
import time

import numpy as np
import pytest

from mercer import TimeLimitError
from mercer._runtime import core
from mercer.deadline import check_deadline, deadline, seconds_left
from mercer.errors import MercerError
from mercer.neighbours.all_distances import AllDistances

PASSED = 1e-9


def test_without_one_there_is_no_end():
    assert seconds_left() == np.inf
    check_deadline()


def test_error_says_what_was_limited_and_what_to_do():
    told = "lowess: expected .* time_limit=1e-09 seconds, got .* Raise time_limit"
    with pytest.raises(TimeLimitError, match=told), deadline("lowess", PASSED):
        check_deadline()
    assert issubclass(TimeLimitError, MercerError)
    assert issubclass(TimeLimitError, TimeoutError)


def test_body_that_ends_in_time_is_left_alone():
    with deadline("this", 1000.0):
        assert 990 < seconds_left() <= 1000
        check_deadline()


def test_of_two_the_earlier_holds_and_is_named():
    for outer, inner, named in ((1000.0, PASSED, "inner"), (PASSED, 1000.0, "outer")):
        with pytest.raises(TimeLimitError, match=named), deadline("outer", outer), deadline("inner", inner):
            check_deadline()


def test_the_outer_one_comes_back():
    with deadline("outer", 1000.0):
        with pytest.raises(TimeLimitError), deadline("inner", PASSED):
            check_deadline()
        assert 990 < seconds_left() <= 1000


def test_nothing_is_left_of_it_after_an_error():
    with pytest.raises(KeyError), deadline("this", PASSED):
        raise KeyError
    assert seconds_left() == np.inf
    core.kth_distances(np.zeros((1, 1)), np.zeros((1, 1)), 1, 1)


def test_core_stops_at_it():
    X = np.zeros((100_000, 3))
    began = time.perf_counter()
    with pytest.raises(TimeLimitError, match="this"), deadline("this", PASSED):
        core.kth_distances(X, X, 10, 2)
    assert time.perf_counter() - began < 5


def test_errors_of_others_are_not_taken_for_it():
    with pytest.raises(TimeoutError, match="network") as raised, deadline("this", 1000.0):
        raise TimeoutError("network")
    assert not isinstance(raised.value, TimeLimitError)


def test_other_threads_have_none():
    left = []
    with deadline("this", PASSED):
        thread = threading.Thread(target=lambda: left.append(seconds_left()))
        thread.start()
        thread.join()
    assert left == [np.inf]


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_that_are_started_for_a_call_share_its_deadline(threads):
    heard = []

    def distances(Q, X):
        heard.append(seconds_left())
        return np.zeros((len(Q), len(X)))

    search = AllDistances(np.zeros((5, 1)), distances, "zeros")
    with deadline("this", 1000.0):
        search.nearest(np.zeros((8, 1)), 1, threads)
    assert len(heard) == threads
    assert all(990 < left <= 1000 for left in heard)
    with pytest.raises(TimeLimitError), deadline("this", PASSED):
        search.nearest(np.zeros((8, 1)), 1, threads)
    assert len(heard) == threads
