"""From what a machine says of held-out rows to its scores, and the bounds of those of the exact machine."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from sklearn.metrics._scorer import _MultimetricScorer, _PassthroughScorer
from sklearn.model_selection._validation import _score
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from mercer.solvers.status import Status
from mercer.tune.cells import Split
from mercer.tune.responses import Known
from mercer.tune.results import CellStatus, Result, Task
from mercer.tune.scores import is_accuracy, row_losses, score_interval
from mercer.tune.shared import Evaluated

__all__ = ["Judge"]


class Judge:
    """Scores machines as the scorers of a task ask for it; `losses_of` names the score whose losses are kept."""

    def __init__(self, task: Task, losses_of: str | None = None) -> None:
        self.task, self.losses_of = task, losses_of

    def result(self, evaluated: Evaluated, exactly: bool) -> Result:
        """What is known of a machine; `exactly` tells whether it was solved up to rounding."""
        known, split, began = evaluated.known, self._split(evaluated), perf_counter()
        y = self._targets(split.test)
        scores = self._scores(known, y, split.test)
        train = None
        if evaluated.known_train is not None:
            train = self._scores(evaluated.known_train, self._targets(split.train), split.train)
        low, high = {}, {}
        for name, scorer in self._scorers().items():
            low[name], high[name] = self._interval(scorer, known, y, split)
        status = CellStatus.COPIED if evaluated.is_copied else CellStatus.SOLVED
        if evaluated.status is not Status.SOLVED:
            status = CellStatus.UNSOLVED
        proven = -1 if known.is_proven is None else int(np.count_nonzero(known.is_proven))
        return Result(
            *(scores, train, low, high, proven, len(split.test)),
            *(evaluated.gap, evaluated.violation, status, evaluated.support),
            *(evaluated.seconds, perf_counter() - began),
            is_exact=exactly,
            losses=None if self.losses_of is None else self._losses(known, y, self.losses_of),
        )

    def _losses(self, known: Known, y: Any, name: str) -> tuple[float, ...]:
        losses = row_losses(self.task.scorer, name, known, y)
        return () if losses is None else tuple(losses.tolist())

    def _split(self, evaluated: Evaluated) -> Split:
        """The split by the numbers of all rows; that of a stage has its own."""
        return self.task.splits[evaluated.split.number]

    def _targets(self, rows: Any) -> Any:
        """The true labels or numbers; a column of them is what machines take it for."""
        y = _safe_indexing(self.task.y, rows)
        return np.ravel(y) if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 else y

    def _interval(self, scorer: Any, known: Known, y: Any, split: Split) -> tuple[float, float]:
        params = self._params(split.test)
        weights = params.pop("sample_weight", None)
        if params or (weights is not None and self._has_several):  # each may have asked for other weights
            return np.nan, np.nan
        return score_interval(scorer, known, y, None if weights is None else np.asarray(weights, dtype=np.float64))

    def _scores(self, known: Known, y: Any, rows: Any) -> dict[str, float]:
        params, scorer = self._params(rows), self.task.scorer
        is_plain = isinstance(scorer, _PassthroughScorer) or is_accuracy(scorer)
        if not params and known.classes is not None and is_plain:
            return {"score": float(np.mean(known.predicted == np.asarray(y)))}
        found = _score(known.estimator, None, y, scorer, params, self.task.error_score)
        return {name: float(value) for name, value in found.items()} if isinstance(found, dict) else {"score": found}

    def _params(self, rows: Any) -> dict[str, Any]:
        return dict(_check_method_params(self.task.X, params=dict(self.task.score_params), indices=rows))

    @property
    def _has_several(self) -> bool:
        return isinstance(self.task.scorer, _MultimetricScorer)

    def _scorers(self) -> dict[str, Any]:
        return dict(self.task.scorer._scorers) if self._has_several else {"score": self.task.scorer}
