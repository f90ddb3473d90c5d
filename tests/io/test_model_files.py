"""What files hold, what they refuse, and how they get onto the disk."""

import json
import os
import pickle
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import scipy.sparse as sp
from sklearn.datasets import load_iris

from mercer import (
    RBF,
    SVC,
    SVR,
    GaussianProcessRegressor,
    InputError,
    KernelDensity,
    KernelRidge,
    KNeighborsClassifier,
    KNeighborsRegressor,
    LinearSVC,
    LocallyWeightedRegression,
    NearestNeighbors,
    NumericsWarning,
    OneClassSVM,
    ParzenClassifier,
    SGDClassifier,
)
from mercer.errors import ModelFileError
from mercer.io import describe, load, save
from tests.reference.sameness import answers_of, difference, difference_of_models

X, Y = load_iris(return_X_y=True)


def same(model, path, rows=X):
    for mapped in (False, True):
        other = load(save(model, path), mapped=mapped)
        told = difference_of_models(model, other) or difference(answers_of(model, rows), answers_of(other, rows))
        if told:
            return told
    return None


# ---------------------------------------------------------------- what is held

LABELS = {
    "integers": Y,
    "small integers": (Y - 1).astype(np.int8),
    "floats": Y * 2.0,
    "booleans": Y > 0,
    "texts": np.array(["a", "ß", "東京 "])[Y],
    "objects": np.array(["no", "maybe", "yes"], dtype=object)[Y],
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("model", [SVC(), LinearSVC(), KNeighborsClassifier(), ParzenClassifier()], ids=repr)
def test_labels_keep_their_dtype(model, name, tmp_path):
    model = model.fit(X, LABELS[name])
    assert same(model, tmp_path / "model.mercer") is None
    assert load(tmp_path / "model.mercer").classes_.dtype == model.classes_.dtype


PARAMETERS = [
    SVC(class_weight={0: 1.0, 1: 2.5, 2: 1}, probability="isotonic", random_state=3),
    SVC(probability=True, multi_class="ovr", break_ties=True),
    SVC(kernel=RBF((0.1, 0.2, 0.3, 0.4)) * 2 + RBF(), probability="temperature"),
    SVC(gamma=np.float32(0.1), C=np.int64(2), kernel="poly", coef0=1),
    SVC(kernel="sigmoid", gamma=1e-3),
    SVR(kernel="precomputed"),
    OneClassSVM(nu=0.5),
    KNeighborsClassifier(metric="minkowski", p=3, metric_params={"w": np.array([1.0, 2.0, 3.0, 4.0])}),
    KNeighborsClassifier(metric=RBF(), n_neighbors=3),
    KNeighborsClassifier("auto", edit=True, condense=True),
    KNeighborsRegressor("auto", algorithm="kd_tree"),
    NearestNeighbors(metric="precomputed", n_neighbors=3),
    KernelDensity(bandwidth="leave-one-out", kernel="epanechnikov"),
    KernelDensity(bandwidth=[0.1, 0.2, 0.3, 0.4]),
    KernelDensity(n_neighbors=9),
    KernelDensity(metric="manhattan", bandwidth=0.4),
    ParzenClassifier(bandwidth="leave-one-out", kernel=RBF(0.3)),
    LocallyWeightedRegression(bandwidth=np.inf, order=2),
    LocallyWeightedRegression(bandwidth=(0.5, 1, 1, 2), kernel="gaussian"),
    LocallyWeightedRegression(n_neighbors="auto"),
]


@pytest.mark.parametrize("model", PARAMETERS, ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_parameters_of_all_kinds(model, tmp_path):
    given = X @ X.T if "precomputed" in repr(model) else X
    if isinstance(model, NearestNeighbors):
        given = np.abs(given - given.diagonal())
        given = given + given.T
        np.fill_diagonal(given, 0.0)
    assert same(model.fit(given, Y), tmp_path / "model.mercer", given) is None


def test_groups_of_noise_and_several_targets(tmp_path):
    y = np.stack([X[:, 0], X[:, 1]], axis=1)
    model = GaussianProcessRegressor(RBF(), alpha=0.1, normalize_y=True, optimizer=None).fit(X[:, 2:], y)
    assert same(model, tmp_path / "model.mercer", X[:, 2:]) is None
    model = GaussianProcessRegressor(RBF()).fit(X[:, 2:], X[:, 0], noise_groups=np.where(Y > 0, "far", "near"))
    assert same(model, tmp_path / "model.mercer", X[:, 2:]) is None
    assert load(tmp_path / "model.mercer").noise_ == model.noise_


def test_several_outputs(tmp_path):
    y = np.stack([Y, Y > 0], axis=1)
    for model in (KNeighborsClassifier(), ParzenClassifier()):
        assert same(model.fit(X, y), tmp_path / "model.mercer") is None
    assert same(KernelRidge(kernel="rbf").fit(X, X[:, :2]), tmp_path / "model.mercer") is None


def test_rows_learnt_and_forgotten(tmp_path):
    model = KNeighborsClassifier(3).fit(X[:100], Y[:100])
    model.partial_fit(X[100:120], Y[100:120]).forget([3, 5, 110])
    assert same(model, tmp_path / "model.mercer") is None
    other = load(tmp_path / "model.mercer")
    for one in (model, other):
        one.partial_fit(X[120:], Y[120:]).forget(older_than=60)
    assert difference(answers_of(model, X), answers_of(other, X)) is None


def test_training_goes_on(tmp_path):
    model = SGDClassifier(average=True, random_state=0).partial_fit(X[::2], Y[::2], classes=[0, 1, 2])
    other = load(save(model, tmp_path / "model.mercer"))
    for one in (model, other):
        one.partial_fit(X[1::2], Y[1::2])
    assert difference(answers_of(model, X), answers_of(other, X)) is None


def test_sparse_rows_keep_their_indices(tmp_path):
    rows = sp.csr_matrix(np.where(X > 3, X, 0))
    wide = sp.csr_matrix(rows)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for given in (rows, wide):
        model = SVC().fit(given, Y)
        assert same(model, tmp_path / "model.mercer", given) is None
        found = load(tmp_path / "model.mercer", mapped=True).support_vectors_
        assert found.indices.dtype == model.support_vectors_.indices.dtype


def test_names_of_features_are_kept(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b", "ç", "d e"])
    model = SVC().fit(frame, Y)
    assert same(model, tmp_path / "model.mercer", frame) is None
    assert list(load(tmp_path / "model.mercer").feature_names_in_) == list(frame.columns)


def test_certificate_that_was_put_off_is_worked_out(tmp_path):
    random = np.random.default_rng(0)
    rows, y = random.normal(size=(3000, 5)), random.integers(0, 2, 3000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(C=100.0, time_limit=0.02).fit(rows, y)
    other = load(save(model, tmp_path / "model.mercer"))
    assert other.certificate_ == model.certificate_
    assert other.status_ is model.status_


def test_values_of_parameters_keep_their_types(tmp_path):
    values = [
        *(
            1,
            1.0,
            True,
            None,
            "a",
            "\udcff",
            "\0",
            float("inf"),
            float("-inf"),
            -0.0,
            5e-324,
            2**62,
            (1, [2.0, ("x",)]),
        ),
        *(np.float32(0.1), np.int8(-3), np.bool_(True), np.str_("ü"), np.float64, bool, np.bool_, str, np.dtype("<f4")),
        *({"a": {"b": np.arange(3)}, "a.b": np.arange(4), 0: 1, "0": 2, (1, "z"): 3}, range(0, 9, 2), slice(None, 3)),
        *(
            np.array(3.5),
            np.zeros((2, 0, 3)),
            np.asfortranarray(np.arange(6.0).reshape(2, 3)),
            np.array([], dtype="<U3"),
        ),
        *(np.array([1, "a", None, 2.5, (1, 2)], dtype=object), np.array([b"x", b"\xff"]), Path("a/b"), RBF((0.1, 0.2))),
    ]
    model = load(save(KNeighborsClassifier(metric_params={"given": values}), tmp_path / "model.mercer"))
    found = model.metric_params["given"]
    assert difference(values, found) is None
    assert [np.signbit(one) for one in found if type(one) is float] == [
        np.signbit(one) for one in values if type(one) is float
    ]
    orders = [one.flags.f_contiguous for one in found if isinstance(one, np.ndarray) and one.shape == (2, 3)]
    assert orders == [True]


# ---------------------------------------------------------------- the file


def test_library_reads_the_same_arrays(tmp_path):
    model = SVC().fit(X, Y)
    path = save(model, tmp_path / "model.mercer")
    tensors = safetensors.numpy.load_file(path)
    np.testing.assert_array_equal(tensors["_machine.support_vectors"], model.support_vectors_)
    assert describe(path)["arrays"] == {
        name: {"dtype": array.dtype.name, "shape": list(array.shape)} for name, array in tensors.items()
    }


def test_file_tells_what_it_holds(tmp_path):
    path = save(SVC(C=2.0, kernel=RBF(0.5), class_weight={0: 2.0}).fit(X, Y), tmp_path / "model.mercer")
    told = describe(path)
    assert (told["kind"], told["estimator"], told["format"]) == ("estimator", "SVC", 1)
    assert told["parameters"]["C"] == 2.0
    assert told["parameters"]["kernel"] == {"kernel": "rbf", "gamma": 0.5}
    assert told["parameters"]["class_weight"] == {"0": 2.0}
    assert told["bytes"] == path.stat().st_size
    assert json.loads(json.dumps(told)) == told


def test_mapped_arrays_are_views_on_the_file(tmp_path):
    path = save(SVC().fit(X, Y), tmp_path / "model.mercer")
    vectors = load(path, mapped=True).support_vectors_
    assert isinstance(vectors, np.memmap)
    assert not vectors.flags.writeable
    assert vectors.ctypes.data % 64 == 0 or vectors.ctypes.data % 8 == 0
    assert not isinstance(load(path).support_vectors_, np.memmap)


def test_loaded_model_outlives_its_file(tmp_path):
    model = SVC().fit(X, Y)
    path = save(model, tmp_path / "model.mercer")
    other, mapped = load(path), load(path, mapped=True)
    path.unlink()
    for one in (other, mapped):
        np.testing.assert_array_equal(one.decision_function(X), model.decision_function(X))


def test_mapped_vectors_are_looked_through_when_they_predict(tmp_path):
    model = SVC().fit(X, Y)
    path = save(model, tmp_path / "model.mercer")
    place = describe(path)["arrays"]
    assert "_machine.support_vectors" in place
    content = bytearray(path.read_bytes())
    begins = content.find(model.support_vectors_.tobytes())
    assert begins > 0
    content[begins : begins + 8] = np.array(np.nan).tobytes()
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="support_vectors"):
        load(path)
    with pytest.raises(InputError, match="support_vectors"):
        load(path, mapped=True).predict(X)


def test_loaded_models_can_be_pickled(tmp_path):
    model = SVC(probability=True, random_state=0).fit(X, Y)
    for mapped in (False, True):
        other = pickle.loads(pickle.dumps(load(save(model, tmp_path / "model.mercer"), mapped=mapped)))
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))


# ---------------------------------------------------------------- what is refused


def linear(A, B):
    return A @ B.T


REFUSED = {
    "kernel": (SVC(kernel=linear), "kernel: expected .* got .*function.*holds no code"),
    "metric": (KNeighborsClassifier(metric=lambda a, b: abs(a - b).sum()), "metric: .*by its name"),
    "weights": (KNeighborsClassifier(weights=lambda distances: 1 / (1 + distances)), "weights: .*holds no code"),
    "random_state": (SGDClassifier(random_state=np.random.RandomState(0)), "random_state: .*whole number"),
    "random": (SGDClassifier(random_state=np.random.RandomState(0)), "state of random numbers"),
    "optimizer": (GaussianProcessRegressor(optimizer=lambda *given: (given[1], 0.0)), "optimizer: .*holds no code"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_code_is_refused(name, tmp_path):
    model, told = REFUSED[name]
    with pytest.raises(ModelFileError, match=told):
        save(model.fit(X, Y) if name != "optimizer" else model, tmp_path / "model.mercer")
    assert not list(tmp_path.iterdir())


def test_callback_is_left_out_and_told(tmp_path):
    model = SVC(callback=lambda progress: False).fit(X, Y)
    with pytest.warns(NumericsWarning, match="SVC: the callback is not stored"):
        path = save(model, tmp_path / "model.mercer")
    assert model.callback is not None
    other = load(path)
    assert other.callback is None
    np.testing.assert_array_equal(other.predict(X), model.predict(X))


def test_attributes_of_the_users_own_are_refused(tmp_path):
    model = SVC().fit(X, Y)
    model.note_ = "mine"
    with pytest.raises(ModelFileError, match=r"got note_ as well.*Delete it"):
        save(model, tmp_path / "model.mercer")


def kind_of(thing):
    return type(thing).__name__


@pytest.mark.parametrize("thing", [{"a": 1}, [SVC()], "SVC", 3, None, np.zeros(3), RBF(), object()], ids=kind_of)
def test_what_is_no_model_is_refused(thing, tmp_path):
    with pytest.raises(ModelFileError):
        save(thing, tmp_path / "model.mercer")
    assert not list(tmp_path.iterdir())


def test_tampered_model_is_not_written(tmp_path):
    model = LinearSVC().fit(X, Y)
    model.coef_ = model.coef_[:, :2]
    with pytest.raises(ModelFileError, match=r"coef_ to be an array of shape \(functions, d\)"):
        save(model, tmp_path / "model.mercer")


def test_file_that_would_not_be_read_is_not_written(tmp_path):
    for given in (["a"] * 2_100_000, "a" * 33_000_000):
        with pytest.raises(ModelFileError, match="expected JSON of at most"):
            save(KNeighborsClassifier(metric_params={"given": given}), tmp_path / "model.mercer")
    assert not list(tmp_path.iterdir())


def test_subclasses_are_refused(tmp_path):
    class Mine(SVC):
        pass

    with pytest.raises(ModelFileError, match="Mine"):
        save(Mine().fit(X, Y), tmp_path / "model.mercer")


# ---------------------------------------------------------------- the disk


def test_file_that_is_there_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "model.mercer"
    save(SVC(C=1.0).fit(X, Y), path)
    os.chmod(path, 0o640)
    save(SVC(C=5.0).fit(X, Y), path)
    assert load(path).C == 5.0
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["model.mercer"]


def test_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real.mercer", tmp_path / "link.mercer"
    link.symlink_to(real)
    save(SVC().fit(X, Y), link)
    assert link.is_symlink()
    assert load(real).C == load(link).C == 1.0


def test_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    path = save(SVC(C=1.0).fit(X, Y), tmp_path / "model.mercer")
    before = path.read_bytes()

    def fail(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ModelFileError, match=r"model\.mercer: .*No space left on device.*unchanged"):
        save(SVC(C=5.0).fit(X, Y), path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["model.mercer"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_full_device_is_told(tmp_path, monkeypatch):
    opened = os.open
    monkeypatch.setattr(
        os, "open", lambda path, flags, mode=0: opened("/dev/full", os.O_WRONLY) if mode else opened(path, flags)
    )
    with pytest.raises(ModelFileError, match="No space left"):
        save(SVC().fit(X, Y), tmp_path / "model.mercer")


def test_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    def stop(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        save(SVC().fit(X, Y), tmp_path / "model.mercer")
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written_are_told(tmp_path):
    model = SVC().fit(X, Y)
    with pytest.raises(ModelFileError, match="No such file or directory"):
        save(model, tmp_path / "no" / "model.mercer")
    with pytest.raises(ModelFileError, match="directory"):
        save(model, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_folder_without_permission_is_told(tmp_path):
    os.chmod(tmp_path, 0o500)
    with pytest.raises(ModelFileError, match="Permission denied"):
        save(SVC().fit(X, Y), tmp_path / "model.mercer")


# ---------------------------------------------------------------- imports

LIGHT = """
import sys
import mercer.io
known = set(sys.modules)
told = mercer.io.describe(sys.argv[1])
more = [name for name in set(sys.modules) - known if name.startswith(("sklearn", "mercer.estimators"))]
print(told["estimator"], more)
"""


def test_description_imports_no_estimator(tmp_path):
    path = save(SVC().fit(X, Y), tmp_path / "model.mercer")
    told = subprocess.run([sys.executable, "-c", LIGHT, str(path)], capture_output=True, text=True, check=True).stdout
    assert told == "SVC []\n"
