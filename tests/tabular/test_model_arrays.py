"""Models of tables as plain values and arrays, and back; forged ones are refused."""

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import SVC, SVR, LinearSVC
from mercer.calibration import SplitIntervals, SplitSets, conformal_arrays, conformal_from_arrays
from mercer.errors import MercerError
from mercer.machines import LinearMachine
from mercer.tables import Encoding
from mercer.tabular import TableModel
from tests.reference.tables import table_of

RANDOM = np.random.default_rng(0)
CODES = np.arange(120) % 3
TABLE = table_of(
    {
        "x": (CODES + RANDOM.normal(size=120)).tolist(),
        "c": [str(one) for one in RANDOM.choice(["red", "green", "blue"], 120)],
    }
)
LABELS = np.array(["low", "mid", "top"])[CODES]
ENCODING = Encoding.learn(TABLE)
X = ENCODING(TABLE).X
RECORD = {"estimator": "SVC", "params": {"C": 1.0}, "seed": 0, "score": {"accuracy": 0.5}}
SETS = SplitSets.learn(np.eye(3)[CODES] + RANDOM.normal(size=(120, 3)), CODES)


def several(**params):
    fitted = SVC(probability=True, **params).fit(X, LABELS)
    classes = tuple(fitted.classes_.tolist())
    return TableModel(ENCODING, fitted._machine, "classification", "y", classes, fitted.calibration_, SETS, RECORD)


def two(kind="sigmoid"):
    fitted = SVC(probability=kind).fit(X, LABELS == "mid")
    return TableModel(ENCODING, fitted._machine, "classification", "y", ("no", "yes"), fitted.calibration_)


def linear():
    fitted = LinearSVC().fit(X, LABELS)
    machine = LinearMachine(fitted.coef_, fitted.intercept_)
    return TableModel(ENCODING, machine, "classification", "y", tuple(fitted.classes_.tolist()))


def regression():
    fitted = SVR(kernel="linear").fit(X, CODES.astype(float))
    return TableModel(ENCODING, fitted._machine, "regression", "y", conformal=SplitIntervals.learn([0.1, 0.2]))


