"""Files that LIBSVM's own programs wrote: models of every problem and kernel, and what they predict.

`python -m tests.io.libsvm_files` writes them anew where svm-train and svm-predict (Debian's libsvm-tools, 3.24) are
installed; the probabilities of one class, which those do not have yet, where the package libsvm-official (3.37) is.
"""

import shutil
import subprocess
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "data" / "libsvm"
HAS_LIBSVM = all(shutil.which(name) for name in ("svm-train", "svm-predict", "svm-scale"))

PROBLEMS = ("c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr")
KERNELS = ("linear", "polynomial", "rbf", "sigmoid", "precomputed")
OF_KERNEL = {"polynomial": ["-r", "1", "-d", "2"], "sigmoid": ["-g", "0.1", "-r", "-0.2"]}
# Two classes in each order that they can come in: LIBSVM puts +1 before −1 whatever comes first.
ORDERS = {"ascending": (2, 5), "descending": (5, 2), "signs": (-1, 1)}
NAMES = [f"{problem}-{kernel}" for problem in PROBLEMS for kernel in KERNELS] + [f"order-{name}" for name in ORDERS]


def options_of(name):
    """What svm-train is told for a model, without the file."""
    first, second = name.split("-")
    if first == "order":
        return ["-b", "1"]
    told = ["-s", str(PROBLEMS.index(first)), "-t", str(KERNELS.index(second)), "-n", "0.4", "-c", "2"]
    return [*told, *OF_KERNEL.get(second, []), *([] if first == "one_class" else ["-b", "1"])]


def data_of(name):
    """The names of the training and of the test file of a model."""
    first, second = name.split("-")
    if first == "order":
        return f"{second}.train", f"{second}.test"
    kind = "numbers" if first.endswith("svr") else "classes"
    return (
        (f"{kind}.kernel.train", f"{kind}.kernel.test")
        if second == "precomputed"
        else (f"{kind}.train", f"{kind}.test")
    )


def has_probabilities(name):
    return name.startswith(("c_svc", "nu_svc", "order"))


def read_values(path):
    """Rows of numbers of an output file, without the line of labels."""
    lines = [line.split() for line in path.read_text().splitlines()]
    return np.array([[float(word) for word in line] for line in lines if line[0] not in ("labels", "label")])


def _line(target, row):
    return " ".join([f"{target:g}", *(f"{j + 1}:{value:g}" for j, value in enumerate(row) if value)]) + "\n"


def _kernel_line(target, serial, row):
    return " ".join([f"{target:g}", f"0:{serial}", *(f"{j + 1}:{value:.6f}" for j, value in enumerate(row))]) + "\n"


def _write_data():
    random = np.random.RandomState(3)
    codes = random.permutation(np.repeat([0, 1, 2], 12))
    centres = np.array([[1.0, 0, 0, 0.5], [0, 1.0, 0, 0], [0, 0, 1.0, -0.5]])
    X = (centres[codes] + 0.5 * random.randn(36, 4)).round(3)
    X[random.rand(36, 4) < 0.2] = 0
    numbers = (X @ [1.0, -2.0, 0.5, 1.0] + 0.2 * random.randn(36)).round(3)
    X[30, :] = 0  # a line without features
    wide = np.hstack([X[24:], np.zeros((12, 2))])
    wide[3, 5] = 0.7  # a feature that no training row has
    K = (X[:24] @ X[:24].T).round(6)
    for kind, y in {"classes": np.array([7, -3, 2])[codes], "numbers": numbers}.items():
        (FOLDER / f"{kind}.train").write_text("".join(map(_line, y[:24], X[:24])))
        (FOLDER / f"{kind}.test").write_text("".join(map(_line, y[24:], wide)))
        serials = range(1, 25)
        (FOLDER / f"{kind}.kernel.train").write_text("".join(map(_kernel_line, y[:24], serials, K)))
        K_test = X[24:] @ X[:24].T
        (FOLDER / f"{kind}.kernel.test").write_text("".join(map(_kernel_line, y[24:], serials, K_test)))
    rows = np.flatnonzero(codes[:24] < 2)
    for name, labels in ORDERS.items():
        # The first row is of the class that is named first.
        y = np.where(codes == codes[rows[0]], *labels)
        (FOLDER / f"{name}.train").write_text("".join(map(_line, y[rows], X[rows])))
        (FOLDER / f"{name}.test").write_text("".join(map(_line, y[24:], X[24:])))


def _run(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


def _write_marks():
    """One class with probabilities."""
    from libsvm.svmutil import svm_predict, svm_read_problem, svm_save_model, svm_train

    y, rows = svm_read_problem(str(FOLDER / "classes.train"))
    model = svm_train(y, rows, "-q -s 2 -n 0.5 -b 1")
    svm_save_model(str(FOLDER / "one_class-marks.model"), model)
    y, rows = svm_read_problem(str(FOLDER / "classes.test"))
    labels, _, values = svm_predict(y, rows, model, "-q -b 1")
    lines = [" ".join(f"{value:g}" for value in (label, *row)) for label, row in zip(labels, values, strict=True)]
    (FOLDER / "one_class-marks.prob").write_text("\n".join(["label normal outlier", *lines, ""]))


def write():
    FOLDER.mkdir(parents=True, exist_ok=True)
    _write_data()
    for name in NAMES:
        train, test = (FOLDER / file for file in data_of(name))
        model = FOLDER / f"{name}.model"
        _run("svm-train", *options_of(name), train, model)
        _run("svm-predict", test, model, FOLDER / f"{name}.out")
        if has_probabilities(name):
            _run("svm-predict", "-b", "1", test, model, FOLDER / f"{name}.prob")
    try:
        _write_marks()
    except ImportError:
        print("one_class-marks stays as it is: libsvm-official is not installed.")


if __name__ == "__main__":
    write()
