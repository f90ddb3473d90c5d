"""The reader of LIBSVM model files believes nothing that the lines do not bear out."""

import tracemalloc
from time import perf_counter

import numpy as np
import pytest

from mercer.errors import InputError
from mercer.io.libsvm_models import ModelFileError, load_libsvm_model
from tests.io.fuzz_libsvm_models import judge
from tests.io.libsvm_files import FOLDER, NAMES

GOOD = (FOLDER / "c_svc-polynomial.model").read_text()
SECONDS_AT_MOST = 0.5
BYTES_AT_MOST = 2_000_000


def load_text(text, tmp_path):
    path = tmp_path / "bad.model"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_libsvm_model(path)


def changed(key, line):
    """The good file with another line for a key; None leaves it out."""
    lines = [old for old in GOOD.splitlines() if not (line is None and old.split()[0] == key)]
    lines = [line if old.split()[0] == key and line is not None else old for old in lines]
    return "\n".join(lines) + "\n"


def test_good_file_is_read(tmp_path):
    assert load_text(GOOD, tmp_path).labels == (7, 2, -3)


@pytest.mark.parametrize(
    ("key", "line", "message"),
    [
        ("svm_type", "svm_type c_svm", "line 1: expected 'svm_type' to be one of c_svc, nu_svc"),
        ("svm_type", None, "expected a line 'svm_type'"),
        ("svm_type", "svm_type", "line 1: expected 1 value of 'svm_type', got 0"),
        ("svm_type", "svm_type epsilon_svr", "expected nr_class 2 of epsilon_svr"),
        ("kernel_type", "kernel_type laplacian", "line 2: expected 'kernel_type' to be one of linear"),
        ("degree", "degree -1", "line 3: expected 'degree' to be a whole number from 0 to"),
        ("degree", "degree 1e3", "line 3: expected 'degree' to be a whole number"),
        ("degree", "degree 99999999", "line 3: expected 'degree'"),
        ("gamma", "gamma nan", "line 4: expected 'gamma' to be finite"),
        ("gamma", "gamma -1", "line 4: expected gamma not below zero"),
        ("gamma", "gamma 1_0", "line 4: expected 'gamma' to be finite numbers"),
        ("gamma", None, "expected a line 'gamma'"),
        ("coef0", "coef0 inf", "line 5: expected 'coef0' to be finite"),
        ("nr_class", "nr_class 0", "line 6: expected 'nr_class' to be a whole number from 1"),
        ("nr_class", "nr_class 4", "expected 4 values of 'label' for 4 classes, got 3"),
        ("nr_class", "nr_class 2147483647", "expected 2147483647 values of 'label'"),
        ("nr_class", "nr_class 1000000000000000000", "line 6: expected 'nr_class'"),
        ("total_sv", "total_sv 1000000000000000000", "line 7: expected 'total_sv'"),
        ("total_sv", "total_sv 2147483647", "expected the counts of nr_sv to sum to total_sv, 2147483647"),
        ("total_sv", "total_sv -3", "line 7: expected 'total_sv'"),
        ("rho", "rho 1 2", "line 8: expected 3 values of 'rho' for 3 classes, got 2"),
        ("rho", "rho 1 2 1e999", "line 8: expected 'rho' to be finite numbers, got '1e999'"),
        ("label", "label 1 2 2", "line 9: expected different labels"),
        ("label", "label 1 2 3.5", "line 9: expected 'label' to be a whole number"),
        ("label", "label 1 2 4294967296", "line 9: expected 'label'"),
        ("label", None, "expected a line 'label'"),
        ("probB", None, "expected probA and probB, or neither"),
        ("probA", "probA 1 2 x", "expected 'probA' to be finite numbers, got 'x'"),
        ("probA", "prob_density_marks 1 2 3 4 5 6 7 8 9 10", "expected no 'prob_density_marks' of c_svc"),
        ("nr_sv", "nr_sv 1 1 1", "expected the counts of nr_sv to sum to total_sv"),
        ("nr_sv", "nr_sv 99999999999999999999999 1 1", "expected 'nr_sv' to be a whole number"),
        ("nr_sv", None, "expected a line 'nr_sv'"),
        ("nr_sv", "hidden 1", "expected one of svm_type, kernel_type.*got 'hidden 1'"),
        ("nr_sv", "rho 1 2 3", "expected 'rho' once, which line 8 has"),
        ("nr_sv", "", "expected a word such as 'rho'"),
        ("SV", None, "expected a line 'SV' after at most 13 lines"),
    ],
)
def test_wrong_header_is_refused_at_once_with_its_line(key, line, message, tmp_path):
    text = changed(key, line)
    tracemalloc.start()
    began = perf_counter()
    try:
        with pytest.raises(ModelFileError, match=message):
            load_text(text, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < BYTES_AT_MOST
    finally:
        tracemalloc.stop()
    assert perf_counter() - began < SECONDS_AT_MOST


FIRST = GOOD.splitlines().index("SV") + 2
ROW = GOOD.splitlines()[FIRST - 1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 2 1:1 1:2", "expected indices in rising order, got '1'"),
        ("1 2 3:1 2:2", "expected indices in rising order, got '2'"),
        ("1 2 -1:1", "expected indices from 0 to 2147483647, got '-1'"),
        ("1 2 2147483648:1", "expected indices from 0 to 2147483647"),
        ("1 2 1:nan", "expected finite numbers, got 'nan'"),
        ("1 inf 1:2", "expected finite numbers, got 'inf'"),
        ("1 2_0 1:2", "expected finite numbers, got '2_0'"),
        ("1 1:2", "expected 2 coefficients and then pairs"),
        ("1 2 3", "expected 2 coefficients and then pairs"),
        ("1 2 1:2:3", "expected 2 coefficients and then pairs"),
        ("1 2 1: 2", "expected 2 coefficients and then pairs"),
        ("1 2 :2", "expected 2 coefficients and then pairs"),
        ("1 2 1:x", "expected finite numbers, got 'x'"),
        ("1 2 1.5:1", "expected indices from 0"),
        ("", "expected 2 coefficients"),
    ],
)
def test_wrong_support_vector_is_refused_with_its_line(line, message, tmp_path):
    with pytest.raises(ModelFileError, match=f"bad.model, line {FIRST}: {message}"):
        load_text(GOOD.replace(ROW, line, 1), tmp_path)


