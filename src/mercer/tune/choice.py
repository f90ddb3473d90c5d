"""The certificate of a choice: of all cells, which are proven worse, which are as good, and which cannot be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.tune.run import Run

__all__ = ["ChoiceCertificate", "certify_choice", "settle_choice", "unproven_choice"]

# Scores this near to each other are the same: means of the same numbers in another order.
_SAME = 1e-12


@dataclass(frozen=True)
class ChoiceCertificate:
    """What is proven of the choice, for the exact machines of all cells on the given folds.

    Attributes
    ----------
    cells : int
        How many there are.
    chosen : int
        Which one was chosen.
    score, low, high : float
        Its mean score over the folds, and between which numbers that of its exact machines lies.
    worse, equal, no_better, rivals, unknown : tuple of int
        Cells that are proven to score less; to score the same; not to score more; those whose scores may be higher;
        and those of which nothing is proven, because they were fitted alone, not fitted, or have a score without
        bounds.
    is_best : bool
        Whether no cell that is known on all folds scored higher; it may have been chosen by another rule.
    """

    cells: int
    chosen: int
    score: float
    low: float
    high: float
    worse: tuple[int, ...]
    equal: tuple[int, ...]
    no_better: tuple[int, ...]
    rivals: tuple[int, ...]
    unknown: tuple[int, ...]
    #: What to try next, where the choice is on the edge of the grid.
    advice: tuple[str, ...] = ()
    is_best: bool = True

    @property
    def is_proven(self) -> bool:
        """Whether no cell scores higher."""
        return self.is_best and not self.rivals and not self.unknown and bool(np.isfinite(self.low))

    def __bool__(self) -> bool:
        return self.is_proven

    def __str__(self) -> str:
        return " ".join([self._sentence(), *self.advice])

    def _sentence(self) -> str:
        if not np.isfinite(self.score):
            return f"Of {_cells(self.cells)} none has a score that is a number."
        this = (
            "this one scored best" if self.is_best else "others scored higher than this one, which another rule chose,"
        )
        if not np.isfinite(self.low):
            return f"Of {_cells(self.cells)} {this} on these folds; nothing is proven of its score."
        told = f"Its score is {_told(self.low, self.high)}."
        equal = f" {_count(len(self.equal), 'cell')} {_have(len(self.equal))} the same score." if self.equal else ""
        if self.is_proven:
            if self.cells == 1:
                return f"There is one cell. {told}"
            return f"Of {self.cells} cells this one is the best on these folds, proven. {told}{equal}"
        left = []
        if self.rivals:
            left.append(f"{len(self.rivals)} cannot be told from it")
        if self.unknown:
            left.append(f"of {len(self.unknown)} nothing is proven")
        return (
            f"Of {_cells(self.cells)} {this} on these folds; "
            f"{', and '.join([f'{len(self.worse) + len(self.no_better)} are proven no better', *left])}. {told}{equal}"
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        lists = {name: list(getattr(self, name)) for name in ("worse", "equal", "no_better", "rivals", "unknown")}
        numbers = {name: getattr(self, name) for name in ("cells", "chosen", "score", "low", "high")}
        return {
            **numbers,
            **lists,
            "advice": list(self.advice),
            "is_best": self.is_best,
            "is_proven": self.is_proven,
            "sentence": str(self),
        }


def _told(low: float, high: float) -> str:
    if high - low <= _SAME:
        return f"{low:.4f}, exactly"
    digits = next((d for d in range(4, 13) if f"{low:.{d}f}" != f"{high:.{d}f}"), 13)
    return f"between {low:.{digits}f} and {high:.{digits}f}"


def _cells(number: int) -> str:
    return "1 cell" if number == 1 else f"{number} cells"


def _count(number: int, name: str) -> str:
    return f"{number} other {name}" if number == 1 else f"{number} other {name}s"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def certify_choice(run: Run, name: str, chosen: int, advice: tuple[str, ...] = ()) -> ChoiceCertificate:
    """What the bounds of all cells say of one of them."""
    lows, highs = run.bounds(name)
    best = lows[chosen]
    worse, equal, no_better, rivals, unknown = [], [], [], [], []
    for cell in run.cells:
        k = cell.number
        if k == chosen:
            continue
        if not np.isfinite(highs[k]) or not np.isfinite(best):
            unknown.append(k)
        elif highs[k] < best - _SAME:
            worse.append(k)
        elif max(highs[k] - lows[k], highs[chosen] - best, abs(lows[k] - best)) <= _SAME:
            equal.append(k)
        elif highs[k] <= best + _SAME:
            no_better.append(k)
        else:
            rivals.append(k)
    score = run.mean(run.cells[chosen], name)
    others = [run.mean(cell, name) for cell in run.cells if run.is_complete(cell)]
    return ChoiceCertificate(
        *(len(run.cells), chosen, score, float(best), float(highs[chosen])),
        *(tuple(worse), tuple(equal), tuple(no_better), tuple(rivals), tuple(unknown)),
        advice=advice,
        is_best=not any(other > score + _SAME for other in others),
    )


def unproven_choice(results: dict[str, Any], chosen: int) -> ChoiceCertificate:
    """The certificate of a choice by scores of which nothing is proven."""
    cells = len(results["params"])
    name = next(column for column in results if column.startswith("mean_test_"))
    scores = np.asarray(results[name])
    others = tuple(k for k in range(cells) if k != chosen)
    is_best = not bool(np.any(scores > scores[chosen] + _SAME))
    none: tuple[int, ...] = ()
    score = float(scores[chosen])
    return ChoiceCertificate(cells, chosen, score, np.nan, np.nan, none, none, none, none, others, is_best=is_best)


# Rivals that are settled by default, and all of them where there are no more rows times functions times cells than
# this: it takes some tenths of a second then.
_SOME_RIVALS = 3
_LITTLE_WORK = 30_000


def settle_choice(run: Run, name: str, rivals: str | int | bool) -> None:
    """Solves the best cell, and those that may be better, exactly: so many of them, the best scores first, or all."""
    if rivals == "auto" and run.stepwise:  # there are no kernel values at hand: it would take longer than the search
        rivals = False
    if rivals == "auto":
        rivals = True if run.task.rows * run.functions * len(run.cells) <= _LITTLE_WORK else _SOME_RIVALS
    done = {cell.number for cell in run.cells if run.is_exact(cell)}
    most = len(run.cells) if rivals is True else int(rivals) - max(0, len(done) - 1)
    while rivals is not False and not run.is_late:
        scores = np.array([run.mean(cell, name) if run.is_complete(cell) else -np.inf for cell in run.cells])
        scores[np.isnan(scores)] = -np.inf
        chosen = int(np.argmax(scores))
        if not np.isfinite(scores[chosen]):
            return
        certificate = certify_choice(run, name, chosen)
        if not np.isfinite(certificate.low):
            return
        contenders = [k for k in sorted(certificate.rivals, key=lambda k: -scores[k]) if k not in done]
        if rivals is not True:  # those that a strategy has dropped stay so
            contenders = [k for k in contenders if run.is_complete(run.cells[k])]
        wanted: Sequence[int] = []
        if certificate.high - certificate.low > _SAME and chosen not in done:
            wanted = [chosen]
        elif contenders and most > 0:
            wanted = contenders[: min(most, _AT_ONCE)]
            most -= len(wanted)
        if not wanted:
            return
        done.update(wanted)
        run.tighten([run.cells[k] for k in wanted])


# Rivals are solved a few at a time: the first may show that others are worse.
_AT_ONCE = 4
