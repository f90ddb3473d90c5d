"""Texts as distinct words and codes, which is how everything that is not a number is looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Words"]


@dataclass(frozen=True, eq=False)
class Words:
    """Distinct words and, for each row, the index of its word; −1 where it has none."""

    words: tuple[str, ...]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[str | None] | NDArray[Any]) -> Words:
        """The words of rows in the order they first appear; None has no word."""
        known: defaultdict[str | None, int] = defaultdict()
        known.default_factory = known.__len__
        rows = texts.tolist() if isinstance(texts, np.ndarray) else texts
        codes = np.fromiter(map(known.__getitem__, rows), dtype=np.int32, count=len(rows))
        none = known.pop(None, None)
        if none is not None:
            codes = np.where(codes == none, -1, codes - (codes > none)).astype(np.int32)
        return cls(tuple(word for word in known if word is not None), codes)

    def counts(self) -> NDArray[np.int64]:
        """How many rows have each word."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.words))

    def first_of(self, words: Sequence[int]) -> tuple[int, str]:
        """The first row that has one of the words of these indices, and the word."""
        row = int(np.argmax(np.isin(self.codes, words)))
        return row, self.words[self.codes[row]]

    def without(self, is_missing: Callable[[str], bool]) -> Words:
        """The same rows, those missing whose word is one for that; the words sorted."""
        return self._renamed([None if is_missing(word) else word for word in self.words])

    def stripped(self, blanks: str) -> Words:
        """The same rows, blanks taken off their words; an empty word is none."""
        return self._renamed([word.strip(blanks) or None for word in self.words])

    def _renamed(self, names: Sequence[str | None]) -> Words:
        kept = sorted({name for name in names if name is not None})
        place = {name: code for code, name in enumerate(kept)}
        codes = np.array([-1 if name is None else place[name] for name in names] + [-1], dtype=np.int32)
        return Words(tuple(kept), codes[self.codes])

    def spread(self, values: Iterable[Any], missing: Any, dtype: Any) -> NDArray[Any]:
        """For each row the value of its word, or `missing`."""
        return np.asarray(np.array([*values, missing], dtype=dtype)[self.codes])