def test_cut_off_file_is_refused_wherever_it_ends(tmp_path):
    refused = 0
    for length in range(len(GOOD) - 2):
        try:
            load_text(GOOD[:length], tmp_path)
        except InputError:
            refused += 1
    # What is lost without a trace is digits of the last number, or the last features of the last line.
    assert refused >= len(GOOD) - 2 - len(GOOD.splitlines()[-1])


def test_lines_beyond_the_last_support_vector_are_refused(tmp_path):
    with pytest.raises(ModelFileError, match=r"expected .* support vectors, as total_sv says, got"):
        load_text(GOOD + ROW + "\n", tmp_path)
    load_text(GOOD + "\n\n", tmp_path)


def test_lines_may_end_as_on_windows(tmp_path):
    dos = load_text(GOOD.replace("\n", "\r\n"), tmp_path)
    np.testing.assert_array_equal(dos.machine.dual_coef, load_text(GOOD, tmp_path).machine.dual_coef)


def test_training_rows_of_a_precomputed_kernel_are_checked(tmp_path):
    good = (FOLDER / "nu_svr-precomputed.model").read_text()
    row = good.splitlines()[-1]
    coef, _, serial = row.partition(" ")
    before = good.splitlines()[-2].split()[-1]
    for wrong in ("0:0", "0:1.5", "0:-2", "1:3", "0:3 1:4", "0:3000000000"):
        with pytest.raises(ModelFileError, match="expected '0:serial'"):
            load_text(good.replace(row, f"{coef} {wrong}"), tmp_path)
    with pytest.raises(ModelFileError, match="each training row of a precomputed kernel once"):
        load_text(good.replace(row, f"{coef} {before}"), tmp_path)
    assert serial
    with pytest.raises(InputError, match="expected a kernel value with each of the first"):
        load_text(good, tmp_path).predict(np.zeros((2, 3)))


def test_queries_are_checked(tmp_path):
    model = load_text(GOOD, tmp_path)
    with pytest.raises(InputError, match="expected finite numbers"):
        model.predict([[np.nan, 0, 0, 0]])
    with pytest.raises(InputError, match="expected a matrix"):
        model.predict([1.0, 0, 0, 0])


@pytest.mark.parametrize("name", NAMES)
def test_changed_files_are_refused_or_read_but_never_crash(name):
    content = (FOLDER / f"{name}.model").read_bytes()
    random = np.random.RandomState(len(name))
    outcomes = [judge(content, random) for _ in range(60)]
    assert outcomes.count("refused") > 10
    assert outcomes.count("read") > 0
