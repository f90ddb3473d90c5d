"""Rows that classifiers by votes leave out: what the definitions say, by scikit-learn's neighbours."""

import numpy as np
import pytest
from sklearn import neighbors
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from mercer import KNeighborsClassifier, ParameterError


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("k", [1, 3, 5])
def test_edited_rows_are_those_that_their_neighbours_contradict(cancer, k):
    X, y = cancer
    model = KNeighborsClassifier(k, edit=True).fit(X, y)
    alone = neighbors.KNeighborsClassifier(k).fit(X, y).predict(None)
    np.testing.assert_array_equal(model.edited_, np.flatnonzero(alone != y))
    kept = np.delete(np.arange(len(y)), model.edited_)
    peer = neighbors.KNeighborsClassifier(k).fit(X[kept], y[kept])
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    assert model.n_samples_fit_ == len(kept)


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("edit", [False, True])
def test_condensed_rows_give_all_others_their_class(cancer, k, edit):
    X, y = cancer
    model = KNeighborsClassifier(k, edit=edit, condense=True).fit(X, y)
    used = np.delete(np.arange(len(y)), model.edited_) if edit else np.arange(len(y))
    rows = model.condensed_.rows
    assert set(rows) <= set(used)
    assert len(rows) < 0.4 * len(y)
    others = np.setdiff1d(used, rows)
    peer = neighbors.KNeighborsClassifier(k).fit(X[rows], y[rows])
    np.testing.assert_array_equal(peer.predict(X[others]), y[others])
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))


def test_errors_before_and_after_leave_rows_out(cancer):
    X, y = cancer
    model = KNeighborsClassifier(3, condense=True).fit(X, y)
    found = model.condensed_
    alone = neighbors.KNeighborsClassifier(3).fit(X, y).predict(None)
    assert found.error_before == pytest.approx(np.mean(alone != y))
    peer = neighbors.KNeighborsClassifier(3).fit(X[found.rows], y[found.rows])
    predicted = peer.predict(X)
    predicted[found.rows] = peer.predict(None)
    assert found.error_after == pytest.approx(np.mean(predicted != y))
    assert "rows are kept" in str(found)


def test_condensed_digits_lose_little():
    X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
    whole = KNeighborsClassifier(3).fit(X, y).score(X_test, y_test)
    model = KNeighborsClassifier(3, condense=True).fit(X, y)
    assert len(model.condensed_.rows) < 0.25 * len(y)
    assert model.score(X_test, y_test) > whole - 0.03


def test_a_class_of_outliers_alone_is_kept():
    X, y = np.array([[0.0], [0.1], [0.2], [0.15], [0.3]]), np.array([0, 0, 0, 1, 0])
    model = KNeighborsClassifier(3, edit=True).fit(X, y)
    assert model.edited_.size == 0
    assert model.classes_.tolist() == [0, 1]


def test_several_outputs_and_weights(cancer):
    X, y = cancer
    Y = np.stack([y, (X[:, 0] > 0).astype(int)], axis=1)
    model = KNeighborsClassifier(3, weights="distance", class_weight="balanced", edit=True, condense=True)
    model.fit(X, Y, sample_weight=np.linspace(1, 2, len(y)))
    assert model.predict(X).shape == Y.shape
    assert np.mean(model.predict(X) == Y) > 0.93


def test_rows_are_not_learnt_after_some_were_left_out(cancer):
    X, y = cancer
    for options in ({"edit": True}, {"condense": True}):
        model = KNeighborsClassifier(3, **options).fit(X, y)
        for change in (lambda model=model: model.partial_fit(X, y), lambda model=model: model.forget([0])):
            with pytest.raises(ParameterError, match="follows from all of them"):
                change()
    with pytest.raises(ParameterError, match="precomputed"):
        KNeighborsClassifier(1, metric="precomputed", edit=True).fit(np.zeros((3, 3)), [0, 1, 0])
