"""LIBSVM data is written so that it is read as the same bits, into files that are replaced as a whole."""

import io
import os
import tempfile

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import load_svmlight_file

from mercer.data.libsvm_data import dump_libsvm, load_libsvm
from mercer.errors import InputError
from tests.io.libsvm_bits import dumped, same_bits


def test_what_is_written_is_read_by_scikit_learn(random):
    X, y = random.normal(size=(50, 7)), random.normal(size=50)
    found, targets, queries = load_svmlight_file(
        io.BytesIO(dumped(X, y, query_id=np.arange(50), comment="50 rows", zero_based=True)), query_id=True
    )
    assert same_bits(found.toarray(), X)
    assert same_bits(targets, y)
    assert queries.tolist() == list(range(50))


NUMBERS = {
    np.float64: st.floats(allow_nan=False, allow_infinity=False),
    np.float32: st.floats(allow_nan=False, allow_infinity=False, width=32),
}


@given(st.data(), st.sampled_from([np.float64, np.float32]), st.booleans(), st.booleans())
def test_what_is_written_is_read_as_the_same_bits(data, dtype, is_sparse, zero_based):
    shape = data.draw(st.tuples(st.integers(0, 6), st.integers(0, 5)))
    X = data.draw(hnp.arrays(dtype, shape, elements=NUMBERS[dtype]))
    y = data.draw(hnp.arrays(np.float64, shape[0], elements=NUMBERS[np.float64]))
    given_X = sp.csr_matrix(X) if is_sparse else X
    found = load_libsvm(
        dumped(given_X, y, zero_based=zero_based), n_features=shape[1], zero_based=zero_based, dtype=dtype
    )
    assert same_bits(found.y, y)
    # A sparse matrix takes −0 for a zero that need not be stored.
    stored = X != 0 if is_sparse else (X != 0) | np.signbit(X)
    assert same_bits(found.X.data, X[stored])
    np.testing.assert_array_equal(found.X.toarray(), X)


def test_matrices_of_every_form_are_written_alike(random):
    X = random.integers(-3, 4, (20, 6)).astype(float)
    y = random.integers(0, 2, 20)
    expected = dumped(X, y)
    unsorted = sp.csr_matrix(X)
    for i in range(20):
        span = slice(unsorted.indptr[i], unsorted.indptr[i + 1])
        unsorted.indices[span] = unsorted.indices[span][::-1].copy()
        unsorted.data[span] = unsorted.data[span][::-1].copy()
    unsorted.has_sorted_indices = unsorted.has_canonical_format = False
    before = unsorted.indices.copy()
    forms = [X.tolist(), np.asfortranarray(X), X.astype(int), X.astype(np.int8), X.astype(np.float16), X.astype(">f8")]
    forms += [sp.csr_matrix(X), sp.csr_array(X), sp.csc_matrix(X), sp.coo_matrix(X), unsorted]
    for form in forms:
        assert dumped(form, y) == expected
    assert dumped(X, y.astype(bool)) == expected
    assert dumped(X, np.repeat(y, 2)[::2]) == expected
    assert (unsorted.indices == before).all()


def test_comments_are_lines_of_their_own():
    text = dumped([[1.0]], [2], comment="one\ntwo ü")
    assert text == "# one\n# two ü\n2 1:1\n".encode()
    assert load_libsvm(text).X.shape == (1, 1)


@pytest.mark.parametrize(
    ("X", "y", "options", "told"),
    [
        ([1.0], [1], {}, r"a matrix with a row for each label, got an array of shape \(1,\)"),
        ([[1.0]], [1, 2], {}, r"Expected 1 labels, one for each row of X, got an array of shape \(2,\)"),
        ([[1.0]], [[1]], {}, r"got an array of shape \(1, 1\)"),
        ([[1.0]], ["a"], {}, "Expected labels that are numbers, got <U1. Encode words"),
        ([["a"]], [1], {}, "Expected X that are numbers, got <U1"),
        ([[1.0]], [2**53 + 1], {}, "Expected labels that float64 holds exactly"),
        (np.array([[-(2**53) - 1]]), [1], {}, "Expected X that float64 holds exactly"),
        (np.array([[1 / np.longdouble(3)]]), [1], {}, "Expected X that float64 holds exactly"),
        ([[1.0]], [1], {"query_id": [0.5]}, "Expected query ids that are whole numbers of 64 bits, got float64"),
        ([[1.0]], [1], {"query_id": np.array([2**63], dtype=np.uint64)}, "whole numbers of 64 bits, got uint64"),
        ([[1.0]], [1], {"query_id": [1, 2]}, "Expected 1 query ids"),
    ],
)
def test_what_cannot_be_written_is_told(X, y, options, told, tmp_path):
    with pytest.raises(InputError, match=told):
        dump_libsvm(X, y, tmp_path / "data", **options)
    assert not list(tmp_path.iterdir())


def test_sparse_matrices_that_do_not_fit_their_shape_are_told():
    X = sp.csr_matrix(np.eye(3))
    X.indices[1] = 7
    with pytest.raises(InputError, match="well-formed sparse matrix"):
        dump_libsvm(X, [1, 2, 3], io.BytesIO())


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz"])
def test_files_are_replaced_as_a_whole(ending, tmp_path, monkeypatch):
    path = tmp_path / f"data{ending}"
    path.write_bytes(b"before")
    path.chmod(0o640)
    dump_libsvm(np.eye(3), [1, 2, 3], path)
    assert load_libsvm(path).X.toarray().tolist() == np.eye(3).tolist()
    assert path.stat().st_mode & 0o777 == 0o640
    assert (path.read_bytes() == b"1 1:1\n2 2:1\n3 3:1\n") == (ending == "")
    written = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        dump_libsvm(np.zeros((3, 3)), [1, 2, 3], path)
    assert path.read_bytes() == written
    assert list(tmp_path.iterdir()) == [path]


def test_links_stay_links_and_devices_devices(tmp_path, capfdbinary):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"")
    link.symlink_to(target)
    dump_libsvm([[1.0]], [1], link)
    assert link.is_symlink()
    assert target.read_bytes() == b"1 1:1\n"
    dump_libsvm([[1.0]], [1], "/dev/null")
    assert not os.path.isfile("/dev/null")
    dump_libsvm([[2.0]], [1], "-")
    assert capfdbinary.readouterr().out == b"1 1:2\n"
    with tempfile.TemporaryFile(dir=tmp_path) as file:
        dump_libsvm([[3.0]], [1], f"/proc/self/fd/{file.fileno()}")
        assert file.read() == b"1 1:3\n"
    assert sorted(tmp_path.iterdir()) == [link, target]


def test_many_rows_are_written_in_parts(monkeypatch, random):
    X, y = random.normal(size=(100, 3)), np.arange(100)
    expected = dumped(X, y)
    monkeypatch.setattr("mercer.data.libsvm_data._ENTRIES_AT_ONCE", 7)
    assert dumped(X, y) == expected
    assert dumped(sp.csr_matrix(X), y) == expected
