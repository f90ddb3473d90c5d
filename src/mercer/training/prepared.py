"""The parts of a table as numbers: what the encoder, which saw training rows only, makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mercer.tables import Encoding
from mercer.training.split import Part, Parts
from mercer.training.target import Target
from mercer.typing import Floats

__all__ = ["Prepared", "encode_parts"]


@dataclass(frozen=True, eq=False)
class Prepared:
    """Rows as columns and as numbers.

    Attributes
    ----------
    target : Target
    parts : Parts
    encoding : Encoding
        Learnt from the training rows.
    X, X_test : ndarray of shape (rows, features)
    unseen : dict
        Test rows with a category that no training row has, by column.
    """

    target: Target
    parts: Parts
    encoding: Encoding
    X: Floats
    X_test: Floats
    unseen: dict[str, int]

    @property
    def train(self) -> Part:
        return self.parts.train

    @property
    def test(self) -> Part:
        return self.parts.test

    @property
    def y(self) -> Any:
        return self.parts.train.y

    @property
    def y_test(self) -> Any:
        return self.parts.test.y

    @property
    def score_name(self) -> str:
        return self.target.score

    @property
    def is_classification(self) -> bool:
        return self.target.is_classification

    @property
    def columns(self) -> list[str]:
        """Names of the columns that the machine sees."""
        return [name for name, _ in self.encoding.schema]


def encode_parts(parts: Parts, target: Target) -> Prepared:
    """Learns the encoding from the training rows, and encodes both parts."""
    encoding = Encoding.learn(parts.train.table)
    test = encoding(parts.test.table)
    return Prepared(target, parts, encoding, encoding(parts.train.table).X, test.X, dict(test.unseen))
