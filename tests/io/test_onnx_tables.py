"""Models of tables as ONNX graphs with their encoders: an input for each column, the answers those of the model."""

import builtins
import json
from datetime import datetime, timedelta

import numpy as np
import pytest

from mercer import SVC, SVR, LinearSVC
from mercer.errors import InputError, ParameterError
from mercer.io.onnx_graph import onnx_inputs, to_onnx
from mercer.machines import LinearMachine
from mercer.tables import Encoding
from mercer.tables.category_code import CategoryCode
from mercer.tabular import TableModel
from tests.reference.onnx_runs import run
from tests.reference.tables import table_of

ROUNDING = 1e-11
CALIBRATED = 1e-8

TOWNS = ["Aachen", "Bern", "Cluj", "Dresden", "Évora", "東京"]
KINDS = {"when": "date", "member": "boolean", "town": "text", "size": "number", "id": "text"}


def mixed(count, seed=0, towns=TOWNS, missing=0.15):
    """A table of every kind of column, with values missing in some."""
    random = np.random.default_rng(seed)

    def some(values):
        return [None if random.random() < missing else value for value in values]

    start = datetime(2019, 5, 17, 6, 30)
    return table_of(
        {
            "size": some((1000 + 3 * random.normal(size=count)).tolist()),
            "full size": random.normal(size=count).tolist(),
            "town": some([towns[k] for k in np.minimum(random.geometric(0.4, count) - 1, len(towns) - 1)]),
            "colour": [str(one) for one in random.choice(["red", "green"], count)],
            "member": some((random.random(count) < 0.3).tolist()),
            "when": some([start + timedelta(hours=float(h)) for h in random.uniform(-2e4, 2e4, count)]),
            "day": [datetime(1969, 12, 1) + timedelta(days=int(d)) for d in random.integers(0, 60, count)],
            "same": some([7.0] * count),
            "id": some([f"row {seed} {k}" for k in range(count)]),
            "always": ["x"] * count,
        },
        KINDS,
    )


def targets_of(table, classes):
    """Numbers that depend on every kind of column, and classes made of them."""
    X = Encoding.learn(table)(table).X
    numbers = X @ np.random.default_rng(1).normal(size=X.shape[1])
    return numbers, np.searchsorted(np.quantile(numbers, np.linspace(0, 1, classes + 1)[1:-1]), numbers)


def model_of(estimator, classes=None, **learning):
    table = mixed(300)
    numbers, codes = targets_of(table, classes or 2)
    encoding = Encoding.learn(table, **learning)
    estimator.fit(encoding(table).X, numbers if classes is None else codes)
    weights = getattr(estimator, "_machine", None) or LinearMachine(
        np.atleast_2d(estimator.coef_), np.atleast_1d(estimator.intercept_)
    )
    if classes is None:
        return TableModel(encoding, weights, "regression", "y")
    names = tuple(f"grade {code}" for code in range(classes))
    calibration = getattr(estimator, "calibration_", None)
    return TableModel(encoding, weights, "classification", "grade", names, calibration)


def assert_same(model, table):
    found = run(to_onnx(model), onnx_inputs(model, table))
    expected = model.predict(table)
    if not model.is_classifier:
        np.testing.assert_allclose(found["variable"][:, 0], expected.values, rtol=0, atol=ROUNDING)
        return expected
    np.testing.assert_array_equal(found["label"], expected.labels)
    assert found["label"].shape == (table.n_rows,)
    np.testing.assert_allclose(found["decision"], expected.decision, rtol=0, atol=ROUNDING)
    if expected.probabilities is not None:
        np.testing.assert_allclose(found["probabilities"], expected.probabilities, rtol=0, atol=CALIBRATED)
    return expected


ESTIMATORS = [
    (SVC(), 2),
    (SVC(probability=True), 3),
    (SVC(probability="isotonic", multi_class="ovr"), 10),
    (LinearSVC(), 3),
    (SVR(), None),
    (SVR(kernel="laplacian"), None),
]


@pytest.mark.parametrize(("estimator", "classes"), ESTIMATORS, ids=str)
def test_answers_are_those_of_the_model(estimator, classes):
    model = model_of(estimator, classes)
    assert {code.code for code in model.encoding.columns} == {
        *("number", "category", "boolean", "date", "presence", "left out")
    }
    assert_same(model, mixed(200, seed=1))


@pytest.mark.parametrize("least_rows", [1, 30])
def test_categories_that_training_has_not_seen_are_those_of_the_model(least_rows):
    """With rare values that share a feature, new ones have it; else they have none."""
    model = model_of(SVC(), 3, least_rows=least_rows)
    (code,) = (code for code in model.encoding.columns if code.name == "town")
    assert bool(code.n_pooled) == (least_rows > 1)
    expected = assert_same(model, mixed(200, seed=1, towns=[*TOWNS[:2], "Ghent", "Aachen ", "aachen", "?"]))
    assert expected.unseen["town"] > 20


def test_values_that_were_never_missing_may_be():
    table = mixed(300, missing=0.0)
    numbers, _ = targets_of(table, 2)
    encoding = Encoding.learn(table, least_rows=30)
    estimator = SVR().fit(encoding(table).X, numbers)
    model = TableModel(encoding, estimator._machine, "regression", "y")
    expected = assert_same(model, mixed(200, seed=1, missing=0.5))
    assert set(expected.missing) == {"size", "town", "member", "when"}


