"""`mercer svm-train`, `svm-predict` and `svm-scale`: options, files and words of LIBSVM's programs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer.cli import svm_predict, svm_scale, svm_train
from mercer.cli.svm_folds import CRandom, folds_of
from mercer.io.libsvm_models import load_libsvm_model
from tests.io.libsvm_files import FOLDER, HAS_LIBSVM, NAMES, data_of, has_probabilities, options_of, read_values

needs_libsvm = pytest.mark.skipif(not HAS_LIBSVM, reason="libsvm-tools are not installed")

# The machines are solved to 1e-3 by either.
TOLERANCE = 5e-3
SECONDS_AT_MOST = 120


@pytest.fixture
def run(capsys):
    """Runs one of the programs here; its exit code, and what it says on stdout and stderr."""

    def ran(main, *words):
        code = main([str(word) for word in words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return ran


def theirs(program, *words):
    """The same of LIBSVM's own."""
    ended = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout, ended.stderr


# ---------------------------------------------------------------- svm-predict


@pytest.mark.parametrize("name", NAMES)
def test_predict_writes_what_svm_predict_wrote(name, run, tmp_path):
    test = FOLDER / data_of(name)[1]
    code, out, err = run(svm_predict.main, test, FOLDER / f"{name}.model", tmp_path / "out")
    assert (code, err) == (0, "")
    ours, written = read_values(tmp_path / "out"), read_values(FOLDER / f"{name}.out")
    np.testing.assert_allclose(ours, written, rtol=1e-12, atol=1e-13)
    assert re.search(r"^Mean squared error = \S+ \(regression\)$" if "svr" in name else r"^Accuracy = ", out, re.M)
    if "svr" not in name:
        assert (tmp_path / "out").read_bytes() == (FOLDER / f"{name}.out").read_bytes()


@pytest.mark.parametrize("name", [*filter(has_probabilities, NAMES), "one_class-marks"])
def test_predict_writes_the_probabilities_that_svm_predict_wrote(name, run, tmp_path):
    test = FOLDER / ("classes.test" if name == "one_class-marks" else data_of(name)[1])
    assert run(svm_predict.main, "-b", "1", test, FOLDER / f"{name}.model", tmp_path / "out")[0] == 0
    assert (tmp_path / "out").read_bytes() == (FOLDER / f"{name}.prob").read_bytes()


@needs_libsvm
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [[], ["-q"], ["-b", "1"], ["-q", "-b", "1"]], ids=" ".join)
def test_predict_says_what_svm_predict_says(name, options, run, tmp_path):
    files = [FOLDER / data_of(name)[1], FOLDER / f"{name}.model", tmp_path / "out"]
    assert run(svm_predict.main, *options, *files) == theirs("svm-predict", *options, *files)


