"""Cells and splits solved together: kernel values once for all, each machine from the one before.

The core computes the kernel matrix of a group of rows once, and goes through growing values of C on every split of it,
with the rows that a split holds out at zero. So it knows the values of all rows, held out or not, and the gap that
bounds how far each is from that of the exact machine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from mercer._runtime import available_threads, core
from mercer.data import take_rows
from mercer.fits import Task
from mercer.kernels import Kernel
from mercer.rows import Budget, Rows, plan_gram, rows_of
from mercer.solvers.direct.threads import few_threads
from mercer.solvers.status import Status
from mercer.tune.bounds import value_interval
from mercer.tune.cells import Cell, Family, Split, are_same
from mercer.tune.found import FoundMachines, Place
from mercer.tune.groups import Asked, Group, Solved, relative_error, solve_groups
from mercer.tune.responses import Known, answers
from mercer.typing import Floats, Integers, Labels

__all__ = ["Evaluated", "SharedFits", "Stage"]

# The share of a time limit that is kept for the votes of several classes.
_FOR_VOTES = 0.5
# The share of the memory that is for machines that are found, where exact ones are to begin.
_FOR_MACHINES = 0.1
# Violations that rounding may hide, in units of how far values lie apart, up to which float32 is good enough.
_DOUBT = 0.1
# Parameters that say nothing of the targets.
_OF_KERNELS = {"kernel", "gamma", "degree", "coef0", "tol"}
_UNFINISHED = {Status.TIME_LIMIT, Status.INTERRUPTED}


class Evaluated(NamedTuple):
    """What is known of the machine of a cell on a split."""

    cell: Cell
    split: Split
    known: Known
    known_train: Known | None
    gap: float
    violation: float
    status: Status
    is_copied: bool
    support: int
    seconds: float


@dataclass(frozen=True)
class Stage:
    """Rows as the machine sees them, and the splits that see them so.

    Attributes
    ----------
    X : {ndarray, CSR matrix}
        Rows of features, or a matrix of kernel values.
    y, weights : ndarray
        Targets as the machine is to learn them; weights, or None.
    splits : sequence of Split
        By numbers of the rows of X.
    back : callable or None
        From what the machine predicts to what is scored.
    is_rising : bool
        Whether that function is known never to fall.
    """

    X: Any
    y: Any
    weights: Floats | None
    splits: Sequence[Split]
    back: Callable[[Floats], Floats] | None = None
    is_rising: bool = False


class SharedFits:
    """Solves families of cells on stages.

    Parameters
    ----------
    machine : SVC or SVR
        Parameters that cells do not name.
    budget : Budget
        Bytes for kernel values, and threads.
    wants_train : bool
        Whether rows that a machine was fitted on are to be valued too.
    report : callable or None
        Heard by the core about ten times a second; returns True to stop.
    """

    def __init__(self, machine: Any, budget: Budget, wants_train: bool = False, report: Any = None) -> None:
        self.machine, self.budget, self.wants_train, self.report = machine, budget, wants_train, report
        self.threads = available_threads() if budget.threads is None else budget.threads
        self._targets: list[tuple[Any, int, dict[str, Any], _Targets]] = []
        self.has_bounds = True  # until a kernel is not known to be positive definite
        self._found = FoundMachines(_FOR_MACHINES * budget.bytes)
        self._rooms: dict[type, Any] = {np.float32: core.Room32(), np.float64: core.Room64()}

    def targets(self, machine: Any, family: Family, stage: Stage, split: Split) -> _Targets:
        """What a split's machine is to learn: the same for every kernel."""
        params = {name: value for name, value in family.params.items() if name not in _OF_KERNELS}
        for known_stage, number, known, found in self._targets:
            if known_stage is stage.y and number == split.number and are_same(known, params):
                return found
        found = _task(machine, stage, split)
        self._targets.append((stage.y, split.number, params, found))
        return found

    def evaluate(
        self, families: Sequence[Family], stages: Sequence[Stage], ends: float = np.inf, exactly: bool = False
    ) -> Iterator[Evaluated]:
        """The machines of the cells on all splits of the stages; those that the time is up for are left out.

        Families must have the same values along their path, and the same `tol`, which machines are within; or they are
        solved `exactly`, up to the rounding of float64.
        """
        began = perf_counter()
        if began >= ends:
            return
        parts = [part for family in families for part in self._parts(family, stages, exactly)]
        groups = [group for part in parts for group in part.groups]
        unit = parts[0].targets[0].task.problem.unit
        left = (ends - began) * (1 - _FOR_VOTES * any(part.votes for part in parts))
        asked = Asked(float(parts[0].machine.tol), unit, exactly, left, self.report)
        found = iter(self.solve(groups, families[0].values, asked))
        solved = [[next(found) for _ in part.groups] for part in parts]
        if not exactly:
            for part, own in zip(parts, solved, strict=True):
                self._found.keep(part.place, part.family.values, own)
            left = max(0.0, ends - perf_counter())
            solved = [
                self._in_float64_if_doubtful(part, own, asked, left) for part, own in zip(parts, solved, strict=True)
            ]
        fits = sum(len(family.cells) for family in families) * sum(len(stage.splits) for stage in stages)
        seconds = (perf_counter() - began) / fits
        for part, own in zip(parts, solved, strict=True):
            yield from part.evaluated(own, seconds)

    def _in_float64_if_doubtful(
        self, part: _Together, found: list[Solved], asked: Asked, seconds: float
    ) -> list[Solved]:
        """The machines solved further where float32 may hide violations of the size of the values themselves."""
        error = relative_error(found, part.rows, exactly=False)
        hidden = max(2 * float(np.max(one.rounding(error, part.rows))) for one in found)
        if not hidden > max(_DOUBT * asked.unit, asked.tol):
            return found
        groups = [group._replace(begin=one.coef.ravel()) for group, one in zip(part.groups, found, strict=True)]
        part.exactly = True
        return self.solve(groups, part.family.values, asked._replace(exactly=True, seconds=seconds))

    def begin(self, part: _Together, group: int) -> Floats:
        """What the exact machines of a group begin with; empty where nothing is known."""
        return self._found.begin(part.place, part.family.values, group)

    def _parts(self, family: Family, stages: Sequence[Stage], exactly: bool) -> list[_Together]:
        machine = clone(self.machine).set_params(**{**family.params, "C": 1.0})
        kernel = machine._named_kernel(machine.kernel)
        return [
            _Together(self, family, stage, rows_of(resolved, stage.X), splits, machine, exactly)
            for stage in stages
            for resolved, splits in _by_kernel(kernel, stage)
        ]

    def solve(self, groups: Sequence[Group], scales: Sequence[float], asked: Asked) -> list[Solved]:
        """The machines of each group for all scales of its bounds."""
        plan = plan_gram(groups[0].data, [len(group.rows) for group in groups], self.budget)
        room = self._rooms[next(iter(plan.block_rows))]
        return solve_groups(groups, scales, asked, plan, room, self.threads)


