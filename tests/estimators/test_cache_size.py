"""`cache_size` of the machines that remember: answers are the same whatever it is, and `plan_` tells of a small one."""

import numpy as np
import pytest
from sklearn.base import clone

from mercer import (
    RBF,
    KernelDensity,
    KNeighborsClassifier,
    KNeighborsRegressor,
    KNNImputer,
    LocallyWeightedRegression,
    NearestNeighbors,
    ParameterError,
    ParzenClassifier,
    ParzenRegressor,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(2500, 4))
LABELS, TARGETS = (X[:, 0] > 0).astype(int), X.sum(axis=1)
HOLES = np.where(RANDOM.uniform(size=X.shape) < 0.1, np.nan, X)
SMALL = 1e-3
# Sums over windows are added up in another order.
ROUNDING = 1e-10

MACHINES = {
    "neighbours": (NearestNeighbors(), X, None, lambda m: m.kneighbors(X[:200])[1]),
    "votes": (KNeighborsClassifier("auto", weights="distance"), X, LABELS, lambda m: m.predict_proba(None)),
    "condensed": (KNeighborsClassifier(condense=True), X, LABELS, lambda m: m.condensed_.rows),
    "means": (KNeighborsRegressor(metric="manhattan"), X, TARGETS, lambda m: m.predict(X[:200])),
    "votes within a radius": (RadiusNeighborsClassifier(2.0), X, LABELS, lambda m: m.predict_proba(X[:200])),
    "means within a radius": (RadiusNeighborsRegressor(2.0), X, TARGETS, lambda m: m.predict(X[:200])),
    "donors": (KNNImputer(), HOLES, None, lambda m: m.transform(HOLES)),
    "densities": (KernelDensity(bandwidth="leave-one-out"), X, None, lambda m: m.score_samples(X[:200])),
    "densities of their own width": (KernelDensity(n_neighbors=5), X, None, lambda m: m.score_samples(X[:200])),
    "densities of another metric": (KernelDensity(metric="chebyshev"), X, None, lambda m: m.score_samples(X[:200])),
    "window votes": (ParzenClassifier(), X, LABELS, lambda m: m.predict_proba(X[:200])),
    "window means": (ParzenRegressor(0.3, kernel="tophat"), X, TARGETS, lambda m: m.predict(X[:200] + 0.5)),
    "a kernel as a window": (ParzenRegressor(1.0, kernel=RBF(gamma=1.0)), X, TARGETS, lambda m: m.predict(X[:200])),
    "planes": (LocallyWeightedRegression(n_neighbors=50), X, TARGETS, lambda m: m.predict(X[:200])),
    "planes of one width": (LocallyWeightedRegression(bandwidth=2.5), X, TARGETS, lambda m: m.predict(X[:200])),
    "robust planes": (
        LocallyWeightedRegression(n_neighbors=50, robust_iterations=1),
        X,
        np.stack([TARGETS, X[:, 0] ** 2], axis=1),
        lambda m: m.predict(X[:200]),
    ),
}


@pytest.mark.parametrize("name", MACHINES)
def test_answers_do_not_depend_on_it_and_the_plan_tells_of_it(name):
    model, rows, y, ask = MACHINES[name]
    free, tight = (clone(model).set_params(cache_size=size).fit(rows, y) for size in (None, SMALL))
    np.testing.assert_allclose(ask(tight), ask(free), rtol=ROUNDING, atol=ROUNDING)
    assert tight.plan_ != free.plan_
    assert any(told in tight.plan_ for told in ("does not fit", "at a time", "parts of the rows"))
    assert not any(told in free.plan_ for told in ("does not fit", "at a time", "parts of the rows"))


@pytest.mark.parametrize("size", [0, -1, "much", np.inf])
@pytest.mark.parametrize("name", MACHINES)
def test_it_is_a_positive_number(name, size):
    model, rows, y, _ = MACHINES[name]
    with pytest.raises(ParameterError, match="cache_size"):
        clone(model).set_params(cache_size=size).fit(rows, y)