def test_predict_takes_rows_without_labels(run, tmp_path):
    text = (FOLDER / "classes.test").read_text()
    bare = [line.partition(" ")[2] for line in text.splitlines() if " " in line]
    (tmp_path / "bare").write_text("\n".join(bare) + "\n")
    (tmp_path / "full").write_text("\n".join(line for line in text.splitlines() if " " in line) + "\n")
    model = FOLDER / "c_svc-rbf.model"
    assert "Accuracy" in run(svm_predict.main, tmp_path / "full", model, tmp_path / "a")[1]
    code, out, _ = run(svm_predict.main, tmp_path / "bare", model, tmp_path / "b")
    assert code == 0
    assert "Accuracy" not in out
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_predict_goes_by_indices_from_zero_where_a_file_has_them(run, tmp_path):
    (tmp_path / "model").write_text(
        "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 1:1 \n"
    )
    (tmp_path / "rows").write_text("0 0:2 1:1\n0 1:1\n")
    assert run(svm_predict.main, "-q", tmp_path / "rows", tmp_path / "model", tmp_path / "out") == (0, "", "")
    np.testing.assert_allclose(read_values(tmp_path / "out")[:, 0], [np.exp(-2.0), 1.0])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], ""),
        (["-b"], ""),
        (["-x", "1"], "Unknown option: -x"),
        (["-b", "yes", "a", "b", "c"], "error converting yes"),
        (["missing", "MODEL", "OUT"], "can't open input file missing"),
        (["TEST", "missing", "OUT"], "can't open model file missing"),
        (["TEST", "MODEL", "FOLDER/no/out"], "can't open output file"),
        (["TEST", "TEST", "OUT"], "Is the file a LIBSVM model"),
        (["-b", "1", "TEST", "PLAIN", "OUT"], "Model does not support probabiliy estimates"),
        (["BAD", "MODEL", "OUT"], "Wrong input format at line 2"),
    ],
)
def test_predict_tells_what_is_wrong_and_ends_with_one(words, message, run, tmp_path):
    (tmp_path / "bad").write_text("1 1:1\n1 2:x\n")
    places = {"MODEL": FOLDER / "c_svc-rbf.model", "PLAIN": FOLDER / "one_class-rbf.model", "OUT": tmp_path / "out"}
    places |= {"TEST": FOLDER / "classes.test", "BAD": tmp_path / "bad", "FOLDER/no/out": tmp_path / "no" / "out"}
    code, out, err = run(svm_predict.main, *(places.get(word, word) for word in words))
    assert code == 1
    assert message in err
    assert out.startswith("Usage: svm-predict") == (message == "" or message.startswith(("Unknown", "error")))


# ---------------------------------------------------------------- svm-train


def without_probabilities(name):
    options = options_of(name)
    return options[: options.index("-b")] if "-b" in options else options


def _paragraphs(out):
    """The numbers that svm-train prints of each binary problem."""
    found = re.findall(r"obj = (\S+), rho = (\S+)\nnSV = (\d+), nBSV = (\d+)", out)
    return np.array([[float(word) for word in words] for words in found])


@pytest.mark.parametrize("name", NAMES)
def test_trained_model_predicts_what_libsvm_predicts(name, run, tmp_path):
    train, test = (FOLDER / file for file in data_of(name))
    code, _, err = run(svm_train.main, *options_of(name), train, tmp_path / "model")
    assert code == 0
    assert re.search(r"^(Solved|Stationary).*Relative duality gap", err, re.M), err
    ours, written = load_libsvm_model(tmp_path / "model"), load_libsvm_model(FOLDER / f"{name}.model")
    assert ours.labels == written.labels
    assert ours.machine.n_support.sum() == pytest.approx(written.machine.n_support.sum(), abs=2)
    assert run(svm_predict.main, "-q", test, tmp_path / "model", tmp_path / "out")[0] == 0
    found, expected = read_values(tmp_path / "out"), read_values(FOLDER / f"{name}.out")
    if "svr" in name:
        np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE)
        assert ours.noise.scale == pytest.approx(written.noise.scale, rel=TOLERANCE)
    else:
        assert (found == expected).mean() > 0.9


@needs_libsvm
@pytest.mark.parametrize("name", NAMES)
def test_train_prints_the_solution_that_svm_train_prints(name, run, tmp_path):
    options = without_probabilities(name)
    train = FOLDER / data_of(name)[0]
    code, out, _ = run(svm_train.main, *options, "-e", "1e-5", train, tmp_path / "ours")
    assert code == 0
    ended = theirs("svm-train", *options, "-e", "1e-5", train, tmp_path / "theirs")
    assert ended[0] == 0
    ours, expected = _paragraphs(out), _paragraphs(ended[1])
    assert ours.shape == expected.shape
    np.testing.assert_allclose(ours[:, :2], expected[:, :2], rtol=1e-3, atol=1e-3)
    assert re.findall(r"^(?:Total|nu =|C =|epsilon =)", out, re.M) == re.findall(
        r"^(?:Total|nu =|C =|epsilon =)", ended[1], re.M
    )
    shares = [
        [float(word) for word in re.findall(r"^(?:nu|C|epsilon) = (\S+)", said, re.M)] for said in (out, ended[1])
    ]
    np.testing.assert_allclose(*shares, rtol=1e-3, atol=1e-4)


