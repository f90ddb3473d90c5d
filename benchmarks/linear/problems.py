"""The problems: sets of data, and the tasks on each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import data
from benchmarks.linear.tasks import Family, Task

COSTS = (0.1, 1.0, 10.0)
# Of texts whose classes are taken all at once.
COSTS_OF_TEXTS = (0.1, 1.0)
EPSILON = 0.1
# Of kernel machines and of stochastic gradients, which are raced at one cost.
ONE_COST = 1.0
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
    tasks : tuple of Task
        What is trained on it.
    """

    name: str
    load: data.Loader
    scaling: str
    tasks: tuple[Task, ...]

    @property
    def problems(self) -> list[Problem]:
        """Every task on it."""
        return [Problem(name_of(self.name, task), self, task) for task in self.tasks]


@dataclass(frozen=True)
class Problem:
    """A task on a set of data."""

    name: str
    source: Source
    task: Task

    def answers_to(self, name: str) -> bool:
        """Whether it is meant by ``name``: its own, or the beginning of it up to a dash."""
        return f"{self.name}-".startswith(f"{name}-")


def name_of(source: str, task: Task) -> str:
    """The name of a task on a set of data: the family, if it is not the first, the set, and what tells it from others.

    Families go first, so that what is asked or promised of all problems of a set, as ``a9a``, is not meant of them.
    """
    if task.family is Family.LINEAR:
        return f"{source}-{task.loss}-{task.C:g}"
    name = f"{task.family.value}-{source}"
    return name if task.family in (Family.KERNEL_MACHINE, Family.DESCENT) else f"{name}-{task.C:g}"


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
    of = partial(data.from_folder, folder)
    forest = partial(of, "covtype", data.standardised, positive=1)
    z, binary, of_words = "standardised", "as given, binary", "tf-idf"
    of_forest = f"{z}, class 2 against the rest"
    both, squared = _classifiers("hinge", "squared_hinge"), _classifiers("squared_hinge")
    tubes = _regressors("epsilon_insensitive", "squared_epsilon_insensitive")
    sparse = _classifiers("squared_hinge", penalty="l1")
    at_once, at_once_of_texts = (
        _classifiers("hinge", multi_class="crammer_singer", costs=costs) for costs in (COSTS, COSTS_OF_TEXTS)
    )
    kernel_machine, descent = ((Task(estimator, "hinge", ONE_COST),) for estimator in ("SVC", "SGDClassifier"))
    found = [
        ("a9a", Source("a9a", of("a9a"), binary, both)),
        ("w8a", Source("w8a", of("w8a"), binary, both)),
        ("susy-30k", Source("susy-30k", of("susy-30k", data.standardised), z, both)),
        ("cadata", Source("cadata", of("cadata", data.standardised, numbers=True), z, tubes)),
        ("20newsgroups", Source("20newsgroups", of("20newsgroups"), of_words, both)),
        ("reuters-r52", Source("reuters-r52", of("reuters-r52"), of_words, squared)),
        ("covtype", Source("covtype", forest(), of_forest, both)),
        ("a9a", Source("a9a", of("a9a"), binary, sparse)),
        ("w8a", Source("w8a", of("w8a"), binary, sparse)),
        ("reuters-r52", Source("reuters-r52", of("reuters-r52"), of_words, sparse)),
        ("pendigits", Source("pendigits", of("pendigits", data.min_max), "min-max to [0, 1]", at_once)),
        ("20newsgroups", Source("20newsgroups", of("20newsgroups"), of_words, at_once_of_texts)),
        ("a9a", Source("a9a", of("a9a"), binary, kernel_machine)),
        ("covtype", Source("covtype-20k", forest(rows=KERNEL_ROWS), of_forest, kernel_machine)),
        ("covtype", Source("covtype", forest(), of_forest, descent)),
    ]
    return [source for name, source in found if (folder / name / f"{name}.npz").exists()]


def _classifiers(
    *losses: str, penalty: str = "l2", multi_class: str = "ovr", costs: tuple[float, ...] = COSTS
) -> tuple[Task, ...]:
    options = {"penalty": penalty, "multi_class": multi_class}
    return tuple(Task("LinearSVC", loss, C, 0.0, **options) for loss in losses for C in costs)


def _regressors(*losses: str) -> tuple[Task, ...]:
    return tuple(Task("LinearSVR", loss, C, EPSILON) for loss in losses for C in COSTS)