MODELS = {
    "several": several(),
    "against rest": several(multi_class="ovr"),
    "two": two(),
    "isotonic": two("isotonic"),
    "temperature": two("temperature"),
    "linear": linear(),
    "regression": regression(),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_come_back_and_predict_the_same(name):
    model = MODELS[name]
    plain, arrays = model.arrays()
    assert all(type(array) is np.ndarray and array.dtype.kind in "fi" for array in arrays.values())
    again = TableModel.from_arrays(json.loads(json.dumps(plain, allow_nan=False)), arrays)
    level = None if model.conformal is None else 0.6
    one, other = (made.predict(TABLE, confidence_level=level) for made in (model, again))
    for field in ("labels", "values", "decision", "probabilities", "sets", "intervals"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    assert again.record == model.record
    assert again.classes == model.classes
    assert type(again.machine) is type(model.machine)


@pytest.mark.parametrize("name", MODELS)
def test_pickles_predict_the_same(name):
    model = MODELS[name]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(TABLE).decision, model.predict(TABLE).decision)


def test_the_machine_of_a_model_numbers_its_classes():
    model = MODELS["several"]
    assert model.machine.classes.tolist() == [0, 1, 2]
    assert set(model.predict(TABLE).labels) <= {"low", "mid", "top"}


# ---------------------------------------------------------------- forged


def forged(name, part, field, value):
    plain, arrays = copy.deepcopy(MODELS[name].arrays()[0]), dict(MODELS[name].arrays()[1])
    if f"{part}.{field}" in arrays:
        arrays[f"{part}.{field}"] = value
    elif part:
        plain[part][field] = value
    else:
        plain[field] = value
    return plain, arrays


WRONG = [
    ("several", "", "task", "regression"),
    ("several", "", "task", ["classification"]),
    ("several", "", "classes", ["a", "b"]),
    ("several", "", "classes", ["a", "b", "b"]),
    ("several", "", "classes", [1, 2, 3]),
    ("several", "", "classes", "abc"),
    ("several", "", "target", None),
    ("several", "", "record", None),
    ("several", "", "machine", None),
    ("several", "", "machine", []),
    ("several", "", "calibration", {"kind": "sigmoid"}),
    ("several", "", "conformal", "x"),
    ("several", "", "encoding", {}),
    ("several", "", "surplus", 1),
    ("several", "machine", "kind", "one function"),
    ("several", "machine", "kind", 3),
    ("several", "machine", "n_features", 10**9),
    ("several", "machine", "n_features", "4"),
    ("several", "machine", "kernel", {"kernel": "precomputed"}),
    ("several", "machine", "kernel", {"kernel": "rbf", "gamma": "scale"}),
    ("several", "machine", "kernel", {"kernel": "rbf", "gamma": -1.0}),
    ("several", "machine", "kernel", "rbf"),
    ("several", "machine", "is_precise", 1),
    ("several", "machine", "support_vectors.shape", [3, 3]),
    ("several", "machine", "n_support", np.array([10**9, 0, 0], dtype=np.int32)),
    ("several", "machine", "n_support", np.array([-1, 0, 0], dtype=np.int32)),
    ("several", "machine", "support", np.zeros(3, dtype=np.int32)),
    ("several", "machine", "dual_coef", np.zeros((2, 3))),
    ("several", "machine", "intercept", np.full(3, np.nan)),
    ("several", "calibration", "classes", 4),
    ("several", "calibration", "against_rest", True),
    ("several", "calibration", "against_rest", "no"),
    ("several", "calibration", "slope", np.zeros(2)),
    ("several", "calibration", "slope", np.full(3, np.nan)),
    ("several", "calibration", "kind", []),
    ("several", "conformal", "kind", "split intervals"),
    ("several", "conformal", "n_classes", 10**9),
    ("several", "conformal", "n_classes", True),
    ("several", "conformal", "per_class", 0),
    ("several", "conformal", "scores", np.full(120, np.nan)),
    ("several", "conformal", "scores", np.zeros(3)),
    ("several", "conformal", "codes", np.full(120, 3)),
    ("several", "conformal", "codes", np.full(120, -1)),
    ("several", "conformal", "codes", CODES.astype(float)),
    ("isotonic", "calibration", "starts", np.array([0, 10**9])),
    ("isotonic", "calibration", "starts", np.array([0.0, 2.0])),
    ("isotonic", "calibration", "knots", np.zeros(3)),
    ("temperature", "calibration", "inverse", -1.0),
    ("temperature", "calibration", "inverse", "1"),
    ("regression", "", "classes", ["a"]),
    ("regression", "conformal", "sizes", np.array([-1.0])),
    ("regression", "conformal", "sizes", np.array([np.inf])),
    ("regression", "conformal", "sizes", np.zeros((0,))),
    ("linear", "machine", "weights", np.zeros((3, 3))),
    ("linear", "machine", "weights", np.zeros((2, 4))),
    ("linear", "machine", "intercept", np.zeros(2)),
]


@pytest.mark.parametrize(("name", "part", "field", "value"), WRONG, ids=lambda value: f"{value!s:.20}")
def test_forged_fields_are_refused(name, part, field, value):
    with pytest.raises(MercerError):
        TableModel.from_arrays(*forged(name, part, field, value))


@pytest.mark.parametrize("array", ["surplus", "machine.more.data", "machine.surplus", "encoding.x", "."])
def test_arrays_that_belong_nowhere_are_refused(array):
    plain, arrays = MODELS["several"].arrays()
    with pytest.raises(MercerError):
        TableModel.from_arrays(plain, {**arrays, array: np.zeros(1)})


@pytest.mark.parametrize("name", MODELS)
def test_arrays_that_are_gone_are_missed(name):
    plain, arrays = MODELS[name].arrays()
    for gone in arrays:
        if gone == "machine.low":
            continue
        with pytest.raises(MercerError):
            TableModel.from_arrays(plain, {other: array for other, array in arrays.items() if other != gone})


@pytest.mark.parametrize("plain", [None, [], {}, "x", {"machine": {}}])
def test_other_values_are_no_model(plain):
    with pytest.raises(MercerError):
        TableModel.from_arrays(plain, {})


ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just({}) | st.just([])


@given(st.sampled_from(sorted(MODELS)), st.data())
@settings(max_examples=200, deadline=None)
def test_forged_values_either_work_or_are_refused(name, data):
    plain, arrays = copy.deepcopy(MODELS[name].arrays()[0]), MODELS[name].arrays()[1]
    part = data.draw(st.sampled_from(["", "machine", "calibration", "conformal"]))
    if part and plain[part] is None:
        return
    values = plain[part] if part else plain
    values[data.draw(st.sampled_from(sorted(values)))] = data.draw(ANYTHING)
    try:
        model = TableModel.from_arrays(plain, arrays)
    except MercerError:
        return
    assert len(model.predict(TABLE).decision) == TABLE.n_rows


def test_conformal_predictions_come_back():
    again = conformal_from_arrays(conformal_arrays(SETS))
    np.testing.assert_array_equal(again.scores, SETS.scores)
    np.testing.assert_array_equal(again.codes, SETS.codes)
    assert (again.n_classes, again.per_class) == (3, False)
