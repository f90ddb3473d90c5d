"""A problem written to a file comes back bit by bit; files that are damaged or forged are refused."""

import contextlib
import json
import os

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file

from mercer import RBF, SVC
from mercer._runtime import core
from mercer.errors import InputError
from mercer.io.problem_files import Unread, dump_problem, load_problem
from tests.io.libsvm_bits import same_bits


def there_and_back(tmp_path, X, y, **options):
    return load_problem(dump_problem(X, y, tmp_path / "problem", **options))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.uint8, bool])
@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_problems_come_back_as_they_were(dtype, order, tmp_path, random):
    X = np.asarray(random.normal(size=(5, 3)) * 9, dtype=dtype, order=order)
    y, weights = random.normal(size=5), random.random(5).astype(np.float32)
    found = there_and_back(tmp_path, X, y, sample_weight=weights)
    assert same_bits(found.X, X)
    assert found.X.flags[f"{order}_CONTIGUOUS"]
    assert same_bits(found.y, y)
    assert same_bits(found.sample_weight, weights)


def test_bits_of_numbers_that_are_none_come_back(tmp_path):
    X = np.array([[0x7FF8000000000123, 0xFFF0000000000000, 1, 1 << 63]], dtype=np.uint64).view(np.float64)
    found = there_and_back(tmp_path, X, None)
    assert same_bits(found.X, X)
    assert found.y is None
    assert found.sample_weight is None


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array])
def test_sparse_problems_come_back_as_they_were(kind, tmp_path, random):
    X = kind(sp.random(6, 4, density=0.5, random_state=random))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    X.data[0] = 0
    found = there_and_back(tmp_path, X, np.arange(6)).X
    assert type(found) is kind
    assert found.shape == X.shape
    for part in ("data", "indices", "indptr"):
        assert same_bits(getattr(found, part), getattr(X, part))
    coo = there_and_back(tmp_path, X.tocoo(), np.arange(6)).X
    assert coo.format == "csr"
    assert (coo.toarray() == X.toarray()).all()


@pytest.mark.parametrize(
    "y",
    [np.array(["no", "yes", "no"]), np.array(["no", 3, None], dtype=object), np.array([1.0, True, 1], dtype=object)],
)
def test_words_come_back_as_they_were(y, tmp_path):
    found = there_and_back(tmp_path, np.eye(3), y).y
    assert found.dtype == y.dtype
    assert [(type(one), one) for one in found.tolist()] == [(type(one), one) for one in y.tolist()]


def test_parameters_and_versions_are_told(tmp_path):
    model = SVC(C=0.1, class_weight={0: 1.5, "b": 2}, kernel=RBF(gamma=0.5), tol=np.float64(1e-4))
    found = there_and_back(tmp_path, np.eye(2), [0, 1], params=model)
    assert found.estimator == "SVC"
    assert found.params["C"] == 0.1
    assert found.params["class_weight"] == {0: 1.5, "b": 2}
    assert found.params["kernel"] == Unread(repr(RBF(gamma=0.5)))
    assert found.params["tol"] == 1e-4
    assert set(found.params) == set(model.get_params(deep=False))
    assert found.versions["numpy"] == np.__version__
    assert {"mercer", "python", "scipy", "scikit-learn"} <= set(found.versions)
    assert found.machine["simd_level"] == core.simd_level()


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=10,
)


@given(PLAIN)
def test_plain_parameters_come_back_as_they_were(tmp_path_factory, value):
    found = there_and_back(tmp_path_factory.mktemp("plain"), np.eye(1), [1], params={"value": value})
    assert found.params == {"value": value}
    assert repr(found.params) == repr({"value": value})


def test_arrays_among_parameters_come_back(tmp_path, random):
    weights = random.normal(size=3)
    found = there_and_back(tmp_path, np.eye(1), [1], params={"a": [weights, np.array(["x"])], "f": max, "n": np.nan})
    assert same_bits(found.params["a"][0], weights)
    assert found.params["a"][1].tolist() == ["x"]
    assert found.params["f"] == Unread("<built-in function max>")
    assert np.isnan(found.params["n"])