@needs_libsvm
@pytest.mark.parametrize("name", NAMES)
def test_svm_predict_reads_what_train_wrote_and_predicts_the_same(name, run, tmp_path):
    train, test = (FOLDER / file for file in data_of(name))
    assert run(svm_train.main, "-q", *options_of(name), train, tmp_path / "model") == (0, "", "")
    for b in ["0", "1"] if has_probabilities(name) else ["0"]:
        said = run(svm_predict.main, "-b", b, test, tmp_path / "model", tmp_path / "ours")
        assert said == theirs("svm-predict", "-b", b, test, tmp_path / "model", tmp_path / "theirs")
        ours, written = read_values(tmp_path / "ours"), read_values(tmp_path / "theirs")
        np.testing.assert_allclose(ours, written, rtol=1e-5 if b == "1" else 1e-12, atol=1e-13)


def test_c_library_random_numbers_are_those_of_linux():
    random = CRandom()
    assert [random() for _ in range(5)] == [1804289383, 846930886, 1681692777, 1714636915, 1957747793]


def test_folds_part_every_class_evenly(random):
    y = random.integers(0, 3, 50)
    folds = folds_of(y, 50, 4)
    assert sorted(np.concatenate(folds).tolist()) == list(range(50))
    for label in range(3):
        counts = [int((y[fold] == label).sum()) for fold in folds]
        assert max(counts) - min(counts) <= 1


# What `svm-train -v 5` of libsvm-tools prints for these.
CROSS_VALIDATED = {
    "c_svc-linear": "Cross Validation Accuracy = 62.5%",
    "c_svc-rbf": "Cross Validation Accuracy = 70.8333%",
    "nu_svc-polynomial": "Cross Validation Accuracy = 66.6667%",
    "c_svc-precomputed": "Cross Validation Accuracy = 62.5%",
    "nu_svc-rbf": "Cross Validation Accuracy = 66.6667%",
}


@pytest.mark.parametrize(("name", "line"), CROSS_VALIDATED.items())
def test_cross_validation_has_the_folds_of_libsvm(name, line, run):
    code, out, _ = run(svm_train.main, "-q", "-v", "5", *without_probabilities(name), FOLDER / data_of(name)[0])
    assert (code, out) == (0, f"{line}\n")


def test_cross_validation_of_a_regression_tells_both_scores(run):
    code, out, _ = run(svm_train.main, "-q", "-s", "3", "-v", "4", FOLDER / "numbers.train")
    assert code == 0
    numbers = re.fullmatch(
        r"Cross Validation Mean squared error = (\S+)\nCross Validation Squared correlation coefficient = (\S+)\n", out
    )
    # What svm-train of libsvm-tools prints.
    np.testing.assert_allclose([float(word) for word in numbers.groups()], [0.806844, 0.916818], rtol=TOLERANCE)


def test_more_folds_than_rows_leave_one_out(run):
    code, out, err = run(svm_train.main, "-q", "-v", "100", FOLDER / "signs.train")
    assert code == 0
    assert "WARNING: # folds (100) > # data" in err
    assert out.startswith("Cross Validation Accuracy = ")


def test_weights_of_classes_move_the_machine(run, tmp_path):
    words = ["-q", "-c", "0.5", "-w7", "10", "-w7", "2", FOLDER / "classes.train", tmp_path / "model"]
    assert run(svm_train.main, *words)[0] == 0
    model = load_libsvm_model(tmp_path / "model")
    largest = np.abs(model.machine.dual_coef).max()
    assert 0.5 < largest <= 10.0
    code, _, err = run(svm_train.main, "-q", "-w99", "2", FOLDER / "classes.train", tmp_path / "model")
    assert code == 0
    assert "WARNING: class label 99 specified in weight is not found" in err


