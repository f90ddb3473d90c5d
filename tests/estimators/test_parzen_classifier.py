"""Parzen's classifier with several outputs and weights of classes, against its definition."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.utils import compute_sample_weight

from mercer import InputError, ParameterError, ParzenClassifier
from tests.reference.windows import class_shares

ROUNDING = 1e-9


@pytest.fixture(scope="module")
def rows():
    X, y = load_iris(return_X_y=True)
    kinds = np.array(["a", "b", "c"])[y]
    return X, np.column_stack([kinds, np.where(X[:, 0] > 5.8, "long", "short")]), np.random.default_rng(0)


def test_each_output_has_shares_of_its_own(rows):
    X, Y, rng = rows
    weights = rng.uniform(0.1, 2, len(X))
    model = ParzenClassifier(0.6).fit(X[::2], Y[::2], weights[::2])
    shares = model.predict_proba(X[1::2])
    assert [own.tolist() for own in model.classes_] == [["a", "b", "c"], ["long", "short"]]
    for column, (own, classes) in enumerate(zip(shares, model.classes_, strict=True)):
        expected = class_shares("gaussian", X[1::2], X[::2], 0.6, Y[::2, column], weights[::2])
        np.testing.assert_allclose(own, expected, rtol=ROUNDING, atol=1e-12)
        np.testing.assert_array_equal(model.predict(X[1::2])[:, column], classes[expected.argmax(axis=1)])


def test_one_column_is_one_output(rows):
    X, Y, _ = rows
    flat = ParzenClassifier(0.6).fit(X, Y[:, 0])
    with pytest.warns(UserWarning, match="1d array was expected"):
        column = ParzenClassifier(0.6).fit(X, Y[:, :1])
    np.testing.assert_array_equal(column.predict_proba(X), flat.predict_proba(X))
    assert column.predict(X).shape == (150,)


def test_left_out_errors_are_means_over_outputs(rows):
    X, Y, _ = rows
    both = ParzenClassifier().fit(X, Y)
    each = [ParzenClassifier(bandwidths=both.bandwidths_).fit(X, own) for own in Y.T]
    np.testing.assert_allclose(both.left_out_errors_, np.mean([one.left_out_errors_ for one in each], axis=0))


@pytest.mark.parametrize("empty", ["nearest", "prior", "nan"])
def test_empty_windows_of_several_outputs_follow_the_rule(empty):
    X, Y = [[0.0], [1.0], [1.2]], [[0, 5], [1, 5], [1, 6]]
    model = ParzenClassifier(0.5, kernel="tophat", empty=empty).fit(X, Y)
    first, second = model.predict_proba([[9.0]])
    expected = {
        "nearest": ([[0, 1]], [[0, 1]]),
        "prior": ([[1 / 3, 2 / 3]], [[2 / 3, 1 / 3]]),
        "nan": ([[np.nan] * 2], [[np.nan] * 2]),
    }[empty]
    np.testing.assert_allclose(first, expected[0])
    np.testing.assert_allclose(second, expected[1])
    assert model.predict([[9.0]]).tolist() == [[1, 6] if empty == "nearest" else [1, 5]]


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 3.0, "b": 0.5}])
def test_weights_of_classes_multiply_those_of_rows(rows, class_weight):
    X, Y, _ = rows
    y, by_class = Y[30:, 0], compute_sample_weight(class_weight, Y[30:, 0])
    model = ParzenClassifier(0.6, class_weight=class_weight, empty="prior").fit(X[30:], y)
    expected = class_shares("gaussian", X, X[30:], 0.6, y, by_class)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=ROUNDING, atol=1e-12)
    far = model.set_params(kernel="tophat").fit(X[30:], y).predict_proba([[99.0] * 4])[0]
    np.testing.assert_allclose(far, [by_class[y == one].sum() / by_class.sum() for one in "abc"])


def test_weights_of_classes_of_several_outputs_are_multiplied(rows):
    X, Y, _ = rows
    each = [{"a": 2.0, "b": 1.0, "c": 3.0}, {"long": 0.5, "short": 4.0}]
    for given in (each, "balanced"):
        by_class = compute_sample_weight(given, Y)
        shares = ParzenClassifier(0.6, class_weight=given).fit(X, Y).predict_proba(X)
        for column in (0, 1):
            expected = class_shares("gaussian", X, X, 0.6, Y[:, column], by_class)
            np.testing.assert_allclose(shares[column], expected, rtol=ROUNDING, atol=1e-12)


def test_balance_counts_what_rows_weigh():
    X, y = [[0.0], [1.0], [2.0]], [0, 0, 1]
    twice = ParzenClassifier(1.0, class_weight="balanced").fit([*X, [1.0]], [*y, 0])
    weighted = ParzenClassifier(1.0, class_weight="balanced").fit(X, y, [1, 2, 1])
    np.testing.assert_allclose(weighted.predict_proba([[0.7]]), twice.predict_proba([[0.7]]), rtol=ROUNDING)
    absent = ParzenClassifier(1.0, class_weight="balanced").fit(X, y, [1, 0, 1])
    alone = ParzenClassifier(1.0, class_weight="balanced").fit([X[0], X[2]], [0, 1])
    np.testing.assert_allclose(absent.predict_proba([[0.7]]), alone.predict_proba([[0.7]]), rtol=ROUNDING)


def test_a_class_that_weighs_nothing_has_no_share():
    model = ParzenClassifier(1.0, class_weight={0: 1, 1: 0, 2: 1}).fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    assert model.predict_proba([[1.0]]).tolist() == [[0.5, 0.0, 0.5]]


def test_an_output_of_one_class_is_told_and_one_output_of_one_class_refused():
    X, Y = [[0.0], [1.0], [2.0]], [[0, 1], [0, 0], [0, 1]]
    assert ParzenClassifier(0.1).fit(X, Y).predict([[1.0]]).tolist() == [[0, 0]]
    with pytest.raises(InputError, match="greater than one"):
        ParzenClassifier(0.1).fit(X, [1, 1, 1])


def test_weights_that_cannot_be_are_refused(rows):
    X, Y, _ = rows
    for given in ("even", 3.0, {"a": -1.0}, {"a": 1.0, "z": 2.0}, [{"a": 2.0}]):
        with pytest.raises(ParameterError, match="class_weight"):
            ParzenClassifier(0.5, class_weight=given).fit(X, Y[:, 0])
    for given in ({"a": 2.0}, [{"a": 2.0}], [{"a": 0, "b": 0, "c": 0}, "balanced"]):
        with pytest.raises(ParameterError, match="class_weight"):
            ParzenClassifier(0.5, class_weight=given).fit(X, Y)


def test_pickles_of_several_outputs_predict_the_same(rows):
    X, Y, _ = rows
    model = ParzenClassifier(0.5).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
