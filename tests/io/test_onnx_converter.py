"""Pipelines of scikit-learn's with Mercer's machines inside, converted by skl2onnx."""

import sys

import numpy as np
import pytest
import skl2onnx
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, RobustScaler, StandardScaler

import mercer
from mercer import (
    SVC,
    SVR,
    KernelRidge,
    KernelRidgeClassifier,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    TunedSVC,
)
from mercer.errors import InputError, MissingPackageError
from mercer.io.onnx_converter import register_with_skl2onnx
from mercer.io.onnx_exported import ESTIMATORS
from mercer.io.onnx_graph import to_onnx
from tests.reference.onnx_runs import run

X, Y = load_iris(return_X_y=True)
X = X + 1000.0
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
NUMBERS = np.sin(X[:, 0]) + X[:, 1]
# Scaling rounds features by 1e-16 of the 1000 that is taken off.
ROUNDING = 1e-9


@pytest.fixture(autouse=True)
def _registered():
    register_with_skl2onnx()


def columns_of(values):
    return values[:, None] if values.ndim == 1 else values


SCALERS = [StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler()]


@pytest.mark.parametrize("scaler", SCALERS, ids=str)
@pytest.mark.parametrize("machine", [SVC(), NuSVC(nu=0.2), LinearSVC(), KernelRidgeClassifier()], ids=str)
def test_classifier_in_a_pipeline(scaler, machine):
    model = make_pipeline(scaler, machine).fit(X, NAMES)
    found = run(skl2onnx.to_onnx(model, X[:1]), {"X": X})
    assert list(found) == ["label", "decision"]
    np.testing.assert_array_equal(found["label"], model.predict(X))
    np.testing.assert_allclose(found["decision"], columns_of(model.decision_function(X)), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("machine", [SVR(), NuSVR(), LinearSVR(), KernelRidge(kernel="laplacian")], ids=str)
def test_regression_in_a_pipeline(machine):
    model = make_pipeline(StandardScaler(), machine).fit(X, NUMBERS)
    found = run(skl2onnx.to_onnx(model, X[:1]), {"X": X})
    assert list(found) == ["variable"]
    np.testing.assert_allclose(found["variable"][:, 0], model.predict(X), rtol=0, atol=ROUNDING)


def test_outliers_in_a_pipeline():
    model = make_pipeline(StandardScaler(), OneClassSVM(nu=0.2)).fit(X)
    found = run(skl2onnx.to_onnx(model, X[:1]), {"X": X})
    assert list(found) == ["label", "scores"]
    np.testing.assert_array_equal(found["label"], model.predict(X))
    np.testing.assert_allclose(found["scores"][:, 0], model.decision_function(X), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("kind", ["sigmoid", "isotonic", "temperature"])
def test_probabilities_in_a_pipeline(kind):
    model = make_pipeline(StandardScaler(), SVC(probability=kind)).fit(X, Y)
    expected = model.predict_proba(X)
    for options in (None, {"zipmap": False}, {id(model): {"zipmap": False}}):
        found = run(skl2onnx.to_onnx(model, X[:1], options=options), {"X": X})
        assert list(found) == ["label", "probabilities", "decision"]
        np.testing.assert_allclose(found["probabilities"], expected, rtol=0, atol=1e-6)
    found = run(skl2onnx.to_onnx(model, X[:1], options={"zipmap": "columns"}), {"X": X})
    assert list(found) == ["output_label", "i0", "i1", "i2"]
    np.testing.assert_allclose(found["i1"].ravel(), expected[:, 1], rtol=0, atol=1e-6)


def test_two_classes_in_a_pipeline():
    kept = Y < 2
    model = make_pipeline(StandardScaler(), SVC(probability=True, kernel="laplacian")).fit(X[kept], Y[kept])
    found = run(to_onnx(model), {"X": X})
    np.testing.assert_array_equal(found["label"], model.predict(X))
    np.testing.assert_allclose(found["decision"][:, 0], model.decision_function(X), rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), rtol=0, atol=ROUNDING)


def test_several_machines_have_names_of_their_own():
    from sklearn.ensemble import StackingRegressor

    model = StackingRegressor(
        [("a", SVR(kernel="laplacian")), ("b", SVR(kernel="laplacian", gamma=0.1))], SVR(kernel="linear"), cv=2
    )
    model = make_pipeline(StandardScaler(), model).fit(X, NUMBERS)
    found = run(skl2onnx.to_onnx(model, X[:1]), {"X": X})
    np.testing.assert_allclose(found["variable"][:, 0], model.predict(X), rtol=0, atol=ROUNDING)


def test_float32_is_computed_in_float64():
    model = make_pipeline(SVC()).fit(X - 1000.0, Y)
    given = (X - 1000.0).astype(np.float32)
    found = run(skl2onnx.to_onnx(model, given[:1]), {"X": given})
    expected = model.decision_function(given.astype(np.float64))
    np.testing.assert_allclose(found["decision"], expected, rtol=0, atol=ROUNDING)


def test_encoders_of_scikit_learn():
    random = np.random.default_rng(0)
    table = np.column_stack([X[:, :2], random.integers(0, 4, len(X))])
    parts = [("scaled", StandardScaler(), [0, 1]), ("categories", OneHotEncoder(handle_unknown="ignore"), [2])]
    model = Pipeline([("parts", ColumnTransformer(parts, sparse_threshold=0)), ("machine", SVC())]).fit(table, Y)
    table[:5, 2] = 9.0
    found = run(to_onnx(model), {"X": table})
    np.testing.assert_array_equal(found["label"], model.predict(table))
    np.testing.assert_allclose(found["decision"], model.decision_function(table), rtol=0, atol=ROUNDING)


def test_a_pipeline_is_converted_without_registering():
    model = make_pipeline(StandardScaler(), SVC()).fit(X, Y)
    graph = to_onnx(model, opset=18)
    assert {one.domain: one.version for one in graph.opset_import}[""] == 18
    for part in (X, X[:1], X[:0]):
        found = run(graph, {"X": part})
        assert found["decision"].shape == (len(part), 3)
        if len(part):
            np.testing.assert_array_equal(found["label"], model.predict(part))


def test_a_tuned_machine_is_its_pipeline():
    model = TunedSVC(C=[1.0, 4.0], gamma=[0.1], cv=3).fit(X, Y)
    np.testing.assert_array_equal(run(to_onnx(model), {"X": X})["label"], model.predict(X))


def test_every_estimator_that_is_exported_is_registered():
    from skl2onnx._supported_operators import sklearn_operator_name_map

    for name in ESTIMATORS:
        assert sklearn_operator_name_map[getattr(mercer, name)] == f"Mercer{name}"


def test_old_operators_are_refused():
    with pytest.raises(InputError, match="target_opset: expected 13 or more, got 12"):
        skl2onnx.to_onnx(SVC().fit(X, Y), X[:1], target_opset=12)


def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(MissingPackageError, match=r"expected the package skl2onnx.*pip install mercer\[onnx\]"):
        register_with_skl2onnx()
    with pytest.raises(MissingPackageError, match="skl2onnx"):
        to_onnx(make_pipeline(StandardScaler(), SVC()).fit(X, Y))
