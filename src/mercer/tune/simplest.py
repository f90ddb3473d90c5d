"""The one-standard-error rule: of cells that score about as well, the simplest."""

from __future__ import annotations

import numpy as np

from mercer.tune.cells import Cell
from mercer.tune.run import Run

__all__ = ["simplest_within_one_error"]


def simplest_within_one_error(run: Run, name: str) -> int:
    """The cell with the smallest C, then the fewest support vectors, within one standard error of the best."""
    complete = [cell for cell in run.cells if run.is_complete(cell) and np.isfinite(run.mean(cell, name))]
    if not complete:
        return 0
    default = float(getattr(run.layout.machine, "C", 0.0))
    best = max(complete, key=lambda cell: run.mean(cell, name))
    scores = [result.scores[name] for result in run.of_cell(best)]
    error = float(np.std(scores, ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else 0.0
    near = [cell for cell in complete if run.mean(cell, name) >= run.mean(best, name) - error]

    def simplicity(cell: Cell) -> tuple[float, float, float]:
        support = [result.support for result in run.of_cell(cell)]
        return float(cell.own.get("C", default)), float(np.mean(support)), -run.mean(cell, name)

    return min(near, key=simplicity).number
