"""What needs a process of its own: signals, closed pipes, full disks, and what is imported."""

import os
import signal
import subprocess
import sys
import time

import pytest

from mercer.io import dump_libsvm
from tests.cli.conftest import people, written

# Mercer's estimators are scikit-learn's, which takes ten times as long to import as everything else.
HEAVY = ("sklearn", "pandas", "matplotlib", "onnx", "scipy.optimize")


@pytest.fixture
def imported(program, tmp_path):
    """The heavy packages that a command imports."""

    def of(*arguments):
        script = (
            "import sys; from mercer.cli.app import run; code = run(sys.argv[1:]); "
            f"print(code, *[name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
        )
        said = subprocess.run(
            [sys.executable, "-c", script, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=True,
            env=program.environment,
            timeout=60,
        )
        return said.stderr.splitlines()[-1].split()

    return of


def test_quick_commands_do_without_scikit_learn(imported, models, new_csv, tmp_path, random):
    X = random.normal(size=(40, 2))
    dump_libsvm(X, (X[:, 0] > 0).astype(int), tmp_path / "d.svm")
    data, model, scaled = tmp_path / "d.svm", tmp_path / "d.model", tmp_path / "scaled"
    table_model = models / "people.mercer"
    assert imported("--help") == ["0"]
    assert imported("info") == ["0"]
    assert imported("inspect", table_model) == ["0"]
    assert imported("predict", table_model, new_csv, "--probabilities", "--decision") == ["0"]
    assert imported("svm-train", "-q", data, model) == ["0"]
    assert imported("svm-predict", data, model, tmp_path / "out") == ["0"]
    assert imported("svm-scale", "-s", scaled, data) == ["0"]
    assert imported("inspect", model) == ["0"]


def test_a_pipe_that_closes_is_no_error(program, models, tmp_path):
    path = written(tmp_path / "many.csv", people(20_000))
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [*program.start, "predict", str(models / "people.mercer"), str(path), "--probabilities"],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=program.environment,
    )
    os.close(writer)
    assert os.read(reader, 5) == b"buys,"
    os.close(reader)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("arguments", [("info",), ("--help",)])
def test_an_output_that_is_full_is_told(arguments, program):
    with open("/dev/full", "w") as full:
        said = program(*arguments, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert said.returncode == 4
    assert said.stderr == "error: No space left on device. The disk is full: make room, or choose another place.\n"


def test_ctrl_c_ends_a_training_run_with_130_and_leaves_nothing(program, tmp_path):
    table = written(tmp_path / "people.csv", people(3000))
    folder = tmp_path / "made"
    process = subprocess.Popen(
        [*program.start, "train", str(table), "--target", "buys", "-o", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=program.environment,
        text=True,
    )
    # It has said how it understood the table, and begins.
    assert "The separator" in process.stderr.readline()
    time.sleep(0.7)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("interrupted\n")
    assert "Traceback" not in err
    assert sorted(os.listdir(tmp_path)) == ["people.csv"]


def test_words_that_an_old_terminal_lacks_are_no_error(program, models, people_csv):
    old = {**program.environment, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    said = program("convert", "--help", env=old)
    assert said.returncode == 0
    said = program("certify", models / "people.mercer", people_csv, env=old)
    assert said.returncode == 0
    assert "Holds       yes" in said.stdout


def test_predictions_are_utf8_whatever_the_terminal(program, tmp_path, command):
    lines = [line.replace("often", "häufig") for line in people()]
    table = written(tmp_path / "p.csv", lines)
    assert command("train", table, "--target", "buys", "-o", tmp_path, "-q", "--time-limit", "5").code == 0
    old = {**program.environment, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    said = program("predict", tmp_path / "p.mercer", table, env=old, text=False)
    assert said.returncode == 0
    assert "häufig" in said.stdout.decode("utf-8")


def test_standard_input_for_predictions(program, models, new_csv):
    said = program("predict", models / "people.mercer", "-", input=new_csv.read_text())
    assert said.returncode == 0
    assert said.stdout == program("predict", models / "people.mercer", new_csv).stdout
    said = program("predict", models / "people.mercer", "-", input="")
    assert said.returncode == 3
    assert said.stderr.startswith("error: standard input: this file is empty.")
