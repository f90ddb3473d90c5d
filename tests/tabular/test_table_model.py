"""Models of tables: they predict as the estimators that hold the same machines do."""

import numpy as np
import pytest
from sklearn.utils.multiclass import _ovr_decision_function

from mercer import SVC, SVR, KernelRidge, LinearSVC, LinearSVR
from mercer.calibration import SplitIntervals, SplitSets
from mercer.errors import InputError
from mercer.machines import LinearMachine, pair_class_values
from mercer.tables import Encoding
from mercer.tabular import TableModel
from tests.reference.tables import table_of


def rows(count, classes, seed=0):
    """A table of two numbers and a category, the names of classes, and numbers that go with them."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, classes, count)
    table = table_of(
        {
            "x": (codes + random.normal(size=count)).tolist(),
            "z": (codes % 2 + random.normal(size=count)).tolist(),
            "c": [str(one) for one in random.choice(["red", "green", "blue"], count)],
        }
    )
    names = np.array(["north", "east", "south", "west"])[codes]
    return table, names, codes + 0.1 * random.normal(size=count)


def classifier(estimator, classes, **fields):
    table, labels, _ = rows(300, classes)
    encoding = Encoding.learn(table)
    estimator.fit(encoding(table).X, labels)
    names = tuple(estimator.classes_.tolist())
    machine = (
        estimator._machine if hasattr(estimator, "_machine") else LinearMachine(estimator.coef_, estimator.intercept_)
    )
    return estimator, TableModel(encoding, machine, "classification", "side", names, **fields)


CLASSIFIERS = [
    (SVC(), 2),
    (SVC(), 3),
    (SVC(), 4),
    (SVC(C=0.02, gamma=3.0), 4),
    (SVC(multi_class="ovr"), 4),
    (SVC(kernel="linear"), 3),
    (SVC(kernel="poly"), 2),
    (LinearSVC(), 2),
    (LinearSVC(), 4),
]


@pytest.mark.parametrize(("estimator", "classes"), CLASSIFIERS, ids=str)
def test_labels_are_those_of_the_estimator(estimator, classes):
    estimator, model = classifier(estimator, classes)
    table, _, _ = rows(500, classes, seed=1)
    X = model.encoding(table).X
    found = model.predict(table)
    np.testing.assert_array_equal(found.labels, estimator.predict(X))
    np.testing.assert_array_equal(model.predict(table, labels_only=True).labels, found.labels)
    assert found.labels.dtype == object
    assert {type(label) for label in found.labels} == {str}
    functions = found.decision[:, 0] if classes == 2 else found.decision
    if isinstance(estimator, SVC):
        estimator.set_params(decision_function_shape="ovo")
    np.testing.assert_array_equal(functions, estimator.decision_function(X))
    assert found.probabilities is found.sets is found.intervals is found.values is None


def test_ties_are_broken_as_the_estimator_does_without_break_ties():
    table, labels, _ = rows(300, 4)
    encoding = Encoding.learn(table)
    noise = np.random.default_rng(0).permutation(labels)
    estimator = SVC(gamma=1.0).fit(encoding(table).X, noise)
    model = TableModel(encoding, estimator._machine, "classification", "side", tuple(estimator.classes_.tolist()))
    table, _, _ = rows(1000, 4, seed=1)
    found = model.predict(table)
    votes = np.round(pair_class_values(found.decision, 4))
    is_tied = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
    assert is_tied.any()
    np.testing.assert_array_equal(found.labels, estimator.predict(encoding(table).X))


@pytest.mark.parametrize("estimator", [SVR(), SVR(kernel="linear"), LinearSVR(), KernelRidge(kernel="rbf")], ids=str)
def test_values_are_those_of_the_estimator(estimator):
    train, _, targets = rows(300, 3)
    encoding = Encoding.learn(train)
    estimator.fit(encoding(train).X, targets)
    machine = (
        estimator._machine if hasattr(estimator, "_machine") else LinearMachine([estimator.coef_], estimator.intercept_)
    )
    model = TableModel(encoding, machine, "regression", "y")
    table, _, _ = rows(200, 3, seed=1)
    found = model.predict(table)
    np.testing.assert_allclose(found.values, estimator.predict(encoding(table).X), rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal(found.decision[:, 0], found.values)
    assert found.labels is None


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("kind", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_probabilities_are_those_of_the_estimator(classes, kind, multi_class):
    estimator = SVC(probability=kind, multi_class=multi_class)
    estimator, model = classifier(estimator, classes)
    model = TableModel(model.encoding, model.machine, model.task, model.target, model.classes, estimator.calibration_)
    table, _, _ = rows(50, classes, seed=1)
    expected = estimator.predict_proba(model.encoding(table).X)
    np.testing.assert_array_equal(model.predict(table).probabilities, expected)


@pytest.mark.parametrize("estimator", [SVC(), SVC(multi_class="ovr"), LinearSVC()], ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_sets_are_those_of_the_estimators_values(estimator, classes):
    estimator, model = classifier(estimator, classes)
    apart, labels, _ = rows(100, classes, seed=3)
    codes = np.searchsorted(estimator.classes_, labels)
    table, _, _ = rows(60, classes, seed=4)

    def values(rows):
        decision = estimator.decision_function(model.encoding(rows).X)
        return np.stack([-decision, decision], axis=1) if classes == 2 else decision

    sets = SplitSets.learn(values(apart), codes)
    model = TableModel(model.encoding, model.machine, model.task, model.target, model.classes, None, sets)
    np.testing.assert_array_equal(model.predict(table, confidence_level=0.8).sets, sets.sets(values(table), 0.8))
    assert model.predict(table).sets is None


def test_intervals_are_around_the_values():
    train, _, targets = rows(300, 3)
    encoding = Encoding.learn(train)
    machine = SVR().fit(encoding(train).X, targets)._machine
    model = TableModel(encoding, machine, "regression", "y", conformal=SplitIntervals.learn([0.1, -0.2, 0.3, 0.4]))
    found = model.predict(train, confidence_level=0.6)
    np.testing.assert_allclose(found.intervals, np.stack([found.values - 0.3, found.values + 0.3], axis=1))


@pytest.mark.parametrize("classes", [3, 4, 7])
def test_class_values_of_pairs_are_those_of_scikit_learn(classes):
    random = np.random.default_rng(classes)
    values = random.normal(size=(200, classes * (classes - 1) // 2))
    values[random.uniform(size=values.shape) < 0.1] = 0.0
    np.testing.assert_array_equal(
        pair_class_values(values, classes), _ovr_decision_function(values < 0, -values, classes)
    )


# ---------------------------------------------------------------- tables


def test_surprises_are_told():
    _, model = classifier(SVC(), 2)
    table = table_of(
        {"c": ["red", "pink", "pink"], "z": [1.0, None, 2.0], "x": [0.0, 1.0, 2.0], "more": [1.0, 2.0, 3.0]}
    )
    found = model.predict(table)
    assert found.unseen == {"c": 2}
    assert found.missing == {"z": 1}
    assert len(found.labels) == 3


def test_no_rows_have_no_predictions():
    estimator, model = classifier(SVC(probability=True), 4)
    codes = np.arange(8) % 4
    sets = SplitSets.learn(np.eye(4)[codes], codes)
    model = TableModel(
        model.encoding, model.machine, model.task, model.target, model.classes, estimator.calibration_, sets
    )
    found = model.predict(rows(5, 4)[0].take([]), confidence_level=0.9)
    assert found.labels.shape == (0,)
    assert found.decision.shape == (0, 6)
    assert found.probabilities.shape == found.sets.shape == (0, 4)
    assert model.predict(rows(5, 4)[0].take([]), labels_only=True).labels.shape == (0,)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_are_tables(library):
    pytest.importorskip("mercer.tables.frames")
    frames = pytest.importorskip(library)
    _, model = classifier(SVC(), 3)
    table, _, _ = rows(40, 3, seed=1)
    frame = frames.DataFrame(
        {column.name: column.texts() if column.words else column.values for column in table.columns}
    )
    np.testing.assert_array_equal(model.predict(frame).decision, model.predict(table).decision)


def test_threads_do_not_matter():
    _, model = classifier(SVC(), 4)
    table, _, _ = rows(500, 4, seed=1)
    one, two = (model.predict(table, threads=threads).decision for threads in (1, 2))
    np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12)


def test_sets_without_conformal_predictions_are_refused():
    _, model = classifier(SVC(), 2)
    with pytest.raises(InputError, match="expected a model with conformal sets"):
        model.predict(rows(5, 2)[0], confidence_level=0.9)


# ---------------------------------------------------------------- what does not fit


def fields_of(model):
    return {name: getattr(model, name) for name in model.__dataclass_fields__}


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("task", "clustering", "task: expected one of"),
        ("task", "regression", "expected a machine of one function"),
        ("target", 3, "target: expected the name of a column"),
        ("classes", ("a", "b"), "classes: expected 3 different texts"),
        ("classes", ("a", "b", "b"), "classes: expected 3 different texts"),
        ("classes", ("a", "b", 3), "classes: expected 3 different texts"),
        ("machine", LinearMachine(np.ones((3, 2)), 0.0), "expected a machine of 5 features.*got one of 2"),
        ("machine", None, "expected an encoding and a machine"),
        ("conformal", SplitIntervals.learn([1.0]), "conformal: expected sets of 3 classes"),
        ("conformal", SplitSets.learn(np.eye(2), np.arange(2)), "conformal: expected sets of 3 classes"),
        ("record", {"x": np.nan}, "record: expected what JSON can hold"),
        ("record", {"x": np.zeros(2)}, "record: expected what JSON can hold"),
        ("record", [], "record: expected a dict"),
    ],
)
def test_fields_that_do_not_fit_together_are_refused(field, value, told):
    _, model = classifier(SVC(), 3)
    with pytest.raises(InputError, match=told):
        TableModel(**{**fields_of(model), field: value})


def test_kernels_that_know_training_rows_only_are_refused():
    table, labels, _ = rows(60, 2)
    encoding = Encoding.learn(table)
    machine = SVC(kernel="precomputed").fit(np.eye(60), labels)._machine
    wide = Encoding.learn(table_of({f"x{k}": [float(k), 1.0, -2.0] for k in range(60)}))
    with pytest.raises(InputError, match="expected a kernel of features"):
        TableModel(wide, machine, "classification", "side", ("east", "north"))
    with pytest.raises(InputError, match="expected a machine of 5 features"):
        TableModel(encoding, machine, "classification", "side", ("east", "north"))


def test_calibrations_of_other_classes_are_refused():
    two, _ = classifier(SVC(probability=True), 2)
    _, model = classifier(SVC(), 3)
    with pytest.raises(InputError, match="calibration: expected one of as many functions"):
        TableModel(**{**fields_of(model), "calibration": two.calibration_})


def test_regressions_have_neither_classes_nor_calibrations():
    train, _, targets = rows(50, 3)
    encoding = Encoding.learn(train)
    machine = SVR().fit(encoding(train).X, targets)._machine
    with pytest.raises(InputError, match="neither classes nor a calibration"):
        TableModel(encoding, machine, "regression", "y", ("a", "b"))
    with pytest.raises(InputError, match="expected intervals"):
        TableModel(encoding, machine, "regression", "y", conformal=SplitSets.learn(np.eye(2), np.arange(2)))
