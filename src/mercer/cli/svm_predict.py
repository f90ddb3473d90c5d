"""`mercer svm-predict`: LIBSVM's program, with its options, files and words."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mercer.cli.libsvm_rows import LibsvmRows, read_rows
from mercer.cli.svm_scores import accuracy_line, regression_lines
from mercer.cli.svm_words import UsageError, closing_pipes, told_errors, whole_number
from mercer.errors import InputError
from mercer.io.libsvm_models import LibsvmModel, load_libsvm_model
from mercer.kernels import Precomputed
from mercer.typing import Floats

__all__ = ["main"]

USAGE = """\
Usage: svm-predict [options] test_file model_file output_file
options:
-b probability_estimates: whether to predict probability estimates, 0 or 1 (default 0)
-q : quiet mode (no outputs)
"""


@dataclass(frozen=True)
class _Asked:
    test: str
    model: str
    output: str
    probabilities: bool = False
    quiet: bool = False


@closing_pipes
def main(arguments: list[str]) -> int:
    """Predicts the rows of a test file by a model file, into an output file; returns the exit code."""
    with told_errors(USAGE) as ended:
        _run(_read_options(arguments))
    return ended.code


def _read_options(arguments: list[str]) -> _Asked:
    probabilities = quiet = False
    place = 0
    while place < len(arguments) and arguments[place].startswith("-") and arguments[place] != "-":
        option = arguments[place][1]
        if option == "q":
            quiet = True
        elif option == "b":
            place += 1
            if place >= len(arguments):
                raise UsageError
            probabilities = whole_number(arguments[place]) != 0
        else:
            raise UsageError(f"Unknown option: -{option}")
        place += 1
    if len(arguments) - place < 3:
        raise UsageError
    test, model, output = arguments[place : place + 3]
    return _Asked(test, model, output, probabilities, quiet)


def _run(asked: _Asked) -> None:
    try:
        rows = read_rows(asked.test, may_lack_labels=True)
    except OSError as error:
        raise InputError(f"can't open input file {asked.test}: {error.strerror or error}") from error
    try:
        model = load_libsvm_model(asked.model)
    except OSError as error:
        raise InputError(f"can't open model file {asked.model}: {error.strerror or error}") from error
    if asked.probabilities and not model.has_probabilities:
        raise InputError("Model does not support probabiliy estimates")
    said: list[str] = []
    if model.has_probabilities and not asked.probabilities:
        said.append("Model supports probability estimates, but disabled in prediction.")
    if asked.probabilities and model.problem.is_regression:
        assert model.prob_a is not None
        said.append("Prob. model for test data: target value = predicted value + z,")
        said.append(f"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma={float(model.prob_a[0]):g}")
    decision = decision_values(model, rows)
    if asked.probabilities and not model.problem.is_regression:
        predicted, lines = _with_probabilities(model, decision)
    else:
        predicted = model.decide(decision)
        lines = [f"{value:.17g}\n" for value in predicted.tolist()]
    _write(asked.output, lines)
    if rows.is_labelled:
        said += regression_lines(rows.y, predicted) if model.problem.is_regression else accuracy_line(rows.y, predicted)
    if said and not asked.quiet:
        print("\n".join(said), flush=True)


def decision_values(model: LibsvmModel, rows: LibsvmRows) -> Floats:
    """Those of rows whose columns are indices."""
    if isinstance(model.machine.kernel, Precomputed):
        rows.serials()
        return model.decision_values(rows.features())
    if rows.begins_at_zero:
        model = model.from_index_zero()
    return model.decision_values(rows.features(model.first_index))


def _with_probabilities(model: LibsvmModel, decision: Floats) -> tuple[Floats, list[str]]:
    """What is predicted, and the lines of the output file."""
    probabilities = model.probabilities_of(decision)
    if model.problem.is_classification:
        labels = np.array(model.labels, dtype=np.float64)
        predicted = labels[probabilities.argmax(axis=1)]
        first = " ".join(["labels", *map(str, model.labels)])
    else:
        predicted, first = model.decide(decision), "label normal outlier"
    form = " ".join(["%g"] * (1 + probabilities.shape[1])) + "\n"
    table = np.concatenate([predicted[:, None], probabilities], axis=1)
    return predicted, [f"{first}\n", *(form % tuple(row) for row in table.tolist())]


def _write(path: str, lines: Iterable[str]) -> None:
    if path == "-":
        sys.stdout.writelines(lines)
        return
    try:
        with open(path, "w", encoding="ascii") as file:
            file.writelines(lines)
    except OSError as error:
        raise InputError(f"can't open output file {path}: {error.strerror or error}") from error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
