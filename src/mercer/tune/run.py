"""One search at work: what is known of each cell on each split, and how it comes to be known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection._validation import _fit_and_score

from mercer.data import read_sample_weight
from mercer.rows import Budget
from mercer.tune.cells import Cell, Family, Split, are_same, families_of
from mercer.tune.groups import BYTES_PER_VALUE
from mercer.tune.judging import Judge
from mercer.tune.layout import Layout
from mercer.tune.results import CellStatus, Result, Task
from mercer.tune.scores import reason_not_known
from mercer.tune.shared import Evaluated, SharedFits, Stage
from mercer.tune.sharing import reason_against
from mercer.tune.stepwise import evaluate_stepwise
from mercer.tune.warm import evaluate_warm
from mercer.typing import Floats

if TYPE_CHECKING:
    from mercer.tune.checkpoint import Checkpoint, Memory
    from mercer.tune.progress import CallbackTasks, SearchMonitor

__all__ = ["Run"]


#: Cells that share a path, and what comes before the machine in all of them.
_FamilyOnRows = tuple[Family, Mapping[str, Any]]


class Run:
    """Cells × splits, filled as a strategy asks for them.

    `results` has what is known; `dropped` the cells that a strategy gave up; `plain` why cells are fitted one by one.
    """

    def __init__(
        self,
        layout: Layout,
        cells: Sequence[Cell],
        task: Task,
        budget: Budget,
        ends: float = np.inf,
        monitor: SearchMonitor | None = None,
        checkpoint: Checkpoint | Memory | None = None,
        name: str = "score",
        keeps_losses: bool = False,
        stop_at: float = np.inf,
        tasks: CallbackTasks | None = None,
    ) -> None:
        self.layout, self.cells, self.task, self.budget, self.ends = layout, list(cells), task, budget, ends
        self.monitor, self.checkpoint, self.stop_at, self.tasks = monitor, checkpoint, stop_at, tasks
        self.name = name
        self.best = np.nan
        self.began = perf_counter()
        self.results: dict[tuple[int, int], Result] = {}
        self.dropped: dict[int, CellStatus] = {}
        self.upper_bounds: dict[int, float] = {}  # of the mean score of cells that were dropped
        self.history: list[tuple[float, int, int, str]] = []
        self.stages: list[tuple[Mapping[str, Any], list[Stage]]] = []
        self.shared = SharedFits(layout.machine, budget, task.return_train_score, self._report)
        self.judge = Judge(task, name if keeps_losses else None)
        self.plain: dict[int, str] = {}
        self.stepwise: set[int] = set()  # cells that were solved one after the other
        for cell in cells:
            reason = self._reason_against(cell)
            if reason is not None:
                self.plain[cell.number] = reason
        self._weights = _sample_weight(task.fit_params, task.rows)
        if checkpoint is not None:
            for cell in cells:
                for split in task.splits:
                    self._recall(checkpoint, cell, split)

    def _recall(self, checkpoint: Checkpoint | Memory, cell: Cell, split: Split) -> None:
        """Takes what an earlier search found, where it is all that this one asks for."""
        known, key = checkpoint.result(cell, split), (cell.number, split.number)
        if known is None or (known.train_scores is None and self.task.return_train_score):
            return
        self.results[key] = known
        self.history.append((0.0, *key, known.status.value))
        if self.is_complete(cell):
            self.best = float(np.fmax(self.best, self.mean(cell, self.name)))

    # ---------------------------------------------------------------- what a strategy asks

    def evaluate(self, cells: Iterable[Cell], splits: Sequence[Split] | None = None) -> None:
        """Fills in what is missing of some cells on some splits, as long as there is time."""
        wanted = self.task.splits if splits is None else splits
        missing = [
            (cell, split) for cell in cells for split in wanted if (cell.number, split.number) not in self.results
        ]
        together = [cell for cell, _ in missing if cell.number not in self.plain]
        numbers = {split.number for _, split in missing}
        chosen = [split for split in wanted if split.number in numbers]
        families = self._families(list(dict.fromkeys(cell.number for cell in together)))
        for batch in self._batches(families, chosen):
            if self.is_late:
                return
            self._evaluate_together([family for family, _ in batch], batch[0][1], chosen)
        for cell, split in missing:
            is_missing = (cell.number, split.number) not in self.results
            if is_missing and cell.number in self.plain and not self.is_late:
                self._evaluate_alone(cell, split)

    @property
    def functions(self) -> int:
        """How many functions the machine of a cell has: one for each pair of classes, about."""
        if not is_classifier(self.layout.machine):
            return 1
        classes = len(np.unique(np.asarray(self.task.y)))
        return max(1, classes * (classes - 1) // 2)

    @property
    def is_late(self) -> bool:
        """Whether the search is to end with what is known."""
        return self.was_told_to_stop or perf_counter() >= self.ends or self.best >= self.stop_at

    @property
    def was_told_to_stop(self) -> bool:
        """Whether the callback asked for an end."""
        return self.monitor is not None and self.monitor.wants_to_stop

    def is_complete(self, cell: Cell) -> bool:
        return all((cell.number, split.number) in self.results for split in self.task.splits)

    def is_exact(self, cell: Cell) -> bool:
        """Whether its machines were solved up to rounding, on all splits."""
        return self.is_complete(cell) and all(result.is_exact for result in self.of_cell(cell))

    def keep(self, cell: Cell, split: Split, result: Result) -> None:
        is_new = (cell.number, split.number) not in self.results
        self.results[cell.number, split.number] = result
        if is_new and self.tasks is not None:
            self.tasks.tell(cell.number * len(self.task.splits) + split.number)
        self.history.append((perf_counter() - self.began, cell.number, split.number, result.status.value))
        if self.checkpoint is not None:
            self.checkpoint.add(cell, split, result)
        if self.is_complete(cell):
            self.best = float(np.fmax(self.best, self.mean(cell, self.name)))
        if self.monitor is not None:
            self.monitor.tell(len(self.results), self.best)

    def tell_end(self) -> None:
        if self.monitor is not None:
            self.monitor.tell(len(self.results), self.best, is_last=True)

    def drop(self, cell: Cell, why: CellStatus) -> None:
        self.dropped[cell.number] = why
        self.history.append((perf_counter() - self.began, cell.number, -1, why.value))

    def of_cell(self, cell: Cell) -> list[Result]:
        found = (self.results.get((cell.number, split.number)) for split in self.task.splits)
        return [result for result in found if result is not None]

    def mean(self, cell: Cell, name: str, which: str = "scores") -> float:
        """Over the splits that are known."""
        values = [getattr(result, which).get(name, np.nan) for result in self.of_cell(cell)]
        return float(np.mean(values)) if values else np.nan

    def bounds(self, name: str) -> tuple[Floats, Floats]:
        """Between which numbers the mean scores of the exact machines lie, cell by cell; NaN where nobody knows."""
        lows, highs = np.full(len(self.cells), np.nan), np.full(len(self.cells), np.nan)
        for cell in self.cells:
            if self.is_complete(cell):
                lows[cell.number], highs[cell.number] = self.mean(cell, name, "low"), self.mean(cell, name, "high")
            elif cell.number in self.upper_bounds:
                highs[cell.number] = self.upper_bounds[cell.number]
        return lows, highs

    def share_proven(self, cell: Cell) -> float:
        """Of the held-out rows, those whose label is proven."""
        results = self.of_cell(cell)
        if not results or any(result.proven < 0 for result in results):
            return np.nan
        return sum(result.proven for result in results) / sum(result.rows for result in results)

    def status(self, cell: Cell) -> CellStatus:
        """What became of a cell on all splits together."""
        if not self.is_complete(cell):
            is_out_of_time = perf_counter() >= self.ends
            return self.dropped.get(cell.number, CellStatus.TIME if is_out_of_time else CellStatus.NOT_REACHED)
        statuses = {result.status for result in self.of_cell(cell)}
        for worst in (CellStatus.FAILED, CellStatus.UNSOLVED, CellStatus.SOLVED):
            if worst in statuses:
                return worst
        return CellStatus.COPIED

    def plan(self) -> str:
        """What was shared, and what was not and why."""
        alone = [cell for cell in self.cells if cell.number in self.plain]
        together = len(self.cells) - len(alone) - len(self.stepwise - set(self.plain))
        told = []
        if len(self.cells) - len(alone) > together:
            why = (
                f"the kernel values of a fold take more than {self.budget.bytes / 1e6:.0f} MB"
                if self.layout.is_solved_together
                else f"as {type(self.layout.machine).__name__} is"
            )
            is_warm = self.layout.is_linear or self.layout.along != "C"
            how = f", each machine from the one before it along {self.layout.along}" if is_warm else ""
            told.append(
                f"{len(self.cells) - len(alone) - together} cells were solved one after the other on each fold, {why}: "
                f"rows prepared once a kernel and fold{how}."
            )
        if together:
            numbers = [c.number for c in self.cells if c.number not in self.plain and c.number not in self.stepwise]
            families = len(self._families(numbers))
            largest = max(len(split.train) + len(split.test) for split in self.task.splits)
            where = (
                "once for all folds" if self.layout.is_bare else "once a fold, behind steps that are fitted once a fold"
            )
            told.append(
                f"{together} cells were solved together on {len(self.task.splits)} folds, by {families} "
                f"{'kernel' if families == 1 else 'kernels or kinds'}: kernel values {where} (up to "
                f"{4e-6 * largest**2:.0f} MB of {self.budget.bytes / 1e6:.0f} MB), each machine from the one before it "
                f"along C, on {self.shared.threads} {'thread' if self.shared.threads == 1 else 'threads'}."
            )
        if together and not self.shared.has_bounds:
            told.append("Scores have no bounds where the kernel is not known to be positive definite.")
        if alone:
            reasons = list(dict.fromkeys(self.plain[cell.number] for cell in alone))
            told.append(f"{len(alone)} cells were fitted alone: {'; '.join(reasons[:3])}.")
        return " ".join(told)

    # ---------------------------------------------------------------- together

    def _reason_against(self, cell: Cell) -> str | None:
        others = set(self.task.fit_params) - {f"{self.layout.prefix.removeprefix('regressor__')}sample_weight"}
        if others:
            return f"fit parameters {sorted(others)} are for fits of their own"
        reason = reason_not_known(self.task.scorer)
        return reason_against(self.layout, cell) if reason is None else reason

    def _families(self, numbers: Sequence[int]) -> list[tuple[Family, Mapping[str, Any]]]:
        """Cells that stand on the same rows and kernel values."""
        by_stage: list[list[Cell]] = []
        for number in numbers:
            cell = self.cells[number]
            for cells in by_stage:
                if are_same(cells[0].before, cell.before):
                    cells.append(cell)
                    break
            else:
                by_stage.append([cell])
        along = self.layout.along
        default = float(getattr(self.layout.machine, along))
        return [(family, cells[0].before) for cells in by_stage for family in families_of(cells, along, default)]

    def tighten(self, cells: Sequence[Cell]) -> None:
        """Solves cells again, exactly: their scores and bounds take the place of those there are."""
        numbers = [cell.number for cell in cells if cell.number not in self.plain]
        for family, before in self._families(numbers):
            if not self.is_late:
                self._evaluate_together([family], before, self.task.splits, exactly=True)

    def _batches(self, families: Sequence[_FamilyOnRows], splits: Sequence[Split]) -> list[list[_FamilyOnRows]]:
        """Families to be solved at once: of a single split, which would leave threads without work, those alike."""
        if len(splits) > 1 or self.shared.threads == 1 or not self.layout.is_solved_together:
            return [[one] for one in families]
        batches: list[list[_FamilyOnRows]] = []
        for family, before in families:
            last = batches[-1][0] if batches else None
            is_alike = (
                last is not None
                and list(last[0].values) == list(family.values)
                and last[0].params.get("tol") == family.params.get("tol")
                and are_same(last[1], before)
            )
            if is_alike:
                batches[-1].append((family, before))
            else:
                batches.append([(family, before)])
        return batches

    def _evaluate_together(
        self, families: Sequence[Family], before: Mapping[str, Any], splits: Sequence[Split], exactly: bool = False
    ) -> None:
        try:
            for evaluated in self._evaluated(families, self._stages(before, splits), exactly):
                split = self.task.splits[evaluated.split.number]
                result = self.judge.result(evaluated, exactly)
                if result.status is CellStatus.UNSOLVED and not exactly and self.layout.is_solved_together:
                    self._leave([evaluated.cell], "the solver of all cells together stopped short of the tolerance")
                    self._evaluate_alone(evaluated.cell, split)
                    continue
                self.keep(evaluated.cell, split, result)
        except Exception as error:
            # Scikit-learn's own fits say what is wrong, with which parameters, and go on as error_score says.
            cells = [cell for family in families for cell in family.cells]
            self._leave(cells, f"they could not be solved together ({type(error).__name__}: {error})")

    def _leave(self, cells: Iterable[Cell], reason: str) -> None:
        for cell in cells:
            self.plain[cell.number] = reason

    def _evaluated(self, families: Sequence[Family], stages: Sequence[Stage], exactly: bool) -> Iterator[Evaluated]:
        is_one_matrix = len(families) * len(stages) == 1 and not self._has_a_kernel_for_each_split(families[0])
        at_once = 1 if is_one_matrix else self.shared.threads
        if self.layout.is_solved_together and all(self._fits_in_memory(stage, at_once) for stage in stages):
            yield from self.shared.evaluate(families, stages, self.ends, exactly)
            return
        wants_train = self.task.return_train_score
        machine = clone(self.layout.machine).set_params(n_jobs=self.budget.threads)
        for family in families:
            self.stepwise.update(cell.number for cell in family.cells)
            for stage in stages:
                if self.layout.is_linear:
                    yield from evaluate_warm(machine, family, stage, wants_train, self.ends)
                else:
                    machine.set_params(cache_size=self.budget.bytes / 1e6)
                    yield from evaluate_stepwise(machine, family, stage, wants_train, self._report, self.ends, exactly)

    def _has_a_kernel_for_each_split(self, family: Family) -> bool:
        """Whether a parameter of the kernel may be taken from the rows that a split trains on."""
        gamma, kernel = (
            family.params.get(name, getattr(self.layout.machine, name, None)) for name in ("gamma", "kernel")
        )
        return isinstance(gamma, str) or not isinstance(kernel, str)

    def _fits_in_memory(self, stage: Stage, at_once: int) -> bool:
        """Whether there is room for the kernel values of as many matrices, and half as many of active rows."""
        rows = max(len(split.train) + len(split.test) for split in stage.splits)
        return BYTES_PER_VALUE * rows * rows * at_once <= self.budget.bytes

    def _stages(self, before: Mapping[str, Any], splits: Sequence[Split]) -> list[Stage]:
        numbers = {split.number for split in splits}
        found = next((stages for known, stages in self.stages if are_same(known, before)), None)
        if found is None:
            task = self.task
            wants_train = task.return_train_score
            found = self.layout.stages(before, task.X, task.y, self._weights, task.splits, wants_train)
            self.stages.append((before, found))
        chosen = []
        for stage in found:
            own = [split for split in stage.splits if split.number in numbers]
            if own:
                chosen.append(replace(stage, splits=own))
        return chosen

    # ---------------------------------------------------------------- alone

    def _evaluate_alone(self, cell: Cell, split: Split) -> None:
        task = self.task
        found = _fit_and_score(
            clone(self.layout.outer),
            task.X,
            task.y,
            scorer=task.scorer,
            train=split.train,
            test=split.test,
            verbose=task.verbose,
            parameters=dict(cell.params),
            fit_params=dict(task.fit_params),
            score_params=dict(task.score_params),
            return_train_score=task.return_train_score,
            return_n_test_samples=True,
            return_times=True,
            error_score=task.error_score,
        )
        scores, train = found["test_scores"], found.get("train_scores")
        named = scores if isinstance(scores, dict) else {"score": scores}
        unknown = dict.fromkeys(named, np.nan)
        self.keep(
            cell,
            split,
            Result(
                named,
                train if train is None or isinstance(train, dict) else {"score": train},
                *(unknown, unknown, -1, len(split.test), np.nan, np.nan),
                CellStatus.SOLVED if found["fit_error"] is None else CellStatus.FAILED,
                *(-1, found["fit_time"], found["score_time"], found["fit_error"]),
            ),
        )

    def _report(self, *_: Any) -> bool:
        """Asked by the core about ten times a second."""
        if self.monitor is not None:
            self.monitor.tell(len(self.results), self.best)
        return self.monitor is not None and self.monitor.wants_to_stop


def _sample_weight(fit_params: Mapping[str, Any], rows: int) -> Floats | None:
    for name, value in fit_params.items():
        if name.endswith("sample_weight") and value is not None:
            return read_sample_weight(value, rows)
    return None