@pytest.mark.parametrize("count", [0, 1])
def test_batches_of_no_row_and_of_one(count):
    for estimator, classes in ((SVC(probability=True), 3), (SVC(kernel="laplacian"), 2), (SVR(), None)):
        assert_same(model_of(estimator, classes), mixed(count, seed=1))


def test_rows_without_any_value():
    model = model_of(SVC(), 3)
    empty = table_of({name: [None] * 3 for name in model.encoding.names}, dict(model.encoding.schema))
    assert_same(model, empty)


def test_numbers_far_beyond_those_of_training_count_as_far():
    model = model_of(SVC(), 2)
    table = mixed(5, seed=1)
    table["full size"].values[:] = [1e300, -1e300, 1e9, -1e9, 1e5]
    assert_same(model, table)


def test_inputs_are_the_columns():
    model = model_of(SVC(), 2)
    graph = to_onnx(model).graph
    assert [one.name for one in graph.input] == [name for name, _ in model.encoding.schema]
    told = {one.name: one.doc_string for one in graph.input}
    assert told["member"] == "member: 0 or 1, NaN where missing; 0 is 'false', 1 is 'true'"
    assert told["when"] == "when: days since 1970-01-01 with their fractions, NaN where missing"
    feed = onnx_inputs(model, mixed(50, seed=1))
    assert {name: values.dtype.kind for name, values in feed.items()} == {
        one.name: "O" if one.type.tensor_type.elem_type == 8 else "f" for one in graph.input
    }
    assert {values.shape for values in feed.values()} == {(50, 1)}
    assert {one.name for one in graph.output} == {"label", "decision"}


def test_days_may_be_before_1970_and_have_fractions():
    feed = onnx_inputs(
        Encoding.learn(table_of({"t": [datetime(2000, 1, 1), datetime(2001, 1, 1)]})),
        table_of({"t": [datetime(1969, 12, 31, 18), None]}),
    )
    np.testing.assert_array_equal(feed["t"], [[-0.25], [np.nan]])


def test_names_of_outputs_give_way_to_those_of_columns():
    names = ["label", "decision", "X", "constant", "mul", ""]
    values = np.random.default_rng(0).normal(size=(len(names), 40))
    table = table_of(dict(zip(names, values.tolist(), strict=True)))
    encoding = Encoding.learn(table)
    machine = LinearMachine(np.ones((1, len(names))), [0.1])
    model = TableModel(encoding, machine, "classification", "y", ("no", "yes"))
    graph = to_onnx(model)
    assert [one.name for one in graph.graph.input] == [*names[:-1], "column"]
    found = run(graph, onnx_inputs(model, table))
    assert list(found) == ["label_1", "decision_1"]
    np.testing.assert_array_equal(found["label_1"], model.predict(table).labels)


def test_an_empty_category_is_refused():
    code = CategoryCode("town", "", ("", "Bern"), (), 0, False)
    model = TableModel(Encoding((code,)), LinearMachine([[1.0, 2.0]], [0.0]), "regression", "y")
    with pytest.raises(InputError, match="no category of column 'town' to be an empty text"):
        to_onnx(model)


def test_texts_need_operators_that_compare_them():
    with pytest.raises(ParameterError, match=r"opset.*text"):
        to_onnx(model_of(SVC(), 2), opset=18)


def test_tables_without_text_need_no_new_operators():
    table = mixed(200).select(["size", "when", "member"])
    encoding = Encoding.learn(table)
    model = TableModel(encoding, LinearMachine(np.ones((1, encoding.n_features)), [0.1]), "regression", "y")
    found = run(to_onnx(model, opset=13), onnx_inputs(model, table))
    np.testing.assert_allclose(found["variable"][:, 0], model.predict(table).values, atol=1e-12)


def test_scikit_learn_is_not_asked_for(monkeypatch):
    model = model_of(SVC(probability=True), 3)
    original = builtins.__import__

    def without(name, *others, **named):
        assert name.partition(".")[0] not in ("sklearn", "skl2onnx")
        assert not name.startswith("mercer.estimators")
        return original(name, *others, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    assert to_onnx(model).producer_name == "mercer"


def test_the_target_is_told():
    told = {one.key: one.value for one in to_onnx(model_of(SVC(), 2)).metadata_props}
    assert told == {"mercer.machine": "one-vs-one", "mercer.target": "grade"}
    assert json.dumps(told)


def test_steps_and_words_are_features_in_the_graph_too():
    random = np.random.default_rng(0)
    titles, count = np.array(["Mr.", "Mrs", "(Dr)", "dr,", "MISS"]), 400
    names = [f"Name{k}, {title} Else-{k}" for k, title in enumerate(random.choice(titles, count))]
    names[3], names[7] = None, "Mr.Mr drmiss"
    hours = random.integers(0, 24, count).astype(float)
    table = table_of({"name": names, "hour": [None, *hours[1:].tolist()]}, {"name": "text", "hour": "number"})
    encoding = Encoding.learn(table)
    assert [code.code for code in encoding.columns] == ["words", "steps"]
    machine = LinearMachine(random.normal(size=(1, encoding.n_features)), np.zeros(1))
    model = TableModel(encoding, machine, "regression", "y")
    queries = table_of({"name": [*names, "dr\tWho", "nobody"], "hour": [*hours.tolist(), 7.5, 99.0]}, {"name": "text"})
    (found,) = run(to_onnx(model), onnx_inputs(model, queries)).values()
    np.testing.assert_allclose(found.ravel(), model.predict(queries).values, rtol=0, atol=ROUNDING)
    with pytest.raises(ParameterError, match="free text"):
        to_onnx(model, opset=19)