def _by_kernel(kernel: Kernel, stage: Stage) -> list[tuple[Kernel, list[Split]]]:
    """The splits by what the parameters of the kernel come to on their training rows."""
    found: list[tuple[Kernel, list[Split]]] = []
    for split in stage.splits:
        resolved = kernel.resolve(take_rows(stage.X, split.train)) if _looks_at_rows(kernel, stage.X) else kernel
        for known, splits in found:
            if known == resolved:
                splits.append(split)
                break
        else:
            found.append((resolved, [split]))
    return found


def _looks_at_rows(kernel: Kernel, X: Any) -> bool:
    return kernel.resolve(X[:1]) != kernel


class _Targets(NamedTuple):
    """What a split's machine is to learn, with rows by their numbers in the stage."""

    task: Task
    members: list[Integers]
    classes: Labels | None
    pairs: list[tuple[Any, Any]]


def _task(machine: Any, stage: Stage, split: Split) -> _Targets:
    y = take_rows(stage.y, split.train)
    weights = None if stage.weights is None else stage.weights[split.train]
    targets = machine._read_targets(y, weights, len(split.train))
    task = machine._task(None, targets)
    members = [split.train[own] for own in task.members]
    if not task.pairs:
        return _Targets(task, members, None, [(None, None)])
    classes = targets.targets.classes
    names = [(classes[pair.positive], None if pair.negative < 0 else classes[pair.negative]) for pair in task.pairs]
    return _Targets(task, members, classes, names)


class _Bounded(NamedTuple):
    """Machines of a group, and how far rounding may have moved their values."""

    solved: Solved
    rounding: Floats


