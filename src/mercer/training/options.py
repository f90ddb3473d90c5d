"""What a training run is asked for, beside the table and its target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mercer import checks
from mercer.errors import ParameterError

__all__ = ["SCORES", "TrainingOptions"]

#: The scores that parameters can be chosen by, and that then come first in the evaluation; the first is the default.
SCORES = {"classification": ("accuracy", "balanced_accuracy", "f1_macro"), "regression": ("r2",)}


@dataclass(frozen=True)
class TrainingOptions:
    """How a table is made a model.

    Attributes
    ----------
    task : {"classification", "regression"}, optional
        None finds it out from the target.
    seed : int
        Of the split, the folds, and every other draw.
    time_limit : float, optional
        Seconds for the whole run.
    memory : float
        Megabytes for kernel values.
    threads : int, optional
        None takes all that there are.
    ignore : tuple of str
        Columns that are left out.
    drop_leaks : bool
        Whether columns that nearly reach the score alone are left out, and not only pointed at.
    class_weight : {"balanced"}, optional
        Whether errors on rare classes cost more, in inverse proportion to their rows.
    sets : bool
        Whether a fifth of the training rows is kept apart, so that predictions come with sets of classes, or intervals,
        that cover the truth as often as is asked for.
    confidence : float
        How often that is, where nobody says otherwise.
    scoring : str, optional
        What parameters are chosen by: "accuracy", "balanced_accuracy" or "f1_macro"; "r2" in regression.
    quick : bool
        Whether the search looks at a part of the grid, and the tree and the importance of columns are left out.
    tune_rows : int
        The most rows that parameters are chosen on.
    folds : int
        Parts that are held out in turn to choose parameters.
    """

    task: str | None = None
    seed: int = 0
    time_limit: float | None = None
    memory: float = 1000
    threads: int | None = None
    ignore: tuple[str, ...] = ()
    drop_leaks: bool = False
    class_weight: str | None = None
    sets: bool = False
    confidence: float = 0.9
    scoring: str | None = None
    quick: bool = False
    tune_rows: int = 5000
    folds: int = 5

    def __post_init__(self) -> None:
        _optional_choice("task", self.task, tuple(SCORES))
        _optional_choice("class_weight", self.class_weight, ("balanced",))
        _optional_choice("scoring", self.scoring, tuple(name for names in SCORES.values() for name in names))
        checks.integer("seed", self.seed, 0)
        checks.optional_positive("time_limit", self.time_limit)
        checks.positive("memory", self.memory)
        checks.number_of_threads("threads", self.threads)
        checks.inner_share("confidence", self.confidence)
        checks.integer("tune_rows", self.tune_rows, 100)
        checks.integer("folds", self.folds, 2)
        for name in ("drop_leaks", "sets", "quick"):
            checks.flag(name, getattr(self, name))
        if isinstance(self.ignore, str) or not all(isinstance(name, str) for name in self.ignore):
            raise ParameterError(f"ignore: expected a tuple of column names, got {self.ignore!r}.")

    def score_of(self, task: str) -> str:
        """The name of the score that counts in this task."""
        if self.scoring is None:
            return SCORES[task][0]
        if self.scoring not in SCORES[task]:
            raise ParameterError(
                f"scoring: expected one of {', '.join(SCORES[task])} in {task}, got {self.scoring!r}. Leave it out, or "
                "say which task it is."
            )
        return self.scoring


def _optional_choice(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value is not None:
        checks.choice(name, value, known)
