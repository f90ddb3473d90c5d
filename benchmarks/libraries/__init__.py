"""The libraries of the race by name; each is imported only in its own worker process."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.libraries.base import Library
from benchmarks.libraries.of_libsvm import Libsvm
from benchmarks.libraries.of_mercer import Mercer
from benchmarks.libraries.of_sklearn import Sklearn
from benchmarks.libraries.of_sklearnex import Sklearnex

#: Made for a task, in the order of the report's columns.
LIBRARIES: dict[str, Callable[[str], Library]] = {
    "mercer": Mercer,
    "mercer32": lambda task: Mercer(task, bits=32),
    "sklearn": Sklearn,
    "skex64": Sklearnex,
    "skex32": lambda task: Sklearnex(task, bits=32),
    "libsvm": Libsvm,
}

#: One evaluation of its machine on the training rows, in float32 by the fused kernel, is the limit of a fit:
#: proving optimality takes that.
YARDSTICK = "mercer32"


def names() -> list[str]:
    """Every library's name, in order."""
    return list(LIBRARIES)
