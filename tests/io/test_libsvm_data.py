"""LIBSVM data: read as scikit-learn and a naive reader read it, and written so that it is read as the same bits."""

import bz2
import gzip
import io
import lzma
import os
import sys
import tempfile
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from mercer._runtime import core
from mercer.errors import InputError, ParameterError
from mercer.io.libsvm_data import dump_libsvm, load_libsvm
from tests.reference import libsvm_text

TEXT = b"+1 1:0.5 3:-2 # first\n\n# all\n-1 2:1e3\r\n1.5\n"


def dumped(X, y, **options):
    file = io.BytesIO()
    dump_libsvm(X, y, file, **options)
    return file.getvalue()


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def test_lines_become_rows():
    data = load_libsvm(TEXT)
    assert isinstance(data.X, sp.csr_matrix)
    assert data.X.toarray().tolist() == [[0.5, 0, -2], [0, 1000, 0], [0, 0, 0]]
    assert data.y.tolist() == [1, -1, 1.5]
    assert data.query_id is None
    assert not data.zero_based
    assert (data.X.dtype, data.y.dtype, data.X.indices.dtype) == (np.float64, np.float64, np.int32)
    assert data.X.has_canonical_format


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_sources_of_every_kind_are_read(pack, tmp_path, monkeypatch):
    path = tmp_path / "data"
    path.write_bytes(pack(TEXT))
    expected = load_libsvm(TEXT).X.toarray()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(TEXT))))
    sources = [path, str(path), "-", io.BytesIO(pack(TEXT)), pack(TEXT), bytearray(pack(TEXT)), memoryview(pack(TEXT))]
    for source in sources:
        np.testing.assert_array_equal(load_libsvm(source).X.toarray(), expected)
    with open(path, "rb") as file:
        np.testing.assert_array_equal(load_libsvm(file).X.toarray(), expected)


def test_text_files_and_pipes_are_read(tmp_path):
    assert load_libsvm(io.StringIO(TEXT.decode())).X.shape == (3, 3)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(TEXT,))
    writer.start()
    assert load_libsvm(pipe).X.shape == (3, 3)
    writer.join()


def test_empty_text_has_no_rows(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    for source in (b"", b"\n# nothing\n", tmp_path / "empty"):
        data = load_libsvm(source)
        assert data.X.shape == (0, 0)
        assert data.y.shape == (0,)
    assert load_libsvm(b"1\n2\n").X.shape == (2, 0)
    assert load_libsvm(b"1\n2\n", n_features=4).X.shape == (2, 4)


def test_the_first_index_is_found_or_told():
    assert load_libsvm(b"1 1:5\n").X.toarray().tolist() == [[5]]
    assert load_libsvm(b"1 1:5\n2 0:7\n").X.toarray().tolist() == [[0, 5], [7, 0]]
    assert load_libsvm(b"1 1:5\n2 0:7\n").zero_based
    assert load_libsvm(b"1 1:5\n", zero_based=True).X.toarray().tolist() == [[0, 5]]
    with pytest.raises(InputError, match=r"line 2, column 3: expected indices from 1 .* got '0:7'.*zero_based=True"):
        load_libsvm(b"1 1:5\n2 0:7\n", zero_based=False)


def test_precomputed_kernels_are_read_as_they_are():
    X = load_libsvm(b"1 0:1 1:4 2:6\n-1 0:2 1:6 2:18\n").X
    assert X.toarray().tolist() == [[1, 4, 6], [2, 6, 18]]


def test_features_may_be_more_than_seen_and_never_fewer():
    assert load_libsvm(TEXT, n_features=10).X.shape == (3, 10)
    assert load_libsvm(TEXT, n_features=2**40).X.shape == (3, 2**40)
    with pytest.raises(InputError, match=r"line 1, column 10: .*at most 2 features.*'3:-2'.*Raise n_features"):
        load_libsvm(TEXT, n_features=2)
    with pytest.raises(InputError, match="line 1"):
        load_libsvm(b"1 3:1\n1 0:1", n_features=3)


def test_indices_of_64_bits_are_read_and_written():
    X = load_libsvm(b"1 1:1 5000000000:2\n").X
    assert X.shape == (1, 5_000_000_000)
    assert X.indices.tolist() == [0, 4_999_999_999]
    assert dumped(X, [1]) == b"1 1:1 5000000000:2\n"


def test_single_precision_is_asked_for_by_dtype():
    X = load_libsvm(b"1 1:0.1\n", dtype=np.float32).X
    assert X.dtype == np.float32
    assert X.data[0] == np.float32("0.1")
    with pytest.raises(ParameterError, match="dtype: expected float64 or float32, got int64"):
        load_libsvm(TEXT, dtype=int)


def test_query_ids_are_read_where_asked_for():
    text = b"1 qid:3 1:1\n0 qid:-7 2:1\n"
    assert load_libsvm(text, query_id=True).query_id.tolist() == [3, -7]
    assert load_libsvm(text).X.toarray().tolist() == [[1, 0], [0, 1]]
    with pytest.raises(InputError, match=r"line 1, column 3: expected a qid in every row.*query_id=False"):
        load_libsvm(b"1 1:1\n0 qid:7 2:1\n", query_id=True)


def test_numbers_that_are_not_finite_are_read_where_allowed():
    data = load_libsvm(b"nan 1:-inf 2:NaN\n", ensure_all_finite=False)
    assert np.isnan(data.y[0])
    assert data.X.data[0] == -np.inf
    assert np.isnan(data.X.data[1])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"x 1:1", "line 1, column 1: expected a number as the label, got 'x'. A line is: label index:value"),
        (b"1\n2:3", "line 2, column 1: expected a label before the first index:value, got '2:3'"),
        (b"1,2 1:1", r"expected one label, got '1,2'\. Rows with several labels \(multilabel"),
        (b"1 a:1", "column 3: expected index:value, with an index in digits, got 'a:1'"),
        (b"1 1:1 3", "column 7: expected index:value, got '3'"),
        (b"1 -2:1", "expected an index ≥ 0, got '-2:1'"),
        (b"1 9223372036854775808:1", "expected an index below 2⁶³, got '9223372036854775808:1'"),
        (b"1 2:1 1:1", "expected indices that ascend, got '1:1' after index 2"),
        (b"1 2:1 2:1", "expected each index once in a line, got '2:1' after index 2"),
        (b"1 2: 3:1", "expected a value right after the colon, got nothing"),
        (b"1 2:1,5", "expected a decimal number as the value, got '1,5'"),
        (b"1 2:0x10", "expected a decimal number, got '0x10'"),
        (b"1 2:nan", "expected a finite number, got 'nan'.*ensure_all_finite=False"),
        (b"1 2:1e999", "expected a number that the dtype can hold, got '1e999'"),
        (b"1 qid:x", "expected qid: and a whole number of 64 bits, got 'qid:x'"),
        (b"1 2:1 qid:3", "expected one qid, right after the label, got 'qid:3'"),
        (b"1 2:\xff\xfe", r"got '\\\\xff\\\\xfe'"),
    ],
)
def test_lines_that_are_wrong_are_told(text, told, tmp_path):
    with pytest.raises(InputError, match=told):
        load_libsvm(text)
    path = tmp_path / "wrong.txt"
    path.write_bytes(text)
    with pytest.raises(InputError, match=rf"wrong.txt, line \d, .*{told.partition('expected')[2]}"):
        load_libsvm(path)


