"""Which cells are looked at on which splits, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import binomtest, wilcoxon

from mercer.tune.cells import Cell, Split
from mercer.tune.results import CellStatus
from mercer.tune.run import Run
from mercer.tune.scores import largest_score
from mercer.typing import Floats

__all__ = ["STRATEGIES", "Strategy"]

Strategy = Callable[[Run, str], None]

# A cell is dropped where the test says that it is worse with less than this probability of error.
_LEVEL = 0.01
# Folds come in an order that says nothing.
_SEED = 0
# The coarse grid has every so-manieth value of a parameter.
_STRIDE = 2


def grid(run: Run, name: str) -> None:
    """All cells on all splits."""
    run.evaluate(run.cells)


def race(run: Run, name: str) -> None:
    """Some splits at a time; a cell is dropped once the best possible scores on the other splits would not help it.

    After the first split a cell is looked at on as many as it would take to drop it, all at once, for splits that are
    solved together cost less. Never another choice than that of the whole grid.
    """
    ceiling = largest_score(run.task.scorer, name)
    if not np.isfinite(ceiling):
        grid(run, name)
        return
    splits, alive = run.task.splits, list(run.cells)
    run.evaluate(alive, splits[:1])
    while alive and not run.is_late:
        leader = max(alive, key=lambda cell: _known_mean(run, cell, name))
        run.evaluate([leader])
        if not run.is_complete(leader):
            return
        best, upcoming = run.mean(leader, name), dict[tuple[int, ...], list[Cell]]()
        for cell in [cell for cell in alive if not run.is_complete(cell)]:
            known, mean = len(run.of_cell(cell)), _known_mean(run, cell, name)
            rest = (len(splits) - known) * ceiling
            if known * mean + rest < len(splits) * best:
                run.upper_bounds[cell.number] = (known * run.mean(cell, name, "high") + rest) / len(splits)
                is_proven = run.upper_bounds[cell.number] < run.mean(leader, name, "low")
                run.drop(cell, CellStatus.DROPPED_PROVEN if is_proven else CellStatus.DROPPED_WORSE)
            else:
                missing = [split.number for split in splits if (cell.number, split.number) not in run.results]
                more = _splits_to_drop(mean, best, ceiling, known, len(splits)) - known
                upcoming.setdefault(tuple(missing[:more]), []).append(cell)
        for numbers, cells in upcoming.items():
            run.evaluate(cells, [splits[number] for number in numbers])
        alive = [cell for cell in alive if not run.is_complete(cell) and cell.number not in run.dropped] + [leader]
        if alive == [leader]:
            return


def _splits_to_drop(mean: float, best: float, ceiling: float, known: int, splits: int) -> int:
    """On how many splits a cell that goes on scoring as it does would have to be known to be dropped."""
    if not mean < best:
        return splits
    needed = splits * (ceiling - best) / (ceiling - mean) if np.isfinite(mean) else known + 1
    return int(min(splits, max(known + 1, np.floor(needed) + 1)))


def paired_test(run: Run, name: str) -> None:
    """Split by split, in shuffled order; a cell is dropped once a paired test says that the leader is better.

    Wilcoxon's signed-rank test on the losses of the held-out rows, from the first split on; where a score is not made
    of losses of rows, on the scores of the splits, from the second on.
    """
    order = np.random.default_rng(_SEED).permutation(len(run.task.splits))
    alive, seen = list(run.cells), []
    for number in order:
        split = run.task.splits[int(number)]
        run.evaluate(alive, [split])
        if run.is_late:
            return
        seen.append(split)
        leader = max(alive, key=lambda cell: _known_mean(run, cell, name))
        for cell in alive:
            if cell is not leader and _is_worse(run, cell, leader, seen, name):
                run.drop(cell, CellStatus.DROPPED_UNLIKELY)
        alive = [cell for cell in alive if cell.number not in run.dropped]


def _is_worse(run: Run, cell: Cell, leader: Cell, seen: Sequence[Split], name: str) -> bool:
    own, best = _losses(run, cell, seen), _losses(run, leader, seen)
    if own is not None and best is not None:
        difference = own - best
    else:
        if len(seen) < 2:
            return False
        pairs = [(run.results[cell.number, s.number], run.results[leader.number, s.number]) for s in seen]
        difference = np.array([b.scores[name] - a.scores[name] for a, b in pairs])
    difference = difference[difference != 0]
    if len(difference) == 0 or not np.all(np.isfinite(difference)):
        return False
    if np.all(np.abs(difference) == np.abs(difference[0])):  # right or wrong: ranks are signs
        better = int(np.count_nonzero(difference > 0))
        return float(binomtest(better, len(difference), alternative="greater").pvalue) < _LEVEL
    return float(wilcoxon(difference, alternative="greater").pvalue) < _LEVEL


def _losses(run: Run, cell: Cell, splits: Sequence[Split]) -> Floats | None:
    """The losses of all rows that these splits hold out; None where some are not known."""
    found = [run.results[cell.number, split.number].losses for split in splits]
    known = [losses for losses in found if losses]
    return np.concatenate(known) if len(known) == len(found) else None


def refine(run: Run, name: str) -> None:
    """A coarse part of the grid first, then the neighbours of the best, until none is better."""
    places = _lattice(run.cells)
    coarse = [cell for cell in run.cells if all(place % _STRIDE == 0 for place in places[cell.number])]
    run.evaluate(coarse)
    while not run.is_late:
        done = [cell for cell in run.cells if run.is_complete(cell)]
        if not done:
            return
        best = max(done, key=lambda cell: _known_mean(run, cell, name))
        near = [cell for cell in run.cells if _are_near(places[best.number], places[cell.number])]
        missing = [cell for cell in near if not run.is_complete(cell)]
        if not missing:
            break
        run.evaluate(missing)
    for cell in run.cells:
        if not run.is_complete(cell) and not run.is_late:
            run.drop(cell, CellStatus.LEFT_OUT)


def _lattice(cells: Sequence[Cell]) -> dict[int, tuple[int, ...]]:
    """The place of each cell among the values of each number, in order; what is no number stands at zero."""
    axes: dict[str, list[Any]] = {}
    for cell in cells:
        for name, value in cell.params.items():
            if _is_number(value):
                axes.setdefault(name, [])
                if value not in axes[name]:
                    axes[name].append(value)

    def place(cell: Cell, name: str) -> int:
        value = cell.params.get(name)
        return axes[name].index(value) if _is_number(value) and value in axes[name] else 0

    for values in axes.values():
        values.sort()
    return {cell.number: tuple(place(cell, name) for name in axes) for cell in cells}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _are_near(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(abs(x - y) <= 1 for x, y in zip(a, b, strict=True))


def _known_mean(run: Run, cell: Cell, name: str) -> float:
    """The mean over the splits that are known; of scores that are no numbers, nothing can be worse."""
    mean = run.mean(cell, name)
    return mean if np.isfinite(mean) else -np.inf


STRATEGIES: dict[str, Strategy] = {"grid": grid, "race": race, "wilcoxon": paired_test, "refine": refine}
