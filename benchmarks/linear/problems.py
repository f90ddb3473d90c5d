"""The problems: sets of data, and the tasks on each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import data
from benchmarks.linear.tasks import Task

COSTS = (0.1, 1.0, 10.0)
EPSILON = 0.1
KERNEL_COST = 1.0
KERNEL_ROWS = 20_000


@dataclass(frozen=True)
class Source:
    """A set of data in a folder.

    Attributes
    ----------
    load : callable
        Returns the data; called only when a problem on it is run.
    scaling : str
        How it was scaled, for the report.
    estimator : str
        The machine that is trained on it.
    losses : tuple of str
        Its losses, each at every cost.
    """

    name: str
    load: data.Loader
    scaling: str
    estimator: str
    losses: tuple[str, ...]

    @property
    def problems(self) -> list[Problem]:
        """Every loss at every cost."""
        if self.estimator == "SVC":
            return [Problem(f"svc-{self.name}", self, Task("SVC", "hinge", KERNEL_COST))]
        epsilon = EPSILON if self.estimator == "LinearSVR" else 0.0
        return [
            Problem(f"{self.name}-{loss}-{C:g}", self, Task(self.estimator, loss, C, epsilon))
            for loss in self.losses
            for C in COSTS
        ]


@dataclass(frozen=True)
class Problem:
    """A task on a set of data."""

    name: str
    source: Source
    task: Task

    def answers_to(self, name: str) -> bool:
        """Whether it is meant by ``name``: its own, or the beginning of it up to a dash."""
        return f"{self.name}-".startswith(f"{name}-")


def problems(folder: Path | None) -> list[Problem]:
    """The problems on data that ``folder`` has."""
    if folder is None:
        return []
    return [problem for source in _sources(folder) for problem in source.problems]


def select(available: list[Problem], names: Iterable[str]) -> list[Problem]:
    """The problems that were asked for, in the order of ``available``; all if none was."""
    wanted = list(names)
    unknown = [name for name in wanted if not any(problem.answers_to(name) for problem in available)]
    if unknown:
        raise ValueError(f"no such problem: {', '.join(unknown)} (--list names them)")
    return [problem for problem in available if not wanted or any(map(problem.answers_to, wanted))]


def _sources(folder: Path) -> list[Source]:
    z, both = "standardised", ("hinge", "squared_hinge")
    tubes = ("epsilon_insensitive", "squared_epsilon_insensitive")
    of = partial(data.from_folder, folder)
    forest = partial(of, "covtype", data.standardised, positive=1)
    found = {
        "a9a": Source("a9a", of("a9a"), "as given, binary", "LinearSVC", both),
        "w8a": Source("w8a", of("w8a"), "as given, binary", "LinearSVC", both),
        "susy-30k": Source("susy-30k", of("susy-30k", data.standardised), z, "LinearSVC", both),
        "cadata": Source("cadata", of("cadata", data.standardised, numbers=True), z, "LinearSVR", tubes),
        "20newsgroups": Source("20newsgroups", of("20newsgroups"), "tf-idf", "LinearSVC", both),
        "reuters-r52": Source("reuters-r52", of("reuters-r52"), "tf-idf", "LinearSVC", ("squared_hinge",)),
        "covtype": Source("covtype", forest(), f"{z}, class 2 against the rest", "LinearSVC", both),
    }
    kernel_machines = [
        ("a9a", Source("a9a", of("a9a"), "as given, binary", "SVC", ("hinge",))),
        ("covtype", Source("covtype-20k", forest(rows=KERNEL_ROWS), found["covtype"].scaling, "SVC", ("hinge",))),
    ]
    return [source for name, source in [*found.items(), *kernel_machines] if (folder / name / f"{name}.npz").exists()]
