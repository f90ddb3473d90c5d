"""What all searches for neighbours answer."""

from __future__ import annotations

from typing import Any, Protocol

from mercer.neighbours.found import Nearest, Within
from mercer.typing import Integers

__all__ = ["Search"]


class Search(Protocol):
    """Rows that neighbours are looked for among.

    `excluded` has the number of a row that a query must not find, or −1; `forgotten` says of each row, by a byte,
    whether none must find it.
    """

    @property
    def plan(self) -> str:
        """How rows are searched, in a sentence."""

    def nearest(self, Q: Any, k: int, threads: int, excluded: Integers | None = None, forgotten: Any = None) -> Nearest:
        """The k nearest rows of each query."""

    def within(
        self, Q: Any, radius: float, threads: int, excluded: Integers | None = None, forgotten: Any = None
    ) -> Within:
        """The rows no further than a radius from each query."""

    def fitted(self, room: float) -> Search:
        """The same search, which takes no more than so many bytes beside the rows."""
