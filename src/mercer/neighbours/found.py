"""What a search for neighbours finds, and what it took."""

from __future__ import annotations

from typing import NamedTuple

from mercer.typing import Floats, Integers

__all__ = ["Exactness", "Nearest", "Within"]


class Exactness(NamedTuple):
    """How neighbours were told apart.

    Attributes
    ----------
    pairs : int
        Queries times rows.
    screened : int
        Pairs that the first bound, in float32, did not rule out.
    settled : int
        Pairs whose distance was computed in float64, from the rows as they are: what was found is among these.
    """

    pairs: int
    screened: int
    settled: int

    def __str__(self) -> str:
        if self.pairs == 0:
            return "Nothing was asked for."
        ruled_out = 1 - self.screened / self.pairs
        return (
            f"Of {self.pairs} pairs {100 * ruled_out:.2f} % were ruled out by a bound in float32 that holds whatever "
            f"its rounding, and {self.settled} settled in float64."
        )


class Nearest(NamedTuple):
    """The nearest rows of each query, nearest first; of equal distances the lower number first.

    `rows` are −1 and `distances` infinite where there are fewer.
    """

    rows: Integers
    distances: Floats
    exactness: Exactness


class Within(NamedTuple):
    """The rows within a radius of each query, in the order of their numbers: those of query i from begins[i] on."""

    begins: Integers
    rows: Integers
    distances: Floats
    exactness: Exactness
