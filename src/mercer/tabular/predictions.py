"""What a model says of the rows of a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from mercer.typing import Booleans, Floats

__all__ = ["Predictions"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """One answer a row; what was not asked for, or cannot be had of the model, is None.

    Attributes
    ----------
    labels : ndarray of str, shape (rows,)
        Of a classification: classes as the training table had them.
    values : ndarray of shape (rows,)
        Of a regression.
    decision : ndarray of shape (rows, functions)
        The values of the machine's functions: one of two classes, positive for the second; of several one for each
        pair, positive for the first of the pair, or one for each class.
    probabilities : ndarray of shape (rows, classes)
        Where the model was calibrated.
    sets : ndarray of bool, shape (rows, classes)
        Which classes are not ruled out at the level of confidence.
    intervals : ndarray of shape (rows, 2)
        Between which numbers the target lies at that level.
    unseen, missing : dict
        By column, how many rows have a category that training has not seen, and how many have no value where every
        training row had one.
    """

    labels: NDArray[Any] | None = None
    values: Floats | None = None
    decision: Floats | None = None
    probabilities: Floats | None = None
    sets: Booleans | None = None
    intervals: Floats | None = None
    unseen: dict[str, int] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