def test_sources_that_cannot_be_read_are_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_libsvm(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        load_libsvm(tmp_path)
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        cut = pack(TEXT * 100)[:-9]
        with pytest.raises(InputError, match="expected a whole file compressed by"):
            load_libsvm(cut)
    with pytest.raises(InputError, match="expected bytes or text to read from it, got int"):
        load_libsvm(type("Odd", (), {"read": lambda self: 3})())


def test_a_file_that_becomes_shorter_is_told(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(TEXT)
    options = {"base": core.IndexBase.detect, "columns": None, "single": False, "finite_only": True}
    with open(path, "rb") as file, pytest.raises(RuntimeError, match="shorter"):
        core.read_libsvm_file(file.fileno(), len(TEXT) + 1, **options, with_queries=False, threads=1)
    with pytest.raises(OSError, match="Bad file descriptor"):
        core.read_libsvm_file(-1, len(TEXT), **options, with_queries=False, threads=1)


@pytest.mark.parametrize(
    ("name", "value"), [("n_features", -1), ("zero_based", "yes"), ("query_id", None), ("threads", 0)]
)
def test_parameters_are_checked(name, value):
    with pytest.raises(ParameterError, match=name):
        load_libsvm(TEXT, **{name: value})


def test_threads_change_nothing(random):
    X = sp.random(5000, 300, density=0.1, random_state=random, format="csr")
    y = random.integers(0, 3, 5000)
    text = dumped(X, y, threads=1)
    assert dumped(X, y, threads=2) == text
    one, more = (load_libsvm(text, threads=threads) for threads in (1, 3))
    for part in ("data", "indices", "indptr"):
        assert same_bits(getattr(one.X, part), getattr(more.X, part))
        assert same_bits(getattr(one.X, part), getattr(X, part))
    assert same_bits(one.y, more.y)


# Pieces of text that meet in files, and what breaks them.
TOKENS = st.sampled_from(
    "_|_|\n|\n|\t|\r\n|#|:|1|0|3|-1|+1|1:1|_2:0.5|_3:-1e-3|_0:7|qid:2|nan|inf|0x1|1e999|,|.|e5|12345678901234567890|"
    "\ufeff|x|2147483648:1|\v".replace("_", " ").split("|")
)
TEXTS = st.lists(TOKENS, max_size=30).map("".join).map(str.encode)
LINES = st.lists(
    st.tuples(
        st.sampled_from(["1", "-1", "+2.5", "1e3"]),
        st.dictionaries(st.integers(0, 40), st.floats(allow_nan=False, allow_infinity=False), max_size=5),
    ),
    max_size=6,
).map(lambda rows: "\n".join(f"{y} " + " ".join(f"{k}:{v!r}" for k, v in sorted(x.items())) for y, x in rows).encode())


def agree_with_the_naive_reader(text, zero_based, n_features, finite, queries):
    try:
        expected, columns = libsvm_text.read(text, zero_based, n_features, finite, queries)
    except libsvm_text.Refused as refused:
        with pytest.raises(InputError, match=f"line {refused.args[0]},"):
            load_libsvm(text, zero_based=zero_based, n_features=n_features, ensure_all_finite=finite, query_id=queries)
        return
    data = load_libsvm(text, zero_based=zero_based, n_features=n_features, ensure_all_finite=finite, query_id=queries)
    assert data.X.shape == (len(expected), columns if n_features is None else n_features)
    for i, (label, query, entries) in enumerate(expected):
        span = slice(data.X.indptr[i], data.X.indptr[i + 1])
        assert same_bits(data.y[i : i + 1], np.array([label]))
        assert data.X.indices[span].tolist() == list(entries)
        assert same_bits(data.X.data[span], np.array(list(entries.values()), dtype=float))
        if queries:
            assert data.query_id[i] == query


@given(TEXTS | LINES, st.sampled_from(["auto", True, False]), st.sampled_from([None, 0, 3, 50]), st.booleans())
def test_text_is_read_as_a_naive_reader_reads_it(text, zero_based, n_features, finite):
    agree_with_the_naive_reader(text, zero_based, n_features, finite, False)


@given(TEXTS, st.integers(0, 2))
def test_queries_are_read_as_a_naive_reader_reads_them(text, k):
    agree_with_the_naive_reader(
        text.replace(b"\n", [b"\n", b"\n1 qid:5 ", b"\n2 qid:-1 "][k]), "auto", None, True, True
    )


@given(LINES, st.sampled_from([np.float32, np.float64]))
def test_lines_are_read_as_scikit_learn_reads_them(text, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers too large for float32
        X, y = load_svmlight_file(io.BytesIO(text + b"\n"), dtype=dtype)
    if not np.isfinite(X.data).all():
        with pytest.raises(InputError, match="dtype can hold"):
            load_libsvm(text, dtype=dtype)
        return
    data = load_libsvm(text, dtype=dtype)
    assert data.X.shape[0] == X.shape[0]
    assert same_bits(data.y, y)
    assert same_bits(data.X.data, X.data)
    assert data.X.indices.tolist() == X.indices.tolist()
    assert data.X.indptr.tolist() == X.indptr.tolist()


def test_what_scikit_learn_writes_is_read(random):
    X = sp.random(200, 50, density=0.2, random_state=random, format="csr")
    y = random.normal(size=200)
    for options in ({}, {"zero_based": True}, {"zero_based": False, "comment": "a\nb"}, {"query_id": np.arange(200)}):
        file = io.BytesIO()
        dump_svmlight_file(X, y, file, **options)
        data = load_libsvm(file.getvalue(), zero_based=options.get("zero_based", True), n_features=50)
        np.testing.assert_allclose(data.X.toarray(), X.toarray(), rtol=1e-15)  # its sixteen digits
        np.testing.assert_allclose(data.y, y, rtol=1e-15)


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
    monkeypatch.setattr("mercer.io.libsvm_data._ENTRIES_AT_ONCE", 7)
    assert dumped(X, y) == expected
    assert dumped(sp.csr_matrix(X), y) == expected


@pytest.mark.parametrize("seed", range(4))
def test_mutated_text_is_read_as_a_naive_reader_reads_it(seed):
    random = np.random.default_rng(seed)
    seeds = [
        TEXT,
        b"1 qid:7 1:.5 2:-2.5e-3 # a:b\r\n-1 qid:8 2147483648:1",
        b"0 0:1 1:0.12345678901234567\n2 0:2 1:nan\n",
    ]
    for _ in range(500):
        text = bytearray(seeds[random.integers(len(seeds))])
        for _ in range(random.integers(1, 5)):
            at = random.integers(len(text) + 1)
            if random.random() < 0.4:
                text[at : at + random.integers(3)] = b""
            else:
                text[at:at] = bytes(random.choice(list(b"01:9 \n#-.eqx,\x00\xff"), random.integers(1, 3)).tolist())
        agree_with_the_naive_reader(bytes(text), "auto", None, bool(random.integers(2)), False)