class _Together:
    """The machines of one family and one kernel on some splits."""

    def __init__(
        self,
        fits: SharedFits,
        family: Family,
        stage: Stage,
        rows: Rows,
        splits: Sequence[Split],
        machine: Any,
        exactly: bool,
    ) -> None:
        self.fits, self.family, self.stage, self.rows = fits, family, stage, rows
        self.splits, self.machine, self.exactly = splits, machine, exactly
        self.targets = [fits.targets(machine, family, stage, split) for split in splits]
        self.votes = any(
            one.classes is not None and one.pairs[0][1] is not None and len(one.classes) > 2 for one in self.targets
        )
        self.names = list(dict.fromkeys(name for one in self.targets for name in one.pairs))
        self.place = Place(stage.y, tuple(split.number for split in splits), family.params)
        self.groups = [self._group(name) for name in self.names]
        if exactly:
            self.groups = [group._replace(begin=fits.begin(self, g)) for g, group in enumerate(self.groups)]

    def evaluated(self, found: Sequence[Solved], seconds: float) -> Iterator[Evaluated]:
        """What the machines of the groups say of held-out rows: some splits at a time where there is much to count."""
        error = relative_error(found, self.rows, self.exactly)
        solved = {
            name: _Bounded(one, one.rounding(error, self.rows)) for name, one in zip(self.names, found, strict=True)
        }
        of_split = partial(self._of_split, solved, seconds)
        if not self.votes:
            for s in range(len(self.splits)):
                yield from of_split(s)
            return
        # One thread of BLAS each: a second gains nothing on products of this size.
        with few_threads(0, None), ThreadPoolExecutor(self.fits.threads) as pool:
            ahead: deque[Future[list[Evaluated]]] = deque()
            for s in range(len(self.splits)):
                ahead.append(pool.submit(of_split, s))
                if len(ahead) > self.fits.threads:
                    yield from ahead.popleft().result()
            for one in ahead:
                yield from one.result()

    def _of_split(self, solved: Mapping[Any, _Bounded], seconds: float, s: int) -> list[Evaluated]:
        split, mine = self.splits[s], [solved[name] for name in self.targets[s].pairs]
        rows = [split.test, split.train] if self.fits.wants_train else [split.test]
        machines = [one.solved for one in mine]
        is_finished = [
            _UNFINISHED.isdisjoint(one.statuses[k * len(self.splits) + s] for one in machines)
            for k in range(len(self.family.cells))
        ]
        if not any(is_finished):
            return []
        support = self._support(machines, s)
        violations = np.max([one.solved.violation[:, s] + 2 * one.rounding[:, s] for one in mine], axis=0)
        gaps = np.sum([one.gap[:, s] for one in machines], axis=0)
        of_rows = [list(self._known(mine, s, chosen)) for chosen in rows]
        largest_violation = float(self.machine.tol) + _DOUBT * self.targets[s].task.problem.unit
        found = []
        for k, cell in enumerate(self.family.cells):
            number = k * len(self.splits) + s
            if not is_finished[k]:
                continue
            statuses = [one.statuses[number] for one in machines]
            status = next((one for one in statuses if one is not Status.SOLVED), Status.SOLVED)
            if status is Status.SOLVED and violations[k] > largest_violation:  # float64 cannot tell
                status = Status.STALLED
            found.append(
                Evaluated(
                    cell,
                    split,
                    of_rows[0][k],
                    of_rows[1][k] if self.fits.wants_train else None,
                    gap=float(gaps[k]),
                    violation=max(0.0, float(violations[k])),
                    status=status,
                    is_copied=all(one.copied[number] for one in machines),
                    support=int(support[k]),
                    seconds=seconds,
                )
            )
        return found

    def _support(self, mine: Sequence[Solved], s: int) -> Integers:
        """How many rows have a coefficient in some machine, cell by cell."""
        is_support = np.zeros((len(self.family.cells), self.stage.X.shape[0]), dtype=bool)
        for one in mine:
            is_support[:, one.rows] |= one.coef[:, s] != 0
        return np.asarray(np.count_nonzero(is_support, axis=1))

    def _group(self, name: Any) -> Group:
        """The rows that any split has in a problem, and where that problem is all there is, the held-out ones too."""
        n = self.stage.X.shape[0]
        linear, kink = np.zeros(n), np.zeros(n)
        lower, upper = np.zeros((len(self.splits), n)), np.zeros((len(self.splits), n))
        is_used = np.zeros(n, dtype=bool)
        for s, (split, one) in enumerate(zip(self.splits, self.targets, strict=True)):
            if name in one.pairs:
                number = one.pairs.index(name)
                members, problem = one.members[number], one.task.problem
                run = problem.groups.runs[number]
                linear[members] = problem.slope[run]
                # Rows that a split has several times count as often.
                np.add.at(lower[s], members, problem.lower[run])
                np.add.at(upper[s], members, problem.upper[run])
                if problem.kink is not None:
                    kink[members] = problem.kink[run]
                is_used[members] = True
            if not self.votes:
                is_used[split.test] = True
        rows = np.flatnonzero(is_used)
        bounds = np.ascontiguousarray(lower[:, rows]), np.ascontiguousarray(upper[:, rows])
        return Group(self.rows, rows, linear[rows], kink[rows] if kink.any() else np.empty(0), *bounds)

    # ---------------------------------------------------------------- values

    def _known(self, mine: Sequence[_Bounded], s: int, rows: Integers) -> Iterator[Known]:
        """What the machines of a split say of some rows, cell by cell."""
        machines = [one.solved for one in mine]
        norms = np.sqrt(np.maximum(self.rows.diagonal[rows], 0.0))
        largest = float(np.sqrt(np.abs(self.rows.diagonal).max()))
        offsets, best = _stacked(machines, "offset", s), _stacked(machines, "best", s)
        off = np.stack([one.rounding[:, s] for one in mine], axis=1)
        gaps = _stacked(machines, "gap", s) + off * _stacked(machines, "free_bounds", s)
        for k, products in enumerate(self._voting(machines, s, rows) if self.votes else self._read(machines, s, rows)):
            low = high = None
            self.fits.has_bounds &= bool(self.rows.is_definite)
            if self.rows.is_definite:
                low, high = value_interval(products, best[k], gaps[k], norms, largest, off[k])
            known = answers(self.machine, self.targets[s].classes, products + offsets[k], low, high)
            known = replace(known, offset_width=float(best[k, 0, 1] - best[k, 0, 0]))
            yield known if self.stage.back is None else known.mapped(self.stage.back, self.stage.is_rising)

    def _read(self, mine: Sequence[Solved], s: int, rows: Integers) -> Iterator[Floats]:
        """Σ c k(x, ·) of each function at the rows: all are at hand."""
        places = [one.rows.searchsorted(rows) for one in mine]
        for k in range(len(self.family.cells)):
            yield np.stack([one.products[k, s, own] for one, own in zip(mine, places, strict=True)], axis=1)

    def _voting(self, mine: Sequence[Solved], s: int, rows: Integers) -> Iterator[Floats]:
        """The same of pairs of classes, which were not asked about rows of other classes: class by class."""
        pairs, classes = self.targets[s].pairs, self.targets[s].classes
        assert classes is not None
        cells, dtype = len(self.family.cells), np.float64 if self.exactly else mine[0].dtype
        products = np.zeros((cells, len(pairs), len(rows)))
        train = self.splits[s].train
        labels = np.asarray(self.stage.y)[train]
        for label in classes:
            own = np.unique(train[labels == label])  # a row that is there several times has one coefficient
            numbers = [p for p, pair in enumerate(pairs) if label in pair]
            coef: Any = np.empty((cells, len(numbers), len(own)), dtype=dtype)
            for column, p in enumerate(numbers):
                one = mine[p]
                places = np.minimum(one.rows.searchsorted(own), len(one.rows) - 1)
                is_there = one.rows[places] == own  # rows of weight zero are in no problem
                coef[:, column] = np.where(is_there, one.coef[:, s, places], 0.0)
            used = np.flatnonzero(coef.any(axis=(0, 1)))
            if len(used) == 0:
                continue
            values = self.rows.block(own[used], rows, 1, dtype)
            products[:, numbers] += (coef[:, :, used].reshape(-1, len(used)) @ values).reshape(cells, -1, len(rows))
        for k in range(cells):
            yield products[k].T


def _stacked(mine: Sequence[Solved], name: str, s: int) -> Floats:
    """A field of all functions on a split, one row a cell."""
    return np.stack([getattr(one, name)[:, s] for one in mine], axis=1)
