"""Intervals and sets on real data, beside those that MAPIE makes of the same machines and rows."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import PredefinedSplit, train_test_split

from mercer import TunedSVC, TunedSVR

mapie = pytest.importorskip("mapie.regression", reason="MAPIE is not installed for the oldest scikit-learn")

LEVEL = 0.9
# A share of so many test rows is further off than this many standard deviations once in 700 times.
SIGMAS = 3.2
ROUNDING = 1e-9


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return train_test_split(X, y, test_size=0.4, random_state=0)


def least_coverage(share, rows):
    return share - SIGMAS * np.sqrt(share * (1 - share) / rows)


def coverage(intervals, y):
    return float(np.mean((intervals[:, 0] <= y) & (y <= intervals[:, 1])))


def test_split_intervals_are_those_of_mapie(diabetes):
    X, X_test, y, y_test = diabetes
    model = TunedSVR(conformal="split").fit(X, y)
    _, apart = model._parted(y)
    peer = mapie.SplitConformalRegressor(model.best_estimator_, confidence_level=LEVEL, prefit=True)
    _, theirs = peer.conformalize(X[apart], y[apart]).predict_interval(X_test)
    own = model.predict_interval(X_test, LEVEL)
    np.testing.assert_allclose(own, theirs[:, :, 0], rtol=ROUNDING)
    assert coverage(own, y_test) >= least_coverage(LEVEL, len(y_test))


def test_cross_intervals_are_those_of_mapie(diabetes):
    X, X_test, y, y_test = diabetes
    model = TunedSVR(conformal="cv+").fit(X, y)
    folds = np.empty(len(y), dtype=int)
    for number, (_, test) in enumerate(model.search_.cv):
        folds[test] = number
    cv = PredefinedSplit(folds)
    peer = mapie.CrossConformalRegressor(model.best_estimator_, confidence_level=LEVEL, cv=cv, method="plus")
    _, theirs = peer.fit_conformalize(X, y).predict_interval(X_test)
    own = model.predict_interval(X_test, LEVEL)
    np.testing.assert_allclose(own, theirs[:, :, 0], rtol=ROUNDING)
    assert coverage(own, y_test) >= least_coverage(LEVEL, len(y_test))


@pytest.mark.parametrize("conformal", ["split", "cv+"])
def test_sets_cover_on_real_data(conformal):
    X, X_test, y, y_test = train_test_split(*load_breast_cancer(return_X_y=True), test_size=0.5, random_state=0)
    model = TunedSVC(conformal=conformal).fit(X, y)
    for per_class in (False, True):
        sets = model.predict_set(X_test, LEVEL, per_class)
        held = sets[np.arange(len(y_test)), y_test]
        assert held.mean() >= least_coverage(LEVEL, len(y_test))
        if per_class:
            for label in (0, 1):
                assert held[y_test == label].mean() >= least_coverage(LEVEL, np.count_nonzero(y_test == label))