@needs_libsvm
def test_weights_are_those_of_svm_train(run, tmp_path):
    options = ["-c", "0.5", "-w7", "3", "-w2", "0.25", "-e", "1e-5", "-g", "0.5"]
    code, out, _ = run(svm_train.main, *options, FOLDER / "classes.train", tmp_path / "ours")
    assert code == 0
    ended = theirs("svm-train", *options, FOLDER / "classes.train", tmp_path / "theirs")[1]
    np.testing.assert_allclose(_paragraphs(out)[:, :2], _paragraphs(ended)[:, :2], rtol=1e-4, atol=1e-4)
    assert ("nu =" in out) == ("nu =" in ended)


def test_single_class_makes_a_model_that_predicts_it(run, tmp_path):
    (tmp_path / "rows").write_text("5 1:1\n5 1:2\n")
    code, out, _ = run(svm_train.main, tmp_path / "rows", tmp_path / "model")
    assert code == 0
    assert out.startswith("WARNING: training data in only one class.")
    assert run(svm_predict.main, tmp_path / "rows", tmp_path / "model", tmp_path / "out")[1].startswith(
        "Accuracy = 100%"
    )


def test_model_is_named_after_the_data(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(svm_train.main, "-q", FOLDER / "signs.train")[0] == 0
    assert (tmp_path / "signs.train.model").exists()


def test_data_come_from_standard_input_too(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", open(FOLDER / "signs.train"))  # noqa: SIM115
    assert run(svm_train.main, "-q", "-", tmp_path / "model")[0] == 0
    assert load_libsvm_model(tmp_path / "model").labels == (1, -1)
    sys.stdin.close()


def test_probabilities_of_one_class_are_written(run, tmp_path):
    words = ["-q", "-s", "2", "-n", "0.5", "-b", "1", FOLDER / "classes.train", tmp_path / "model"]
    assert run(svm_train.main, *words) == (0, "", "")
    ours, written = load_libsvm_model(tmp_path / "model"), load_libsvm_model(FOLDER / "one_class-marks.model")
    # Rows on the boundary are on either side by rounding, so that the marks near zero are not comparable.
    np.testing.assert_allclose(ours.marks[[0, 1, -1]], written.marks[[0, 1, -1]], atol=TOLERANCE)
    assert (np.diff(ours.marks) > 0).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], ""),
        (["-s"], ""),
        (["-k", "1", "TRAIN"], "Unknown option: -k"),
        (["-v", "1", "TRAIN"], "n-fold cross validation: n must >= 2"),
        (["-c", "much", "TRAIN"], "error converting much to float"),
        (["-s", "0.5", "TRAIN"], "error converting 0.5 to int"),
        (["missing"], "can't open input file missing"),
        (["-s", "9", "TRAIN"], "ERROR: unknown svm type"),
        (["-t", "5", "TRAIN"], "ERROR: unknown kernel type"),
        (["-c", "0", "TRAIN"], "ERROR: C <= 0"),
        (["-g", "-1", "TRAIN"], "ERROR: gamma < 0"),
        (["-e", "0", "TRAIN"], "ERROR: eps <= 0"),
        (["-s", "1", "-n", "1.5", "TRAIN"], "ERROR: nu <= 0 or nu > 1"),
        (["-s", "1", "-n", "1", "SIGNS"], "ERROR: specified nu is infeasible"),
        (["-s", "3", "-p", "-1", "NUMBERS"], "ERROR: p < 0"),
        (["-h", "2", "TRAIN"], "ERROR: shrinking != 0 and shrinking != 1"),
        (["-b", "2", "TRAIN"], "ERROR: probability != 0 and probability != 1"),
        (["-w7", "0", "TRAIN"], "ERROR: weight <= 0"),
        (["-t", "4", "TRAIN"], "first column must be 0:sample_serial_number"),
        (["NUMBERS"], "Use -s 3 or -s 4"),
        (["BAD"], "Wrong input format at line 2"),
        (["EMPTY"], "expected a row or more"),
        (["-v", "2", "FEW"], "expected rows to train on outside of each fold"),
        (["TRAIN", "FOLDER/no/model"], "can't save model to file"),
    ],
)
def test_train_tells_what_is_wrong_and_ends_with_one(words, message, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad").write_text("1 1:1\n1 2:1 1:1\n")
    (tmp_path / "empty").write_text("")
    (tmp_path / "few").write_text("1 1:1\n2 1:2\n3 1:3\n")
    places = {"TRAIN": FOLDER / "classes.train", "NUMBERS": FOLDER / "numbers.train", "BAD": tmp_path / "bad"}
    places |= {"SIGNS": FOLDER / "classes.train", "EMPTY": tmp_path / "empty", "FEW": tmp_path / "few"}
    places |= {"FOLDER/no/model": tmp_path / "no" / "model"}
    if "infeasible" in message:
        (tmp_path / "uneven").write_text("1 1:1\n1 1:2\n1 1:3\n2 1:4\n")
        places["SIGNS"] = tmp_path / "uneven"
    code, out, err = run(svm_train.main, *(places.get(word, word) for word in words))
    assert code == 1
    assert message in err
    assert out.startswith("Usage: svm-train") == (message == "" or message.startswith(("Unknown", "error", "n-fold")))
    assert not list(tmp_path.glob("*.model"))


# ---------------------------------------------------------------- svm-scale

SCALED = "-2 1:-1 2:1 4:-1 \n0.5 1:1 2:-0.333333 4:0.5 \n3 1:-0.5 2:-1 4:1 \n"
ROWS = "-2 1:1 2:4 3:7 4:-3\n0.5 1:5 2:2 3:7\n3 1:2 2:1 3:7 4:1\n"
RANGES = "x\n-1 1\n1 1 5\n2 1 4\n4 -3 1\n"


def test_scale_writes_what_svm_scale_writes(run, tmp_path):
    (tmp_path / "rows").write_text(ROWS)
    assert run(svm_scale.main, "-s", tmp_path / "ranges", tmp_path / "rows") == (0, SCALED, "")
    assert (tmp_path / "ranges").read_text() == RANGES
    assert run(svm_scale.main, "-r", tmp_path / "ranges", tmp_path / "rows") == (0, SCALED, "")


DATA = {
    "dense": ROWS,
    "sparse": "1\n2 3:4 7:-1e-3\n1 1:0 3:5 9:1e6\n-1 2:0.1\n",
    "from zero": "1 0:1 2:3\n2 0:4 3:1\n3 2:-1",
    "constant": "1 1:2\n1 1:2\n",
    "other": "7 1:0.5 2:-8 3:9 5:2\n0 4:2 8:1\n",
}
SCALE_OPTIONS = [[], ["-l", "0"], ["-l", "0", "-u", "10"], ["-y", "-1", "1"], ["-l", "-3", "-u", "-1", "-y", "0", "1"]]


@needs_libsvm
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("options", SCALE_OPTIONS, ids=" ".join)
def test_scale_agrees_with_svm_scale_byte_by_byte(data, options, run, tmp_path):
    (tmp_path / "rows").write_text(DATA[data])
    ranges = tmp_path / "ranges"
    ours = run(svm_scale.main, *options, "-s", ranges, tmp_path / "rows")
    written = ranges.read_text()
    assert ours == theirs("svm-scale", *options, "-s", ranges, tmp_path / "rows")
    assert ranges.read_text() == written
    assert run(svm_scale.main, *options, tmp_path / "rows") == theirs("svm-scale", *options, tmp_path / "rows")
    for other in DATA.values():
        (tmp_path / "others").write_text(other)
        words = ["-r", ranges, tmp_path / "others"]
        assert run(svm_scale.main, *words) == theirs("svm-scale", *words)


def test_scale_warns_where_zeros_are_filled_and_features_are_unknown(run, tmp_path):
    (tmp_path / "rows").write_text(DATA["sparse"])
    (tmp_path / "ranges").write_text(RANGES)
    err = run(svm_scale.main, tmp_path / "rows")[2]
    assert "WARNING: original #nonzeros 6\n       > new      #nonzeros " in err
    err = run(svm_scale.main, "-r", tmp_path / "ranges", tmp_path / "rows")[2]
    assert err.count("was not seen in the scaling factor file") == 3


def test_largest_index_takes_no_memory_to_scale(run, tmp_path):
    (tmp_path / "rows").write_text("1 1:1 2000000000:3\n2 1:2\n")
    assert run(svm_scale.main, "-l", "0", tmp_path / "rows") == (0, "1 2000000000:1 \n2 1:1 \n", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], ""),
        (["-z", "1", "ROWS"], "unknown option"),
        (["-l"], ""),
        (["-l", "2", "ROWS"], "inconsistent lower/upper specification"),
        (["-y", "1", "0", "ROWS"], "inconsistent lower/upper specification"),
        (["-s", "a", "-r", "b", "ROWS"], "cannot use -r and -s simultaneously"),
        (["missing"], "can't open file missing"),
        (["-r", "missing", "ROWS"], "can't open file missing"),
        (["-r", "ROWS", "ROWS"], "ERROR: failed to read scaling parameters"),
        (["-r", "FORGED", "ROWS"], "ERROR: failed to read scaling parameters"),
    ],
)
def test_scale_tells_what_is_wrong_and_ends_with_one(words, message, run, tmp_path):
    (tmp_path / "rows").write_text(ROWS)
    (tmp_path / "forged").write_text("x\n-1 1\n1 0 1\n99999999999 0 1\n")
    places = {"ROWS": tmp_path / "rows", "FORGED": tmp_path / "forged"}
    code, out, err = run(svm_scale.main, *(places.get(word, word) for word in words))
    assert code == 1
    assert message in err
    assert out.startswith("Usage: svm-scale") == (message in ("", "unknown option"))