def test_what_cannot_be_written_is_told(tmp_path):
    path = tmp_path / "problem"
    with pytest.raises(InputError, match="X: expected numbers or words of at most 64 bits, got complex128"):
        dump_problem(np.eye(2) * 1j, [0, 1], path)
    with pytest.raises(InputError, match="y: expected numbers or words, got objects"):
        dump_problem(np.eye(1), np.array([object()]), path)
    with pytest.raises(InputError, match="params: expected an estimator or a dict of parameters, got int"):
        dump_problem(np.eye(1), [1], path, params=3)
    assert not os.listdir(tmp_path)


def test_files_of_other_kinds_are_told(tmp_path):
    path = tmp_path / "problem"
    with pytest.raises(FileNotFoundError):
        load_problem(path)
    path.write_bytes(b"no such file")
    with pytest.raises(InputError, match="expected a file that dump_problem wrote"):
        load_problem(path)
    save_file({"X": np.eye(1)}, path, {"mercer": json.dumps({"kind": "model"})})
    with pytest.raises(InputError, match="something else"):
        load_problem(path)
    save_file({"X": np.eye(1)}, path, {"mercer": json.dumps({"kind": "problem", "format": 2, "mercer": "9.1"})})
    with pytest.raises(InputError, match=r"got one of format 2, which Mercer 9\.1 wrote"):
        load_problem(path)


def forged(path, tensors, **changes):
    dense = {"form": "dense", "name": "X", "transposed": False}
    told = {"kind": "problem", "format": 1, "X": dense, "y": None, "sample_weight": None, "estimator": None}
    told |= {"params": {}, "versions": {}, "machine": {}} | changes
    save_file(tensors, path, {"mercer": json.dumps(told)})
    return path


def sparse(shape=(2, 2), data=(1.0, 2.0), indices=(0, 1), indptr=(0, 1, 2), form="csr_matrix"):
    parts = {"data": np.array(data), "indices": np.array(indices), "indptr": np.array(indptr)}
    told = {part: {"form": "dense", "name": part, "transposed": False} for part in parts}
    return parts, told | {"form": form, "shape": shape}


def test_forged_files_are_refused(tmp_path):
    path = tmp_path / "problem"
    tensors = {"X": np.eye(2), "codes": np.array([0, 5])}
    assert load_problem(forged(path, tensors)).X.shape == (2, 2)
    words = {"form": "words", "name": "codes", "dtype": "<U1", "words": ["a"]}
    wrong = [None, 3, {"form": "dense", "name": "Z", "transposed": False}, {"form": "dict"}, words]
    wrong += [words | {"words": list("abcdef"), "dtype": code} for code in ("<i8", "<U999999999", "<U0", 7)]
    for told in wrong[1:]:
        with pytest.raises(InputError, match="dump_problem"):
            load_problem(forged(path, tensors, X=told))
    assert load_problem(forged(path, tensors, y=words | {"words": list("abcdef")})).y.tolist() == ["a", "f"]
    for params in ({"a": {"float": "x"}}, {"a": {"code": "1"}}, {"a": {}}, 3, {"a": {"dict": [[[], 1]]}}):
        with pytest.raises(InputError, match="dump_problem"):
            load_problem(forged(path, tensors, params=params))
    tensors, told = sparse()
    assert load_problem(forged(path, tensors, X=told)).X.toarray().tolist() == [[1, 0], [0, 2]]
    for changes in (
        {"shape": [2, 1]},
        {"shape": [-1, 2]},
        {"shape": "ab"},
        {"shape": [3, 2]},
        {"indices": (0, 7)},
        {"indices": (0, -1)},
        {"indices": (0.0, 1.0)},
        {"indptr": (0, 2, 1)},
        {"indptr": (0, 1, 9)},
        {"indptr": (1, 1, 2)},
        {"data": (1.0,)},
        {"form": "dok_matrix"},
    ):
        tensors, told = sparse(**changes)
        with pytest.raises(InputError, match="dump_problem"):
            load_problem(forged(path, tensors, X=told))


def test_no_byte_of_a_file_can_do_harm(tmp_path, random):
    path = dump_problem(sp.csr_matrix(np.eye(3)), ["a", "b", "a"], tmp_path / "problem", params={"C": 1.0})
    whole = bytearray(path.read_bytes())
    for _ in range(300):
        changed = whole.copy()
        changed[random.integers(len(whole))] = random.integers(256)
        path.write_bytes(changed[: random.integers(len(whole)) if random.random() < 0.2 else None])
        with contextlib.suppress(InputError):
            assert load_problem(path).X.shape[0] < 1000
