"""Files that are damaged, forged or something else: refused with what is wrong, before anything is built of them."""

import copy
import json
import pickle
import zipfile

import numpy as np
import pytest
import safetensors.numpy
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from mercer import (
    RBF,
    SVC,
    SVR,
    FeatureMap,
    InputError,
    KernelDensity,
    KNeighborsClassifier,
    LocallyWeightedRegression,
    MercerError,
    Polynomial,
)
from mercer.errors import ModelFileError
from mercer.io import describe, load, save
from tests.fuzz.model_file_inputs import put_together, taken_apart
from tests.fuzz.model_files import run

X, Y = load_iris(return_X_y=True)


@pytest.fixture
def path(tmp_path):
    return save(SVC(probability=True, random_state=0).fit(X, Y), tmp_path / "model.mercer")


def refused(path, told):
    """Both ways of loading refuse it, in these words."""
    for mapped in (False, True):
        with pytest.raises(ModelFileError, match=told) as raised:
            load(path, mapped=mapped)
    assert isinstance(raised.value, InputError)
    assert isinstance(raised.value, MercerError)
    assert str(path) in str(raised.value)


# ---------------------------------------------------------------- something else


def test_other_files_are_told_apart(tmp_path):
    model, path = SVC().fit(X, Y), tmp_path / "model"
    path.write_bytes(b"")
    refused(path, "an empty file")
    path.write_bytes(pickle.dumps(model))
    refused(path, "a pickle. Reading one runs whatever code it holds")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{}")
    refused(path, "a zip archive")
    np.save(path.with_suffix(".npy"), X)
    refused(path.with_suffix(".npy"), "an array of NumPy's")
    path.write_text("svm_type c_svc\nkernel_type rbf\n")
    refused(path, "a model of LIBSVM's. Read it with mercer.io.load_libsvm_model")
    path.write_text(json.dumps({"model": "SVC"}))
    refused(path, "a JSON text")
    path.write_bytes(b"\0" * 4096)
    refused(path, "damaged, cut short or something else")
    path.write_bytes(b"abc")
    refused(path, "of 3 bytes")
    safetensors.numpy.save_file({"weight": X}, path)
    refused(path, "other tensors of safetensors")


def test_what_cannot_be_opened_is_told(tmp_path):
    refused(tmp_path, "a folder")
    refused(tmp_path / "nothing.mercer", "No such file")
    for call in (describe, load):
        with pytest.raises(ModelFileError, match="pipe or a device"):
            call("/dev/null")
        with pytest.raises(ModelFileError, match="expected a model file"):
            call("no\0name")


# ---------------------------------------------------------------- damaged


def test_every_truncation_is_refused(path):
    content = path.read_bytes()
    for size in [*range(64), *range(64, len(content), 97), len(content) - 1]:
        path.write_bytes(content[:size])
        for mapped in (False, True):
            with pytest.raises(ModelFileError):
                load(path, mapped=mapped)
        with pytest.raises(ModelFileError):
            describe(path)


def test_bytes_behind_the_end_are_refused(path):
    path.write_bytes(path.read_bytes() + b"\0")
    refused(path, "bytes of arrays, got")


@pytest.mark.parametrize("length", [0, 1, 2**31, 2**63, 2**64 - 1])
def test_length_of_the_header_is_checked(path, length):
    content = path.read_bytes()
    path.write_bytes(length.to_bytes(8, "little") + content[8:])
    refused(path, "damaged, cut short")