# ---------------------------------------------------------------- LIBSVM's scripts


@pytest.fixture
def tools(tmp_path):
    """LIBSVM's folder of scripts, with Mercer's programs beside it."""
    for name in ("train", "predict", "scale"):
        program = tmp_path / f"svm-{name}"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mercer.cli.svm_{name} "$@"\n')
        program.chmod(0o755)
    (tmp_path / "tools").mkdir()
    for script, name in {"svm-grid": "grid.py", "svm-easy": "easy.py"}.items():
        text = Path(shutil.which(script)).read_text()
        text = re.sub(r"\A#!.*", f"#!{sys.executable}", text)
        # Fewer cells than the 110 that it tries.
        text = text.replace("-5,  15,  2", "-1, 1, 2").replace("3, -15, -2", "-1, -3, -2")
        text = text.replace('assert os.path.exists(gnuplot_exe),"gnuplot executable not found"', "gnuplot_exe = 'null'")
        (tmp_path / "tools" / name).write_text(text)
        (tmp_path / "tools" / name).chmod(0o755)
    return tmp_path / "tools"


def _in_folder(folder, *words):
    # Where a program fails, grid.py waits for ever.
    environment = {**os.environ, "PYTHONPATH": str(Path(mercer.__file__).parents[1])}
    words = [sys.executable, *map(str, words)]
    ended = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=SECONDS_AT_MOST
    )
    return ended.stdout


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("svm-grid"), reason="libsvm-tools are not installed")
def test_grid_py_finds_what_it_finds_with_svm_train(tools):
    words = ["grid.py", "-gnuplot", "null", "-out", "null"]
    ours = _in_folder(tools, *words, FOLDER / "classes.train")
    assert ours == _in_folder(tools, *words, "-svmtrain", shutil.which("svm-train"), FOLDER / "classes.train")
    assert len(ours.splitlines()) == 5


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("svm-easy"), reason="libsvm-tools are not installed")
def test_easy_py_goes_from_data_to_predictions(tools):
    out = _in_folder(tools, "easy.py", FOLDER / "classes.train", FOLDER / "classes.test")
    assert re.search(r"^Best c=\S+, g=\S+ CV rate=\S+$", out, re.M)
    assert re.search(r"^Accuracy = \S+% \(\d+/12\) \(classification\)$", out, re.M)
    assert len((tools / "classes.test.predict").read_text().splitlines()) == 12
