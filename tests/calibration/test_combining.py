"""Probabilities of classes from those of pairs, and of classes against the rest."""

import numpy as np
import pytest

from mercer.calibration.combining import coupled, normalised

ROUNDING = 1e-9


def pairs_of(p):
    """What pairs of classes say where the classes have these probabilities."""
    first, second = np.triu_indices(p.shape[1], 1)
    return p[:, first] / (p[:, first] + p[:, second])


def libsvms(own, classes, rounds=10_000):
    """LIBSVM's iteration for one row, to its end: the second method of Wu, Lin and Weng."""
    r = np.zeros((classes, classes))
    first, second = np.triu_indices(classes, 1)
    r[first, second], r[second, first] = own, 1 - own
    Q = -r.T * r
    np.fill_diagonal(Q, (r**2).sum(axis=0))
    p = np.full(classes, 1 / classes)
    for _ in range(rounds):
        for t in range(classes):
            p[t] = (p @ Q @ p - Q[t] @ p + Q[t, t] * p[t]) / Q[t, t]
            p /= p.sum()
    return p


def simplex(rows, classes, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(classes, 0.5), size=rows)


@pytest.mark.parametrize("classes", [3, 4, 10])
def test_coupling_gives_back_what_the_pairs_came_from(classes):
    p = simplex(20, classes) * 0.98 + 0.02 / classes
    np.testing.assert_allclose(coupled(pairs_of(p), classes), p, atol=1e-7)


@pytest.mark.parametrize("classes", [3, 5])
def test_coupling_of_pairs_that_contradict_each_other_is_libsvms(classes):
    own = np.random.default_rng(1).uniform(0.02, 0.98, size=(8, classes * (classes - 1) // 2))
    expected = [libsvms(row, classes) for row in own]
    np.testing.assert_allclose(coupled(own, classes), expected, atol=ROUNDING)


def test_coupling_does_not_depend_on_how_many_rows_come_at_once():
    own = np.random.default_rng(2).uniform(size=(40, 4950))
    several = coupled(own, 100)  # a hundred rows at a time
    np.testing.assert_allclose(several[-1:], coupled(own[-1:], 100), atol=ROUNDING)
    np.testing.assert_allclose(several.sum(axis=1), 1)


def test_coupling_of_pairs_that_are_sure_has_no_negative_probability():
    own = np.where(np.random.default_rng(3).uniform(size=(50, 15)) > 0.5, 1 - 1e-7, 1e-7)
    p = coupled(own, 6)
    assert p.min() >= 0
    np.testing.assert_allclose(p.sum(axis=1), 1)


def test_classes_against_the_rest_are_made_to_sum_to_one():
    np.testing.assert_allclose(normalised(np.array([[0.2, 0.6], [0.0, 0.0]])), [[0.25, 0.75], [0.5, 0.5]])