def with_header(path, change):
    """The file with its header changed."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + length].decode()
    changed = change(header).encode()
    path.write_bytes(len(changed).to_bytes(8, "little") + changed + content[8 + length :])


HEADERS = {
    "no JSON": (lambda text: "{" + text, "expected JSON"),
    "a list": (lambda text: "[]", "damaged"),
    "a key twice": (lambda text: '{"a": 1, "a": 2}', "a key occurs twice"),
    "NaN": (lambda text: '{"a": NaN}', "NaN is no JSON"),
    "infinity": (lambda text: '{"a": -Infinity}', "Infinity is no JSON"),
    "deep": (lambda text: '{"a":' * 100_000, "expected JSON"),
    "many values": (lambda text: '{"a": [' + "0," * 2_100_000 + "0]}", "at most 2000000 values"),
    "a number of a million digits": (lambda text: '{"a": 1' + "0" * 1_000_000 + "}", "expected JSON"),
    "not UTF-8": (lambda text: '{"\udcff": 1}', None),
    "metadata of numbers": (lambda text: '{"__metadata__": {"mercer": 3}}', "metadata of texts"),
    "no metadata": (lambda text: "{}", "bytes of arrays"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_that_are_none_are_refused(path, name):
    change, told = HEADERS[name]
    if told is None:
        content = path.read_bytes()
        path.write_bytes(content[:9] + b"\xff" + content[10:])
        told = "expected JSON"
    else:
        with_header(path, change)
    refused(path, told)


TENSORS = {
    "dtype": (lambda one: one.update(dtype="F128"), "of a dtype among"),
    "dtype of another width": (lambda one: one.update(dtype="F32"), "as large as its shape"),
    "shape": (lambda one: one.update(shape=[2**62, 2**62]), "as large as its shape"),
    "shape below zero": (lambda one: one.update(shape=[-1, -4]), "whole numbers ≥ 0"),
    "shape of texts": (lambda one: one.update(shape=["2", "3"]), "whole numbers ≥ 0"),
    "many dimensions": (lambda one: one.update(shape=[1] * 40), "at most 32 whole numbers"),
    "offsets beyond the end": (
        lambda one: one.update(data_offsets=[10**9, 10**9 + 8 * np.prod(one["shape"]).item()]),
        "begin at byte",
    ),
    "offsets that overlap": (
        lambda one: one.update(data_offsets=[1, 1 + 8 * np.prod(one["shape"]).item()]),
        "begin at byte",
    ),
    "offsets the wrong way": (lambda one: one.update(data_offsets=one["data_offsets"][::-1]), "as large as its shape"),
    "one offset": (lambda one: one.update(data_offsets=[0]), "as large as its shape"),
    "a field more": (lambda one: one.update(more=1), "dtype, shape and place"),
    "no shape": (lambda one: one.pop("shape"), "dtype, shape and place"),
}


@pytest.mark.parametrize("name", TENSORS)
def test_places_of_arrays_are_checked(path, name):
    change, told = TENSORS[name]

    def changed(text):
        header = json.loads(text)
        change(header["_machine.dual_coef"])
        return json.dumps(header)

    with_header(path, changed)
    refused(path, told)


# ---------------------------------------------------------------- forged


def forged(path, change):
    """The file with its tree and arrays changed, and everything else as it must be."""
    parts = taken_apart(path.read_bytes())
    change(parts)
    path.write_bytes(put_together(parts))


def set_array(name, values):
    def change(parts):
        codes = {"F64": "<f8", "I32": "<i4", "I64": "<i8"}
        dtype, shape, content = parts.tensors[name]
        array = np.frombuffer(content, codes[dtype]).reshape(shape).copy()
        made = np.asarray(values(array) if callable(values) else values)
        names = {"float64": "F64", "int32": "I32", "int64": "I64"}
        parts.tensors[name] = [names[made.dtype.name], list(made.shape), made.tobytes()]

    return change


def fitted(parts):
    return parts.tree["model"]["fitted"]


def machine(parts):
    return fitted(parts)["_machine"]["fields"]


def put(array, place, value):
    array.ravel()[place] = value
    return array


FORGED = {
    "newer format": (
        lambda parts: parts.tree.update(format=2, mercer="9.1.0"),
        "written by Mercer 9.1.0 in format 2.*Upgrade",
    ),
    "no format": (lambda parts: parts.tree.pop("format"), "format, version, kind and model"),
    "format of text": (lambda parts: parts.tree.update(format="1"), "the number of its format"),
    "format zero": (lambda parts: parts.tree.update(format=0), "the number of its format"),
    "kind": (lambda parts: parts.tree.update(kind="pickle"), "the kind of its model"),
    "class": (lambda parts: parts.tree["model"].update(estimator="os.system"), "an estimator among"),
    "class of objects": (lambda parts: parts.tree["model"].update(estimator=["SVC"]), "an estimator among"),
    "no estimator": (lambda parts: parts.tree.update(model={"kernel": {"kernel": "linear"}}), "expected an estimator"),
    "a parameter more": (
        lambda parts: parts.tree["model"]["parameters"].update(__class__=1),
        "expected the parameters",
    ),
    "a parameter less": (lambda parts: parts.tree["model"]["parameters"].pop("C"), "expected the parameters"),
    "a parameter out of range": (lambda parts: parts.tree["model"]["parameters"].update(C=-1.0), "C: expected"),
    "an attribute more": (lambda parts: fitted(parts).update(predict=1), "attributes that a fit leaves"),
    "an attribute less": (lambda parts: fitted(parts).pop("shape_fit_"), "expected shape_fit_"),
    "a tag": (lambda parts: fitted(parts).update(status_={"eval": "1"}), "of a kind that this version of Mercer knows"),
    "an enumeration": (
        lambda parts: fitted(parts).update(status_={"enum": "os", "name": "system"}),
        "an enumeration among",
    ),
    "a member": (lambda parts: fitted(parts)["status_"].update(name="__class__"), "a Status among"),
    "a record": (lambda parts: fitted(parts)["_proof"].update(record="Popen"), "a record that this version"),
    "a field less": (lambda parts: fitted(parts)["_proof"]["fields"].pop("dual"), "expected the fields"),
    "a field of text": (lambda parts: fitted(parts)["_proof"]["fields"].update(dual="0"), "dual to be a number"),
    "a large number": (lambda parts: fitted(parts).update(n_iter_=10**30), "whole numbers of 64 bits"),
    "an array that is not there": (lambda parts: parts.tensors.pop("_machine.support"), "which it does not have"),
    "an array more": (lambda parts: parts.tensors.update(more=["U8", [0], b""]), "no arrays but its own"),
    "support below zero": (set_array("_machine.support", lambda a: put(a, 0, -1)), "different row numbers"),
    "support twice": (set_array("_machine.support", lambda a: put(a, 0, a[1])), "different row numbers"),
    "support beyond the rows": (set_array("_machine.support", lambda a: put(a, 0, 150)), "among the 150 training rows"),
    "support of floats": (set_array("_machine.support", lambda a: a.astype(float)), "do not fit together"),
    "counts": (set_array("_machine.n_support", lambda a: put(a, 0, a[0] + 1)), "do not fit together"),
    "counts below zero": (
        set_array("_machine.n_support", lambda a: a + np.array([9, -9, 0], np.int32) * a[1]),
        "do not fit together",
    ),
    "coefficients": (set_array("_machine.dual_coef", lambda a: put(a, 0, np.nan)), "do not fit together"),
    "fewer coefficients": (set_array("_machine.dual_coef", lambda a: a[:, 1:]), "do not fit together"),
    "vectors of other features": (set_array("_machine.support_vectors", lambda a: a[:, :3]), "do not fit together"),
    "intercepts": (set_array("_machine.intercept", lambda a: a[:2]), "do not fit together"),
    "intercept": (set_array("_machine.intercept", lambda a: put(a, 0, np.inf)), "do not fit together"),
    "classes out of order": (set_array("_machine.classes", lambda a: a[::-1].copy()), "different labels in order"),
    "classes twice": (set_array("_machine.classes", lambda a: a * 0), "different labels in order"),
    "fewer classes": (set_array("_machine.classes", lambda a: a[:2]), "do not fit together"),
    "features": (lambda parts: machine(parts).update(n_features=2**62), "do not fit together"),
    "features of the estimator": (
        lambda parts: fitted(parts).update(n_features_in_=5),
        "n_features_in_ to be the number of d",
    ),
    "kernel": (
        lambda parts: machine(parts).update(kernel={"kernel": {"kernel": "rbf", "gamma": "scale"}}),
        "parameters are numbers",
    ),
    "kernel of other features": (
        lambda parts: machine(parts).update(kernel={"kernel": {"kernel": "rbf", "gamma": [0.1, 0.2]}}),
        "one number for each of the 4 features",
    ),
    "kernel below zero": (
        lambda parts: machine(parts).update(kernel={"kernel": {"kernel": "rbf", "gamma": -1.0}}),
        "gamma",
    ),
    "kernel by name": (lambda parts: machine(parts).update(kernel="rbf"), "do not fit together"),
    "kernel that is code": (
        lambda parts: machine(parts).update(kernel={"pairwise": "os.system", "params": {"dict": []}}),
        "among",
    ),
    "calibration": (
        lambda parts: fitted(parts)["calibration_"]["fields"].update(classes=2),
        "calibration|slope|numbers",
    ),
    "calibration of another kind": (
        lambda parts: fitted(parts)["calibration_"].update(calibration="x"),
        "of a kind among",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_machines_are_refused(path, name):
    change, told = FORGED[name]
    forged(path, change)
    refused(path, told)


SPARSE = {
    "pointers that go back": (
        set_array("_machine.support_vectors.indptr", lambda a: put(a, 1, a[-1])),
        "pointers and numbers",
    ),
    "pointers beyond the end": (
        set_array("_machine.support_vectors.indptr", lambda a: put(a, -1, 10**9)),
        "pointers and numbers",
    ),
    "pointers below zero": (
        set_array("_machine.support_vectors.indptr", lambda a: put(a, 0, -5)),
        "pointers and numbers",
    ),
    "a column beyond the end": (
        set_array("_machine.support_vectors.indices", lambda a: put(a, 0, 4)),
        "pointers and numbers",
    ),
    "a column below zero": (
        set_array("_machine.support_vectors.indices", lambda a: put(a, 0, -1)),
        "pointers and numbers",
    ),
    "columns of floats": (
        set_array("_machine.support_vectors.indices", lambda a: a.astype(float)),
        "pointers and numbers",
    ),
    "a column twice": (
        set_array("_machine.support_vectors.indices", lambda a: put(a, 1, a[0])),
        "_machine to be a machine",
    ),
    "rows": (lambda parts: machine(parts)["support_vectors"].update(shape=[2**40, 4]), "pointers and numbers"),
    "columns": (lambda parts: machine(parts)["support_vectors"].update(shape=[1, 2**63]), "shape of a sparse matrix"),
    "format": (lambda parts: machine(parts)["support_vectors"].update(sparse="dok_matrix"), "a sparse matrix among"),
}


@pytest.mark.parametrize("name", SPARSE)
def test_forged_sparse_matrices_are_refused(tmp_path, name):
    path = save(SVC().fit(sp.csr_matrix(np.where(X > 1, X, 0)), Y), tmp_path / "model.mercer")
    change, told = SPARSE[name]
    forged(path, change)
    refused(path, told)


def memory(parts):
    return fitted(parts)["_memory"]["fields"]


NEIGHBOURS = {
    "labels beyond the classes": (set_array("_codes", lambda a: put(a, 0, 3)), "labels among 3"),
    "labels below zero": (set_array("_codes", lambda a: put(a, 0, -1)), "_codes to be"),
    "fewer labels": (set_array("_codes", lambda a: a[1:]), "_codes to be"),
    "rows that are no numbers": (set_array("_memory._indexed", lambda a: put(a, 0, np.nan)), "finite rows"),
    "rows that are infinite": (set_array("_memory._indexed", lambda a: put(a, 0, np.inf)), "_indexed to be a matrix"),
    "rows of other features": (set_array("_memory._indexed", lambda a: a[:, :2]), "belong together|_tail"),
    "fewer rows": (set_array("_memory._indexed", lambda a: a[1:]), "belong together"),
    "order of learning": (set_array("_memory.born", lambda a: a[::-1].copy()), "belong together"),
    "another metric": (lambda parts: memory(parts).update(metric="cosine"), "the metric of its parameters"),
    "a metric that is none": (
        lambda parts: (
            memory(parts).update(metric="x"),
            parts.tree["model"]["parameters"].update(metric="x"),
            fitted(parts).update(effective_metric_="x"),
        ),
        "metric",
    ),
    "number of rows": (lambda parts: fitted(parts).update(n_samples_fit_=2**40), "born to be|belong together"),
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_forged_neighbours_are_refused(tmp_path, name):
    path = save(KNeighborsClassifier().fit(X, Y), tmp_path / "model.mercer")
    change, told = NEIGHBOURS[name]
    forged(path, change)
    refused(path, told)


def test_forged_windows_are_refused(tmp_path):
    path = save(LocallyWeightedRegression(n_neighbors=5).fit(X, Y), tmp_path / "model.mercer")
    whole = path.read_bytes()
    for k in (0, 151, -1, 2**40):

        def change(parts, k=k):
            for place in (
                fitted(parts)["_chosen"],
                fitted(parts)["_memory"]["fields"]["smoothers"][0]["fields"]["windows"],
            ):
                place["fields"]["k"] = k

        path.write_bytes(whole)
        forged(path, change)
        refused(path, "windows")


# ---------------------------------------------------------------- what fuzzing found


def test_transformer_that_would_start_a_billion_processes_is_refused(tmp_path):
    columns = ColumnTransformer([("a", MinMaxScaler(), [0, 1])])
    path = save(make_pipeline(columns, SVR()).fit(X, Y), tmp_path / "model.mercer")
    forged(
        path, lambda parts: parts.tree["model"]["parameters"]["steps"][0]["tuple"][1]["parameters"].update(n_jobs=2**31)
    )
    refused(path, "n_jobs to be None or a whole number up to 4096")


def test_column_that_is_not_there_is_refused(tmp_path):
    columns = ColumnTransformer([("a", MinMaxScaler(), [0, 1])])
    path = save(columns.fit(X), tmp_path / "model.mercer")
    forged(path, lambda parts: fitted(parts)["transformers_"][0]["tuple"].__setitem__(2, [0, 2**31]))
    refused(path, "columns of 'a' among 4")


def test_range_that_takes_all_memory_is_refused(path):
    forged(path, lambda parts: parts.tree["model"]["parameters"].update(C={"range": [0, 2**62, 1]}))
    refused(path, "a range of at most")


def test_distances_to_more_rows_than_there_are_targets_are_refused(tmp_path):
    distances = np.abs(X[:, :1] - X[:, 0])
    path = save(KNeighborsClassifier(metric="precomputed").fit(distances, Y), tmp_path / "model.mercer")
    forged(path, lambda parts: fitted(parts).update(n_features_in_=151))
    refused(path, "belong together")


def test_map_whose_coefficients_are_no_numbers_is_refused(tmp_path):
    path = save(FeatureMap(Polynomial(2)).fit(X), tmp_path / "model.mercer")
    kernel = {"kernel": {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1e308}}
    forged(path, lambda parts: fitted(parts).update(kernel_=kernel))
    refused(path, "OverflowError")


def test_class_in_place_of_a_function_is_refused(tmp_path):
    path = save(KNeighborsClassifier().fit(X, Y), tmp_path / "model.mercer")
    forged(path, lambda parts: parts.tree["model"]["parameters"].update(weights={"type": "object"}))
    refused(path, "weights to be a value, got a class")


@pytest.mark.parametrize("room", ["-inf", "nan"])
def test_room_that_is_none_is_refused(tmp_path, room):
    path = save(KernelDensity().fit(X), tmp_path / "model.mercer")
    forged(path, lambda parts: memory(parts).update(room={"number": room}))
    refused(path, "room to be a number > 0")


def test_feature_without_categories_is_refused(tmp_path):
    path = save(OneHotEncoder(handle_unknown="ignore").fit(Y[:, None]), tmp_path / "model.mercer")
    forged(path, set_array("categories_.0", lambda a: a[:0]))
    refused(path, "of categories")


def test_dtype_that_is_none_is_refused(tmp_path):
    path = save(OneHotEncoder().fit(X), tmp_path / "model.mercer")
    forged(path, lambda parts: parts.tree["model"]["parameters"].update(dtype=3))
    refused(path, "dtype to be a dtype")


def test_cache_of_pickles_is_no_part_of_a_file(tmp_path):
    model = make_pipeline(StandardScaler(), SVR()).fit(X, Y)
    path = save(model, tmp_path / "model.mercer")
    forged(path, lambda parts: parts.tree["model"]["parameters"].update(memory="/tmp"))
    refused(path, "memory to be None")
    with pytest.raises(ModelFileError, match="memory to be None"):
        save(copy.deepcopy(model).set_params(memory=str(tmp_path)), path)


def test_file_of_another_version_of_scikit_learn_is_told(tmp_path):
    path = save(make_pipeline(StandardScaler(), SVR(kernel=RBF(0.3))).fit(X, Y), tmp_path / "model.mercer")
    forged(path, lambda parts: parts.tree.update({"scikit-learn": "0.1.0"}))
    with pytest.warns(UserWarning, match="transformers of scikit-learn 0.1.0"):
        load(path)
    forged(path, lambda parts: parts.tree["model"]["parameters"].update(more=1))
    refused(path, "It was written with scikit-learn 0.1.0")


def test_spoilt_files_are_refused_or_answer(capsys):
    assert run(runs=1500, seed=5), capsys.readouterr().out
    assert "1500 spoilt files" in capsys.readouterr().out
