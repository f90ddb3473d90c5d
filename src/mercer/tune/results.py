"""What is searched, and what is known of a cell on a split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from mercer.tune.cells import Split

__all__ = ["CellStatus", "Result", "Task"]


class CellStatus(Enum):
    """What became of a cell."""

    SOLVED = "solved"
    COPIED = "copied"
    DROPPED_PROVEN = "dropped, proven worse"
    DROPPED_WORSE = "dropped, worse whatever the other folds say"
    DROPPED_UNLIKELY = "dropped, unlikely"
    LEFT_OUT = "left out, away from the best"
    UNSOLVED = "stopped short of the tolerance"
    TIME = "time"
    NOT_REACHED = "not reached"
    FAILED = "failed"


@dataclass(frozen=True)
class Result:
    """What is known of one cell on one split.

    Attributes
    ----------
    scores, train_scores : dict
        By the names of the scorers; "score" where there is one.
    low, high : dict
        Between which the scores of the exact machine lie; NaN where that is not known.
    proven, rows : int
        Held-out rows whose label is proven, of how many; −1 where there are no labels or no proof.
    gap, violation : float
        Of the machine; NaN where it was fitted alone.
    support : int
        Support vectors; −1 where nobody counted.
    is_exact : bool
        Whether the machine was solved up to rounding.
    losses : tuple of float or None
        Of the held-out rows; empty where the score is not made of such losses, None where nobody asked.
    """

    scores: Mapping[str, float]
    train_scores: Mapping[str, float] | None
    low: Mapping[str, float]
    high: Mapping[str, float]
    proven: int
    rows: int
    gap: float
    violation: float
    status: CellStatus
    support: int
    fit_seconds: float
    score_seconds: float
    fit_error: str | None = None
    is_exact: bool = False
    losses: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Task:
    """What is searched: data, splits, scorers, and what is passed on to fits and scores."""

    X: Any
    y: Any
    splits: Sequence[Split]
    scorer: Any
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    score_params: Mapping[str, Any] = field(default_factory=dict)
    return_train_score: bool = False
    error_score: Any = np.nan
    verbose: int = 0

    @property
    def rows(self) -> int:
        return int(self.X.shape[0]) if hasattr(self.X, "shape") else len(self.X)
