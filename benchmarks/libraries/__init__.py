"""The libraries of the race by task and name; each is imported only in its own worker process."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.libraries.base import Library
from benchmarks.libraries.libsvm_svc import LibsvmSVC
from benchmarks.libraries.mercer_svc import MercerSVC
from benchmarks.libraries.sklearn_svc import SklearnSVC
from benchmarks.libraries.sklearnex_svc import SklearnexSVC

#: In the order of the report's columns.
LIBRARIES: dict[str, dict[str, Callable[[], Library]]] = {
    "svc": {
        "mercer": MercerSVC,
        "mercer32": lambda: MercerSVC(bits=32),
        "sklearn": SklearnSVC,
        "skex64": SklearnexSVC,
        "skex32": lambda: SklearnexSVC(bits=32),
        "libsvm": LibsvmSVC,
    },
}

#: One evaluation of its machine on the training rows, in float32 by the fused kernel, is the limit of a fit:
#: proving optimality takes that.
YARDSTICK = "mercer32"


def names() -> list[str]:
    """Every library's name, over all tasks, in order."""
    return list(dict.fromkeys(name for of_task in LIBRARIES.values() for name in of_task))
