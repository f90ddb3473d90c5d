"""Kernels of objects that are no numbers: texts, sequences of different lengths."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import mercer
from mercer import SVC, SVR, NuSVC, OneClassSVM

TEXTS = ["a a", "a", "b", "b b", "a b", "a a b", "b b a", "b a b"]
LABELS = np.array([1, 1, 2, 2, 1, 1, 2, 2])
COUNTS = np.array([[text.count(letter) for letter in "ab"] for text in TEXTS], dtype=float)


def shared_letters(first, second):
    return np.array([[sum(a.count(x) * b.count(x) for x in "ab") for b in second] for a in first], dtype=float)


@pytest.mark.parametrize(
    "form",
    [list, tuple, np.array, lambda texts: np.array(texts, dtype=object)],
    ids=["list", "tuple", "array", "objects"],
)
@pytest.mark.parametrize("model", [SVC(), NuSVC(nu=0.4), SVR(), OneClassSVM(nu=0.4)], ids=str)
def test_function_of_texts_is_the_machine_of_their_counts(model, form):
    ours = clone(model).set_params(kernel=shared_letters).fit(form(TEXTS), LABELS)
    counted = clone(model).set_params(kernel="linear").fit(COUNTS, LABELS)
    ask = "predict" if isinstance(model, SVR) else "decision_function"
    new = ["a", "b b b", "a b a b"]
    as_counts = np.array([[text.count(letter) for letter in "ab"] for text in new], dtype=float)
    np.testing.assert_allclose(getattr(ours, ask)(form(new)), getattr(counted, ask)(as_counts), atol=1e-9)
    np.testing.assert_array_equal(ours.support_, counted.support_)


def test_sequences_of_different_lengths_are_objects():
    rows = [[1.0], [2.0, 2.0], [3.0], [1.0, 1.0, 1.0]]

    def kernel(first, second):
        return np.array([[sum(a) * sum(b) for b in second] for a in first])

    model = SVC(kernel=kernel).fit(rows, [0, 1, 1, 0])
    assert model.predict([[9.0, 9.0]]).tolist() == [1]


def first_letters(first, second):
    texts = [[str(text) for text in np.asarray(some)[:, 0]] for some in (first, second)]
    return np.array([[float(len(set(a) & set(b))) for b in texts[1]] for a in texts[0]])


@pytest.mark.parametrize("form", ["table", "digits"])
def test_tables_of_texts_are_objects_digits_too(form):
    texts = ["12", "13", "98", "97"] * 5
    X = pd.DataFrame({"text": texts}) if form == "table" else np.array(texts)[:, None]
    model = SVC(kernel=first_letters).fit(X, [0, 0, 1, 1] * 5)
    assert model.predict(X[:4] if form == "digits" else X.iloc[:4]).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("shape", [(20,), (20, 3, 2)])
def test_numbers_that_are_no_table_are_objects(shape):
    X = np.random.default_rng(0).normal(size=shape)

    def kernel(first, second):
        return first.reshape(len(first), -1) @ second.reshape(len(second), -1).T

    y = (X.reshape(20, -1)[:, 0] > 0).astype(int)
    flat = SVC(kernel="linear").fit(X.reshape(20, -1), y)
    np.testing.assert_allclose(
        SVC(kernel=kernel).fit(X, y).decision_function(X), flat.decision_function(X.reshape(20, -1)), atol=1e-6
    )


def test_numbers_that_come_as_objects_are_numbers():
    seen = []

    def kernel(first, second):
        seen.append(first.dtype)
        return first @ second.T

    SVC(kernel=kernel).fit(COUNTS.astype(object), LABELS)
    assert set(seen) == {np.dtype(np.float64)}


def test_machine_of_texts_is_certified_cloned_and_pickled():
    model = SVC(kernel=shared_letters, probability=True).fit(TEXTS, LABELS)
    assert mercer.certify(model, TEXTS, LABELS).holds(1e-3)
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(other.predict_proba(TEXTS), model.predict_proba(TEXTS))
    scores = cross_val_score(clone(model), TEXTS, LABELS, cv=2)
    assert scores.min() >= 0.5


def test_fit_on_numbers_after_texts_forgets_the_texts():
    model = SVC(kernel=shared_letters).fit(TEXTS, LABELS)
    model.set_params(kernel="rbf").fit(COUNTS, LABELS)
    assert model.predict(COUNTS[:1]).shape == (1,)


def test_kernel_that_returns_a_wrong_shape_is_refused_in_fit_and_in_predict():
    with pytest.raises(mercer.KernelError, match=r"shape \(8, 8\).*got \(1, 1\)"):
        SVC(kernel=lambda first, second: np.ones((1, 1))).fit(TEXTS, LABELS)
    calls = []

    def tired(first, second):
        calls.append(1)
        return shared_letters(first, second) if len(calls) == 1 else np.ones((2, 2))

    model = SVC(kernel=tired).fit(TEXTS, LABELS)
    with pytest.raises(mercer.KernelError, match=r"shape \(3, 8\).*got \(2, 2\)"):
        model.predict(TEXTS[:3])


def test_texts_need_a_function():
    with pytest.raises(ValueError, match=r"could not convert|numeric|numbers"):
        SVC().fit(TEXTS, LABELS)
