"""What the tests of all estimators share: data and models that follow from an entry, and when two are the same."""

import numpy as np
import pytest

from mercer import OneClassSVM, Status, UnsolvedWarning
from tests.contracts.estimator_registry import ENTRIES, named

N = 150
GAMMA = 0.4
TOL = 1e-8
# Two machines at tol = 1e-8, whose values differ by a few times what they violate.
SAME = 1e-6
ARRAYS = ("support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_")

ENTRY = pytest.mark.parametrize("entry", ENTRIES, ids=named)
# One class is solved too soon to be stopped.
SLOW_ENTRY = pytest.mark.parametrize("entry", [one for one in ENTRIES if one.kind is not OneClassSVM], ids=named)


def rows(n=N, seed=2):
    return np.random.default_rng(seed).normal(size=(n, 4))


def targets(entry, X, seed=3):
    """Classes or numbers; numbers too where the estimator has no targets, for it takes any y."""
    rng = np.random.default_rng(seed)
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=len(X))
    return (y > np.median(y)).astype(int) if entry.targets == "classes" else y


def data(entry, n=N):
    X = rows(n)
    return X, targets(entry, X)


def make(entry, **parameters):
    return entry.kind(**{"gamma": GAMMA, "tol": TOL, **entry.parameters, **parameters})


def values(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def unsolved(model, *arguments):
    """The model, fitted with its warning that it is not solved."""
    with pytest.warns(UnsolvedWarning):
        return model.fit(*arguments)


def assert_same_machine(model, other, X, atol=SAME):
    assert model.status_ is other.status_ is Status.SOLVED
    assert model.certificate_.dual == pytest.approx(other.certificate_.dual, rel=1e-9)
    # One class is not divided by anything: its values are as large as its weights are many.
    size = max(1.0, abs(float(other.intercept_[0])))
    np.testing.assert_allclose(values(model, X), values(other, X), rtol=0, atol=atol * size)
