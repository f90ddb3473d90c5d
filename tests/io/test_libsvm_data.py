"""LIBSVM data is read as scikit-learn and a naive reader read it; lines that are wrong are told."""

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from mercer._runtime import core
from mercer.data.libsvm_data import load_libsvm
from mercer.errors import InputError, ParameterError
from tests.io.libsvm_bits import dumped, same_bits
from tests.reference import libsvm_text

TEXT = b"+1 1:0.5 3:-2 # first\n\n# all\n-1 2:1e3\r\n1.5\n"


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
        (b"z" * 61, "got 'z{60}…'"),
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
