"""What every estimator of the registry promises: copies, parameters, refusals and read-only results."""

import inspect
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import mercer
from mercer import NuSVC, ParameterError, Status
from mercer.estimators.base import KernelEstimator
from tests.contracts.estimator_data import ARRAYS, ENTRY, TOL, N, assert_same_machine, data, make, rows, values
from tests.contracts.estimator_registry import ENTRIES, named


@ENTRY
def test_pickled_model_is_the_same(entry):
    X, y = data(entry)
    model = make(entry).fit(X, y)
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(values(other, X), values(model, X))
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(other, name), getattr(model, name))
        assert not getattr(other, name).flags.writeable, name
    assert other.certificate_ == model.certificate_
    assert other.status_ is model.status_
    assert other.plan_ == model.plan_
    assert mercer.certify(other, X, y).holds(TOL)
    # A fit of the copy goes on as one of the model would.
    np.testing.assert_array_equal(values(other.fit(X, y), X), values(model, X))


@ENTRY
def test_pickled_model_that_is_not_fitted_can_be_fitted(entry):
    X, y = data(entry)
    other = pickle.loads(pickle.dumps(make(entry)))
    np.testing.assert_array_equal(values(other.fit(X, y), X), values(make(entry).fit(X, y), X))


@pytest.mark.parametrize("mmap_mode", [None, "r"])
@ENTRY
def test_model_written_by_joblib_is_the_same(entry, mmap_mode, tmp_path):
    X, y = data(entry)
    model = make(entry).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    other = joblib.load(tmp_path / "model.joblib", mmap_mode=mmap_mode)
    np.testing.assert_array_equal(values(other, X), values(model, X))
    assert other.certificate_ == model.certificate_


@ENTRY
def test_models_are_fitted_alike_in_joblibs_threads(entry):
    X, y = data(entry)
    models = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(make(entry).fit)(X, y) for _ in range(4))
    for model in models:
        assert_same_machine(model, models[0], X)


@ENTRY
def test_clone_has_the_parameters_and_is_not_fitted(entry):
    X, y = data(entry)
    model = make(entry, cache_size=77, random_state=5, time_limit=60.0).fit(X, y)
    other = clone(model)
    assert other.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        other.predict(X)
    np.testing.assert_array_equal(values(other.fit(X, y), X), values(model, X))


@ENTRY
def test_parameters_are_those_of_the_signature_and_can_be_set(entry):
    signature = inspect.signature(entry.kind).parameters
    model = entry.kind()
    assert model.get_params() == {name: parameter.default for name, parameter in signature.items()}
    new = {"gamma": 0.1, "tol": 1e-2, "max_iter": 7, "warm_start": True, "time_limit": 3.0}
    assert model.set_params(**new) is model
    assert model.get_params() == {**{name: p.default for name, p in signature.items()}, **new}
    with pytest.raises(ValueError, match="nonsense"):
        model.set_params(nonsense=1)
    assert "tol=0.01" in repr(model)


@ENTRY
def test_fit_changes_no_parameter_and_not_the_data(entry):
    X, y = data(entry)
    v = np.linspace(0.5, 1.5, N)
    kept = X.copy(), y.copy(), v.copy()
    model = make(entry)
    before = model.get_params()
    assert model.fit(X, y, sample_weight=v) is model
    assert model.get_params() == before
    for array, copy in zip((X, y, v), kept, strict=True):
        np.testing.assert_array_equal(array, copy)


BAD = [
    {"nu": 0},
    {"nu": -0.5},
    {"nu": 1.5},
    {"nu": "a"},
    {"nu": np.nan},
    {"nu": None},
    {"epsilon": -1},
    {"epsilon": "a"},
    {"epsilon": np.nan},
    {"epsilon": np.inf},
    {"C": 0},
    {"C": -1},
    {"C": "a"},
    {"C": np.nan},
    {"tol": 0},
    {"tol": -1e-3},
    {"tol": np.nan},
    {"tol": "a"},
    {"kernel": "no"},
    {"kernel": None},
    {"kernel": 3},
    {"gamma": -1},
    {"gamma": "no"},
    {"degree": -1, "kernel": "poly"},
    {"cache_size": 0},
    {"max_iter": -2},
    {"max_iter": 1.5},
    {"time_limit": -1},
    {"gap_tol": -1},
    {"n_jobs": 0},
    {"callback": 3},
    {"class_weight": "no"},
    {"shrinking": "no"},
]


