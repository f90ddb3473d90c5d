"""The race on one set of data: every library in a process of its own, which has the data and is warm."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.dataset import Dataset
from benchmarks.linear.heat import Heat, Progress, Terms
from benchmarks.linear.ladders import ladder
from benchmarks.linear.libraries import DESCENTS, KERNEL_MACHINES
from benchmarks.linear.problems import Problem
from benchmarks.linear.process import LibraryProcess
from benchmarks.linear.record import Bound, Entry
from benchmarks.linear.tasks import Family, Task
from benchmarks.remote import FailedError, MissingError


def race(problems: Sequence[Problem], libraries: Sequence[str], terms: Terms, tell: Progress) -> Iterator[Entry]:
    """Run the libraries on problems that share their data, and yield each when it is done."""
    dataset, task = problems[0].source.load(), problems[0].task
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = Path(folder) / "dataset.pickle"
        path.write_bytes(pickle.dumps(dataset, protocol=5))
        processes: dict[str, LibraryProcess] = {}
        # Mercer even where it does not race: its bound is what the others are measured against.
        for name in dict.fromkeys(["mercer", *libraries]):
            if not _takes(name, task, dataset):
                continue
            try:
                processes[name] = LibraryProcess(name, path, terms.threads, task, ladder(name, task, is_tall=True)[0])
            except (MissingError, FailedError) as error:
                tell(f"  {name:9} skipped: {error}")
                continue
            stack.callback(processes[name].close)
        racers = {name: process for name, process in processes.items() if name in libraries}
        for problem in problems:
            tell(f"{problem.name}: {dataset.X_train.shape[0]:,} × {dataset.X_train.shape[1]:,} {dataset.storage}")
            yield Heat(problem, dataset, _bound(problem, processes["mercer"], terms), terms, tell).run(racers)


def _takes(library: str, task: Task, dataset: Dataset) -> bool:
    """Whether a library has machines for the task."""
    if task.is_kernel_machine:
        return library in KERNEL_MACHINES
    if task.is_descent:
        return library in DESCENTS
    return library != "sgd" or (task.family is Family.LINEAR and dataset.classes <= 2)


def _bound(problem: Problem, mercer: LibraryProcess, terms: Terms) -> Bound | None:
    if problem.task.is_kernel_machine:
        return None
    bound: Bound = mercer.ask("prove", problem.task, terms.limit)
    return bound
