"""Estimators as ONNX graphs: labels, decision values, probabilities and predictions are those of Mercer."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC as OtherSVC

from mercer import (
    SVC,
    SVR,
    KernelRegression,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    SparseKernelRidge,
)
from mercer.errors import InputError, KernelError, MissingPackageError, ParameterError
from mercer.io.onnx_graph import save_onnx, to_onnx
from mercer.machines import LinearMachine, OneVsOneMachine, OneVsRestMachine
from tests.contracts.machine_registry import ENTRIES
from tests.reference.onnx_runs import run

ROUNDING = 1e-11
# A probability rises with a value by no more than the slope of its sigmoid, or of a piece of an isotonic function.
CALIBRATED = 1e-8


def rows(classes, count=160, seed=0):
    random = np.random.default_rng(seed)
    codes = np.arange(count) % classes
    centres = np.random.default_rng(classes).normal(scale=1.5, size=(classes, 4))
    return centres[codes] + random.normal(size=(count, 4)), codes


def names_of(codes):
    return np.array([f"class {code}" for code in codes])


def columns_of(decision):
    return decision[:, None] if decision.ndim == 1 else decision


def assert_same(model, X):
    """Whatever the graph answers is what the estimator answers, for many rows, one, and none."""
    graph = to_onnx(model)
    for part in (X, X[:1], X[:0]):
        found = run(graph, {"X": part})
        assert all(len(values) == len(part) for values in found.values())
        if not len(part):
            continue
        if "variable" in found:
            np.testing.assert_allclose(found["variable"], columns_of(model.predict(part)), rtol=0, atol=ROUNDING)
            continue
        expected = columns_of(model.decision_function(part))
        np.testing.assert_allclose(found["decision"], expected, rtol=0, atol=ROUNDING)
        np.testing.assert_array_equal(found["label"], model.predict(part))
        assert ("probabilities" in found) == hasattr(model, "predict_proba")
        if "probabilities" in found:
            np.testing.assert_allclose(found["probabilities"], model.predict_proba(part), rtol=0, atol=CALIBRATED)
    return run(graph, {"X": X})


CLASSIFIERS = [
    SVC(),
    SVC(C=100.0, kernel="poly", coef0=1.0),
    SVC(kernel="linear"),
    SVC(multi_class="ovr"),
    SVC(decision_function_shape="ovo"),
    SVC(break_ties=True),
    NuSVC(nu=0.2),
    LinearSVC(),
    KernelRidgeClassifier(0.1),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_classifier_answers_alike(model, classes):
    X, y = rows(classes)
    assert_same(model.fit(X, names_of(y)), rows(classes, seed=1)[0])


@pytest.mark.parametrize("kind", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_probabilities_are_alike(kind, multi_class, classes):
    X, y = rows(classes)
    model = SVC(probability=kind, multi_class=multi_class).fit(X, y)
    found = assert_same(model, rows(classes, seed=1)[0])
    np.testing.assert_allclose(found["probabilities"].sum(axis=1), 1)


def test_probabilities_of_sure_rows_are_alike():
    """Pairs that are as sure as can be make the systems of the coupling as far from the unit matrix as they get."""
    X, y = rows(10)
    assert_same(SVC(C=1e3, probability=True).fit(20 * X, y), 20 * rows(10, seed=1)[0])


def test_isotonic_steps_are_taken_at_their_knots():
    X, y = rows(2)
    model = SVC(kernel="linear", probability="isotonic").fit(X, y)
    given = model.calibration_
    stepped = type(given)(2, False, np.array([-1.0, 0.0, 0.0, 1.0]), np.array([0.1, 0.2, 0.6, 0.9]), np.array([0, 4]))
    object.__setattr__(model, "calibration_", stepped)
    # Rows along the weights, whose values are known exactly enough to be on either side of the knots.
    graph = to_onnx(model)
    found = run(graph, {"X": X})
    sure = np.abs(found["decision"][:, 0]) > 1e-9
    np.testing.assert_allclose(found["probabilities"][sure], model.predict_proba(X)[sure], atol=1e-12)
    at_zero = run(to_onnx(_without_rows(model, stepped)), {"X": np.zeros((1, 4))})
    assert at_zero["probabilities"][0, 1] == pytest.approx(stepped(np.zeros((1, 1)))[0, 1]) == 0.6


def _without_rows(model, calibration):
    """The same classifier whose value at the origin is zero."""
    model._machine = OneVsOneMachine(
        kernel=model.kernel_,
        n_features=4,
        support=np.arange(2, dtype=np.int32),
        support_vectors=np.eye(2, 4),
        n_support=np.ones(2, dtype=np.int32),
        dual_coef=np.array([[1.0, -1.0]]),
        intercept=np.zeros(1),
        classes=np.arange(2),
    )
    return model


def test_classes_may_be_decided_by_probabilities():
    X, y = rows(10)
    model = SVC(probability=True, predict_by="probability").fit(X, y)
    new, _ = rows(10, count=400, seed=1)
    assert_same(model, new)
    assert np.any(model.predict(new) != SVC().fit(X, y).predict(new))


def test_ties_of_votes_are_for_the_lowest_class_or_broken_by_values():
    X, y = rows(4, count=300)
    y = np.random.default_rng(0).permutation(y)
    new, _ = rows(4, count=1000, seed=1)
    by_votes, by_values = (SVC(gamma=1.0, break_ties=flag).fit(X, y) for flag in (False, True))
    assert np.any(by_votes.predict(new) != by_values.predict(new))
    for model in (by_votes, by_values):
        assert_same(model, new)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["no", "yes"], object),
        (np.array(["no", "yes"], dtype=object), object),
        ([-5, 2**40], np.int64),
        (np.array([3, 7], dtype=np.uint8), np.int64),
        ([False, True], np.int64),
        ([1.0, 2.0], np.int64),
    ],
)
def test_labels_are_whole_numbers_or_texts(labels, expected):
    X, y = rows(2)
    model = SVC().fit(X, np.asarray(labels)[y])
    found = run(to_onnx(model), {"X": X})["label"]
    assert found.dtype == expected
    np.testing.assert_array_equal(found, model.predict(X))


def test_other_labels_are_refused():
    machine = SVC().fit(*rows(2))._machine
    with pytest.raises(InputError, match=r"whole numbers or texts, got \[0.5, 1.5\]"):
        to_onnx(replace(machine, classes=np.array([0.5, 1.5])))
    with pytest.raises(InputError, match=r"whole numbers or texts, got \['a', 2\]"):
        to_onnx(replace(machine, classes=np.array(["a", 2], dtype=object)))


REGRESSORS = [
    SVR(),
    SVR(kernel="linear"),
    NuSVR(),
    LinearSVR(),
    KernelRidge(kernel="rbf"),
    KernelRidgeCV(),
    SparseKernelRidge(kernel="rbf", n_components=20),
    KernelRegression(),
]


@pytest.mark.filterwarnings("ignore::mercer.errors.UnsolvedWarning")
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regression_answers_alike(model):
    X, _ = rows(3)
    assert_same(model.fit(X, np.sin(X[:, 0]) + X[:, 1]), rows(3, seed=1)[0])


def test_several_targets_are_several_columns():
    X, _ = rows(3)
    model = KernelRidge(kernel="rbf", fit_intercept=True).fit(X, X[:, :3] ** 2)
    assert assert_same(model, rows(3, seed=1)[0])["variable"].shape == (160, 3)


def test_outliers_are_alike():
    X, _ = rows(2)
    found = assert_same(OneClassSVM(nu=0.2).fit(X), rows(2, seed=1)[0])
    assert set(found["label"]) == {-1, 1}


@pytest.mark.parametrize("model", [SVC(), SVC(kernel="linear"), SVC(kernel="laplacian"), SVR(gamma=0.1)], ids=str)
def test_machines_of_sparse_rows_take_dense_ones(model):
    X, y = rows(3)
    X[np.abs(X) < 0.7] = 0.0
    assert_same(model.fit(sp.csr_matrix(X), y), X)


def test_rows_far_from_the_origin_are_classified_alike():
    X, y = rows(3)
    assert_same(SVC(gamma=0.2, probability=True).fit(X + 1000.0, y), rows(3, seed=1)[0] + 1000.0)


def test_a_machine_without_support_vectors_is_its_intercept():
    X, _ = rows(2)
    model = SVR(epsilon=10.0).fit(X, np.sin(X[:, 0]))
    assert not len(model.support_)
    assert_same(model, X)


def test_a_class_without_support_vectors_counts():
    """As a file may have it: the functions of its pairs are sums over the other class."""
    random = np.random.default_rng(0)
    machine = OneVsOneMachine(
        kernel=SVC(gamma=0.5).fit(*rows(2)).kernel_,
        n_features=4,
        support=np.arange(5, dtype=np.int32),
        support_vectors=random.normal(size=(5, 4)),
        n_support=np.array([3, 0, 2], dtype=np.int32),
        dual_coef=random.normal(size=(2, 5)),
        intercept=random.normal(size=3),
        classes=np.arange(3),
    )
    X, _ = rows(2)
    found = run(to_onnx(machine), {"X": X})
    np.testing.assert_allclose(found["decision"], machine.values(X, None), atol=1e-12)
    np.testing.assert_array_equal(found["label"], machine.votes(machine.values(X, None)))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_machine_is_exported_or_refused(entry):
    machine, queries, _ = entry.make()
    if entry.name == "precise":
        with pytest.raises(InputError, match="twice that precision"):
            to_onnx(machine)
    elif "precomputed" in entry.name or "callable" in entry.name:
        with pytest.raises(KernelError, match="a kernel that is a formula"):
            to_onnx(machine)
    else:
        X = queries.toarray() if sp.issparse(queries) else queries
        found = run(to_onnx(machine), {"X": X})
        has_classes = isinstance(machine, (OneVsOneMachine, OneVsRestMachine))
        values = found["decision" if has_classes else "variable"]
        np.testing.assert_allclose(values, machine.values(X, None), rtol=0, atol=ROUNDING)


def test_a_search_is_what_it_found():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(SVC(), {"C": [1.0, 10.0]}, cv=3).fit(X, y)
    np.testing.assert_array_equal(run(to_onnx(search), {"X": X})["label"], search.predict(X))


def test_a_graph_has_few_constants_beside_the_machine():
    X, y = rows(10)
    model = SVC().fit(X, y)
    numbers = len(model.support_) * (X.shape[1] + 2 + 9)
    assert len(to_onnx(model).SerializeToString()) < 8 * numbers + 20_000


# ---------------------------------------------------------------- what is refused


def test_other_models_are_refused():
    X, y = rows(2)
    with pytest.raises(InputError, match=r"expected a model of a table, .*SVC.*, got SVC"):
        to_onnx(OtherSVC().fit(X, y))
    with pytest.raises(InputError, match="expected a fitted SVC, got one before fit"):
        to_onnx(SVC())
    with pytest.raises(InputError, match="expected a fitted LinearSVC, got one before fit"):
        to_onnx(LinearSVC())


@pytest.mark.parametrize(("options", "named"), [({"opset": 12}, "opset"), ({"n_features": 5}, "n_features")])
def test_other_parameters_are_refused(options, named):
    with pytest.raises(ParameterError, match=f"{named}: expected"):
        to_onnx(SVC().fit(*rows(2)), **options)


def test_parameters_that_do_not_go_together_are_refused_as_in_predict():
    model = SVC(break_ties=True, decision_function_shape="ovo").fit(*rows(3))
    with pytest.raises(ParameterError, match="break_ties must be False"):
        to_onnx(model)
    with pytest.raises(ParameterError, match="predict_by='probability' expects"):
        to_onnx(SVC().fit(*rows(3)).set_params(predict_by="probability"))


def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingPackageError, match=r"pip install mercer\[onnx\]"):
        to_onnx(LinearMachine([[1.0]], [0.0]))


def test_the_package_is_imported_when_asked_for():
    code = "import sys, mercer.io, mercer.io.onnx_graph; print('onnx' in sys.modules, 'skl2onnx' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "False False\n"
    )


# ---------------------------------------------------------------- files


def test_saved_file_is_the_model(tmp_path):
    import onnx

    X, y = rows(3)
    model = SVC().fit(X, y)
    path = save_onnx(model, tmp_path / "svc.onnx")
    assert [one.name for one in tmp_path.iterdir()] == ["svc.onnx"]
    np.testing.assert_array_equal(run(onnx.load(path), {"X": X})["label"], model.predict(X))


def test_failed_writing_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "svc.onnx"
    path.write_text("before")

    def full(number):
        raise OSError("No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        save_onnx(LinearMachine([[1.0]], [0.0]), path)
    assert [one.name for one in tmp_path.iterdir()] == ["svc.onnx"]
    assert path.read_text() == "before"