@pytest.mark.parametrize(
    ("entry", "bad"),
    [(entry, bad) for entry in ENTRIES for bad in BAD if set(bad) <= set(inspect.signature(entry.kind).parameters)],
    ids=lambda value: str(value) if isinstance(value, dict) else named(value),
)
def test_bad_parameter_is_refused_by_name_and_spares_the_earlier_model(entry, bad):
    X, y = data(entry)
    model = make(entry).fit(X, y)
    before = values(model, X)
    model.set_params(**bad)
    with pytest.raises(ParameterError, match=next(iter(bad))):
        model.fit(X, y)
    model.set_params(**make(entry).get_params())
    np.testing.assert_array_equal(values(model, X), before)


BAD_SECOND_FITS = {
    "NaN": lambda X, y: (np.full((N, 7), np.nan), y),
    "weights": lambda X, y: (X[:, :2], y, -np.ones(N)),
    "lengths": lambda X, y: (X[:, :2], y, np.ones(N - 1)),
    "no rows": lambda X, y: (X[:0, :2], y[:0]),
    "one dimension": lambda X, y: (X[:, 0], y),
}


@pytest.mark.parametrize("name", BAD_SECOND_FITS)
@ENTRY
def test_failed_fit_leaves_the_earlier_model_usable(entry, name):
    X, y = data(entry)
    model = make(entry).fit(pd.DataFrame(X, columns=list("abcd")), y)
    before, proof = values(model, pd.DataFrame(X, columns=list("abcd"))), model.certificate_
    with pytest.raises(ValueError, match=r"."):
        model.fit(*BAD_SECOND_FITS[name](X, y))
    np.testing.assert_array_equal(values(model, pd.DataFrame(X, columns=list("abcd"))), before)
    assert model.n_features_in_ == 4
    assert list(model.feature_names_in_) == list("abcd")
    assert model.certificate_ == proof
    assert model.status_ is Status.SOLVED


@ENTRY
def test_fault_of_the_kernel_leaves_the_earlier_model_usable(entry):
    def fault(A, B):
        raise ZeroDivisionError("no kernel today")

    X, y = data(entry)
    model = make(entry).fit(X, y)
    before = values(model, X)
    model.set_params(kernel=fault)
    with pytest.raises(mercer.KernelError, match="no kernel today"):
        model.fit(X, y)
    model.set_params(kernel="rbf")
    np.testing.assert_array_equal(values(model, X), before)


@ENTRY
def test_arrays_are_read_only(entry):
    X, y = data(entry)
    model = make(entry, kernel="linear", **({"nu": 0.7} if entry.kind is NuSVC else {})).fit(X, y)
    for name in [*ARRAYS, "coef_", *(["classes_"] if entry.targets == "classes" else [])]:
        with pytest.raises(ValueError, match="read-only"):
            getattr(model, name)[...] = 0
    for name in ("dual_coef_", "coef_", "certificate_"):
        with pytest.raises(AttributeError):
            setattr(model, name, 0)


@pytest.mark.parametrize("entry", [one for one in ENTRIES if one.targets == "classes"], ids=named)
def test_weights_of_the_classes_are_read_only(entry):
    model = make(entry, class_weight={0: 1.2}).fit(*data(entry))
    with pytest.raises(ValueError, match="read-only"):
        model.class_weight_[...] = 0


@ENTRY
def test_data_changed_after_the_fit_do_not_change_the_model(entry):
    X, y = data(entry)
    model = make(entry).fit(X, y)
    unseen = rows(20, seed=8)
    before = values(model, unseen)
    X[:] = 0
    y[:] = 0
    np.testing.assert_array_equal(values(model, unseen), before)


@ENTRY
def test_prediction_before_a_fit_is_refused(entry):
    X, _ = data(entry)
    names = ["predict", *(["decision_function"] if hasattr(entry.kind, "decision_function") else [])]
    names += ["score_samples"] if hasattr(entry.kind, "score_samples") else []
    for name in names:
        with pytest.raises(NotFittedError):
            getattr(make(entry), name)(X)
    for name in (*ARRAYS, "certificate_", "status_", "n_features_in_"):
        assert not hasattr(make(entry), name), name


@pytest.mark.parametrize(
    ("change", "message"),
    [(lambda X: X[:, :2], "features"), (lambda X: np.where(X > 1, np.nan, X), "NaN"), (lambda X: X[0], "2D")],
    ids=["features", "NaN", "one dimension"],
)
@ENTRY
def test_prediction_for_other_rows_is_refused(entry, change, message):
    X, y = data(entry)
    model = make(entry).fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.predict(change(X))


def test_registry_holds_every_estimator_of_a_dual_problem():
    public = [getattr(mercer, name) for name in mercer.__all__]
    assert {kind for kind in public if isinstance(kind, type) and issubclass(kind, KernelEstimator)} == {
        entry.kind for entry in ENTRIES
    }
