"""`mercer svm-train`: LIBSVM's program, with its options, files and words; the machine comes with a certificate."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from mercer.cli.libsvm_rows import read_rows
from mercer.cli.svm_options import USAGE, TrainingOptions, read_training_options
from mercer.cli.svm_progress import certificate_line, solution_lines
from mercer.cli.svm_scores import cross_validation_lines
from mercer.cli.svm_training import Trained, TrainingSet, cross_validate, train
from mercer.cli.svm_words import closing_pipes, told_errors
from mercer.errors import InputError, ParameterError
from mercer.io.libsvm_models import LibsvmProblem, save_libsvm_model
from mercer.typing import Floats

__all__ = ["main"]


@closing_pipes
def main(arguments: list[str]) -> int:
    """Trains on a data file and writes a model file, or cross-validates; returns the exit code."""
    with told_errors(USAGE) as ended, warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: print(f"WARNING: {message}", file=sys.stderr)
        warnings.simplefilter("always")
        _run(read_training_options(arguments))
    return ended.code


def _run(options: TrainingOptions) -> None:
    options.check()
    rows = _training_set(options)
    if options.folds:
        _cross_validate(rows, options)
        return
    with _libsvm_errors():
        trained = train(rows, options)
    if options.problem is LibsvmProblem.ONE_CLASS and options.probability and trained.model.marks is None:
        _warn("number of positive or negative decision values <5; too few to do a probability estimation.")
    _print_solution(trained, options)
    if trained.fitted is not None and not options.quiet:
        print(certificate_line(trained.fitted), file=sys.stderr)
    _warn_of_unsolved([trained])
    try:
        save_libsvm_model(trained.model, options.model)
    except OSError as error:
        raise InputError(f"can't save model to file {options.model}: {error.strerror or error}") from error


def _training_set(options: TrainingOptions) -> TrainingSet:
    try:
        rows = read_rows(options.data)
    except OSError as error:
        raise InputError(f"can't open input file {options.data}: {error.strerror or error}") from error
    if not len(rows.y):
        raise InputError(f"{options.data}: expected a row or more to train on, got none.")
    _check_targets(rows.y, options)
    kernel = options.kernel(rows.largest_index)
    if not options.is_precomputed:
        first_index = 0 if rows.begins_at_zero else 1
        return TrainingSet(rows.features(first_index), rows.y, kernel, first_index=first_index)
    serials = rows.serials()
    values = rows.X[:, serials]
    return TrainingSet(np.ascontiguousarray(values.toarray()), rows.y, kernel, serials)


def _check_targets(y: Floats, options: TrainingOptions) -> None:
    if not np.isfinite(y).all():
        raise InputError("ERROR: expected targets that are finite numbers, got NaN or infinity")
    if not options.problem.is_classification:
        return
    wrong = np.flatnonzero((y != np.rint(y)) | (np.abs(y) > 2**31 - 1))
    if len(wrong):
        raise InputError(
            f"ERROR: expected whole numbers for labels of classes, got {y[wrong[0]]:g} in row {wrong[0] + 1}. Use -s 3 "
            "or -s 4 for a regression, or number the classes."
        )
    for label in options.weights:
        if label not in y:
            _warn(f"class label {label} specified in weight is not found")


def _cross_validate(rows: TrainingSet, options: TrainingOptions) -> None:
    folds, count = options.folds, len(rows.y)
    if folds > count:
        _warn(
            f"# folds ({folds}) > # data ({count}). Will use # folds = # data instead (i.e., leave-one-out cross "
            "validation)"
        )
        folds = count
    if count < 2:
        raise InputError("ERROR: expected two rows or more to hold some out, got one")
    with _libsvm_errors():
        predicted, trained = cross_validate(rows, options, folds)
    for one in trained:
        _print_solution(one, options)
    _warn_of_unsolved(trained)
    print("\n".join(cross_validation_lines(rows.y, predicted, options.problem.is_regression)))


@contextmanager
def _libsvm_errors() -> Iterator[None]:
    """Tells errors about parameters as LIBSVM does."""
    try:
        yield
    except ParameterError as error:
        raise InputError(f"ERROR: {error}") from error


def _print_solution(trained: Trained, options: TrainingOptions) -> None:
    if not options.quiet:
        for line in solution_lines(trained, options):
            print(line)


def _warn_of_unsolved(trained: list[Trained]) -> None:
    fits = [one.fitted for one in trained if one.fitted is not None]
    for fitted in fits:
        if fitted.unsolved:
            _warn(certificate_line(fitted))
        for warning in fitted.warnings:
            _warn(str(warning))


def _warn(message: str) -> None:
    sys.stdout.flush()
    print(f"WARNING: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
