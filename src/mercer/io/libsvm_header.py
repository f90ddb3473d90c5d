"""The header of a LIBSVM model file: what is said before the support vectors, each line checked.

LIBSVM's own reader believes every count; here nothing is believed that the lines do not bear out, and nothing is made
as long as a count says: lists are as long as the lines that they stand in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.kernels import RBF, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from mercer.typing import Floats

__all__ = ["MARKS", "Header", "LibsvmProblem", "ModelFileError", "kernel_lines", "read_header"]

#: How many marks the probabilities of one class have.
MARKS = 10
# LIBSVM keeps counts, labels and degrees in 32 bits.
_MOST = 2**31 - 1
# What is shown of a line that is wrong.
_SHOWN = 60


class ModelFileError(InputError):
    """A file is not a LIBSVM model, or one that has been cut off or changed."""


class LibsvmProblem(Enum):
    """What a LIBSVM model was trained for, by its name in model files."""

    C_SVC = "c_svc"
    NU_SVC = "nu_svc"
    ONE_CLASS = "one_class"
    EPSILON_SVR = "epsilon_svr"
    NU_SVR = "nu_svr"

    @property
    def is_classification(self) -> bool:
        return self in (LibsvmProblem.C_SVC, LibsvmProblem.NU_SVC)

    @property
    def is_regression(self) -> bool:
        return self in (LibsvmProblem.EPSILON_SVR, LibsvmProblem.NU_SVR)


@dataclass(frozen=True, eq=False)
class Header:
    """What the lines before the support vectors say, in LIBSVM's order and with its signs.

    `labels` and `counts` (of the support vectors of each class) are empty unless it is a classification.
    """

    problem: LibsvmProblem
    kernel: Kernel
    classes: int
    vectors: int
    rho: Floats
    labels: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    prob_a: Floats | None = None
    prob_b: Floats | None = None
    marks: Floats | None = None


class _Lines:
    """The lines of a header by their first words, and errors that name the line."""

    def __init__(self, lines: list[bytes], name: str) -> None:
        self.name = name
        self.found: dict[str, tuple[int, list[bytes]]] = {}
        for number, line in enumerate(lines, start=1):
            words = line.split()
            if not words:
                raise self.error(number, "expected a word such as 'rho' and its values", line)
            key = words[0].decode("latin-1")
            if key not in _KEYS:
                raise self.error(number, f"expected one of {', '.join(_KEYS)}", line)
            if key in self.found:
                raise self.error(number, f"expected {key!r} once, which line {self.found[key][0]} has", line)
            self.found[key] = number, words[1:]

    def error(self, number: int, expected: str, got: bytes) -> ModelFileError:
        return line_error(self.name, number, expected, got)

    def __contains__(self, key: str) -> bool:
        return key in self.found

    def values(self, key: str, count: int, whose: str = "") -> tuple[int, list[bytes]]:
        """The line of a key and its values, which are so many."""
        if key not in self.found:
            raise ModelFileError(f"{self.name}: expected a line {key!r} before the line 'SV', got none. {_CUT_OFF}")
        number, words = self.found[key]
        if len(words) != count:
            expected = f"expected {count} {'value' if count == 1 else 'values'} of {key!r}{whose}, got {len(words)}"
            raise self.error(number, expected, b" ".join([key.encode(), *words]))
        return number, words

    def integer(self, key: str, least: int, most: int = _MOST) -> int:
        number, words = self.values(key, 1)
        return self._integer(key, number, words[0], least, most)

    def integers(self, key: str, count: int, whose: str, least: int, most: int = _MOST) -> tuple[int, ...]:
        number, words = self.values(key, count, whose)
        return tuple(self._integer(key, number, word, least, most) for word in words)

    def _integer(self, key: str, number: int, word: bytes, least: int, most: int) -> int:
        value = plain_integer(word)
        if value is None or not least <= value <= most:
            raise self.error(number, f"expected {key!r} to be a whole number from {least} to {most}", word)
        return value

    def numbers(self, key: str, count: int, whose: str = "") -> Floats:
        number, words = self.values(key, count, whose)
        values = [plain_number(word) for word in words]
        for word, value in zip(words, values, strict=True):
            if not math.isfinite(value):
                raise self.error(number, f"expected {key!r} to be finite numbers", word)
        return np.array(values, dtype=np.float64)

    def number(self, key: str) -> float:
        return float(self.numbers(key, 1)[0])

    def word(self, key: str, known: Any) -> Any:
        number, words = self.values(key, 1)
        word = words[0].decode("latin-1")
        if word not in known:
            raise self.error(number, f"expected {key!r} to be one of {', '.join(known)}", words[0])
        return known[word]


def read_header(lines: list[bytes], name: str) -> Header:
    """The header whose lines these are, without the line 'SV'; `name` is that of the file, for messages."""
    found = _Lines(lines, name)
    problem = found.word("svm_type", {one.value: one for one in LibsvmProblem})
    kernel = _kernel(found)
    classes, vectors = found.integer("nr_class", 1), found.integer("total_sv", 0)
    if not problem.is_classification and classes != 2:
        raise found.error(found.found["nr_class"][0], f"expected nr_class 2 of {problem.value}", b"%d" % classes)
    of_pairs = f" for {classes} classes"
    pairs = classes * (classes - 1) // 2
    known: dict[str, Any] = {}
    if problem.is_classification:
        known["labels"] = found.integers("label", classes, of_pairs, -_MOST - 1)
        if len(set(known["labels"])) < classes:
            raise found.error(found.found["label"][0], "expected different labels", b" ".join(found.found["label"][1]))
        known["counts"] = found.integers("nr_sv", classes, of_pairs, 0)
        if sum(known["counts"]) != vectors:
            number, words = found.found["nr_sv"]
            raise found.error(number, f"expected the counts of nr_sv to sum to total_sv, {vectors}", b" ".join(words))
    _check_probabilities(found, problem)
    for key, field in (("probA", "prob_a"), ("probB", "prob_b")):
        known[field] = found.numbers(key, pairs, of_pairs) if key in found else None
    known["marks"] = found.numbers("prob_density_marks", MARKS) if "prob_density_marks" in found else None
    if known["marks"] is not None and np.any(np.diff(known["marks"]) < 0):
        number, words = found.found["prob_density_marks"]
        raise found.error(number, "expected prob_density_marks in order", b" ".join(words))
    if problem.is_regression and known["prob_a"] is not None and known["prob_a"][0] < 0:
        number, words = found.found["probA"]
        raise found.error(number, "expected probA of a regression, the size of its errors, not below zero", words[0])
    return Header(problem, kernel, classes, vectors, found.numbers("rho", pairs, of_pairs), **known)


def kernel_lines(kernel: Kernel) -> list[str]:
    """The lines of a header that tell a kernel; raises where LIBSVM has no such kernel."""
    if isinstance(kernel, Linear):
        return ["kernel_type linear"]
    if isinstance(kernel, Precomputed):
        return ["kernel_type precomputed"]
    gamma = getattr(kernel, "gamma", None)
    if type(kernel) in (Polynomial, RBF, Sigmoid) and isinstance(gamma, (int, float, np.floating, np.integer)):
        lines = [f"gamma {float(gamma):.17g}"]
        if isinstance(kernel, Polynomial):
            lines = [f"degree {int(kernel.degree)}", *lines]
        if isinstance(kernel, (Polynomial, Sigmoid)):
            lines.append(f"coef0 {float(kernel.coef0):.17g}")
        return [f"kernel_type {_NAMES[type(kernel)]}", *lines]
    raise ParameterError(
        f"LIBSVM has no kernel {kernel}: expected a linear, polynomial, RBF or sigmoid kernel with one gamma for all "
        "features, or a precomputed one. Fit with Precomputed() on the matrix of kernel values, or save as a Mercer "
        "model, which holds every kernel."
    )


def line_error(name: str, number: int, expected: str, got: bytes) -> ModelFileError:
    """The error for a line that does not say what it should."""
    shown = got[:_SHOWN].decode("latin-1").strip()
    more = "…" if len(got) > _SHOWN else ""
    return ModelFileError(f"{name}, line {number}: {expected}, got {shown + more!r}. {_CUT_OFF}")


def plain_integer(word: bytes) -> int | None:
    """A whole number of few digits; None where it is none."""
    digits = word[1:] if word[:1] in (b"-", b"+") else word
    return int(word) if digits.isdigit() and len(digits) <= 20 else None


def plain_number(word: bytes) -> float:
    """A number as C writes it; NaN where it is none."""
    try:
        return math.nan if b"_" in word else float(word)
    except ValueError:
        return math.nan


def _kernel(found: _Lines) -> Kernel:
    kind = found.word("kernel_type", {name: kind for kind, name in _NAMES.items()})
    if kind in (Linear, Precomputed):
        return kind()  # type: ignore[no-any-return]
    gamma = found.number("gamma")
    if gamma < 0:
        raise found.error(found.found["gamma"][0], "expected gamma not below zero", found.found["gamma"][1][0])
    if kind is RBF:
        return RBF(gamma)
    if kind is Sigmoid:
        return Sigmoid(gamma, found.number("coef0"))
    return Polynomial(found.integer("degree", 0, _MOST_DEGREE), gamma, found.number("coef0"))


def _check_probabilities(found: _Lines, problem: LibsvmProblem) -> None:
    """Raises where there are some of another problem, or A without B."""
    allowed = (
        ("probA", "probB") if problem.is_classification else ("probA",) if problem.is_regression else _OF_ONE_CLASS
    )
    for key in ("probA", "probB", *_OF_ONE_CLASS):
        if key in found and key not in allowed:
            number, words = found.found[key]
            raise found.error(number, f"expected no {key!r} of {problem.value}", b" ".join(words))
    if problem.is_classification and ("probA" in found) != ("probB" in found):
        key = "probA" if "probA" in found else "probB"
        number, words = found.found[key]
        raise found.error(number, "expected probA and probB, or neither", b" ".join([key.encode(), *words]))


_OF_ONE_CLASS = ("prob_density_marks",)
_KEYS = (
    *("svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv"),
    *("rho", "label", "probA", "probB", *_OF_ONE_CLASS, "nr_sv"),
)
_NAMES: dict[type[Kernel], str] = {
    Linear: "linear",
    Polynomial: "polynomial",
    RBF: "rbf",
    Sigmoid: "sigmoid",
    Precomputed: "precomputed",
}
# More makes every value 0, 1 or infinite, and takes LIBSVM as long to compute.
_MOST_DEGREE = 10_000
_CUT_OFF = "Is the file a LIBSVM model, and whole? Write it again with svm-train or save_libsvm_model."
