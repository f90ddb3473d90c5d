"""Columns of categories: one feature for each, 0 or 1, which are never scaled.

Rows of different categories are then √2 apart whatever these are, as are on average two values of a number of deviation
1; scaled features would set rare categories far apart from everything. Two categories are two features for the same
reason, and so that a category which training has not seen is as far from the one as from the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from mercer.errors import InputError
from mercer.tables import plain_fields
from mercer.tables.column_code import ColumnCode, Surprises
from mercer.tables.table import Column, ColumnKind
from mercer.typing import Floats, Integers

__all__ = ["CategoryCode"]

#: Rare values that are remembered by name, to tell them from values that training has not seen.
MOST_REMEMBERED = 1000
# What a file may hold of a column.
_MOST = 10_000_000


@dataclass(frozen=True)
class CategoryCode(ColumnCode):
    """A feature for each category, one for the rare ones together, and one for rows without a value.

    Attributes
    ----------
    categories : tuple of str
        Those with a feature of their own, in order.
    pooled : tuple of str
        Those that share a feature, in order, where they are at most a thousand; empty where they are more.
    n_pooled : int
        How many share that feature; none where it is zero.
    has_missing : bool
        Whether there is a last feature for rows without a value.
    """

    code: ClassVar[str] = "category"

    categories: tuple[str, ...]
    pooled: tuple[str, ...]
    n_pooled: int
    has_missing: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("categories", "pooled"):
            self._checked(field, plain_fields.texts)
            if list(getattr(self, field)) != sorted(getattr(self, field)):
                raise InputError(f"Column {self.name!r}, {field}: expected texts in order, got others.")
        self._checked("n_pooled", plain_fields.count, 0, _MOST)
        self._checked("has_missing", plain_fields.flag)
        if set(self.categories) & set(self.pooled):
            raise InputError(f"Column {self.name!r}: expected each category once, got some that are pooled as well.")
        if len(self.pooled) != (self.n_pooled if self.n_pooled <= MOST_REMEMBERED else 0):
            raise InputError(f"Column {self.name!r}, pooled: expected {self.n_pooled} texts, got {len(self.pooled)}.")

    @classmethod
    def learn(cls, column: Column, most_categories: int, least_rows: int) -> Self | None:
        """From a column of words; None where no word is common, so that all would share a feature.

        A category has a feature of its own where it has `least_rows` or more, and is among the `most_categories`
        commonest.
        """
        counts = np.bincount(column.values[column.values >= 0], minlength=len(column.words))
        present = np.flatnonzero(counts)
        # The commonest first; of those as common, the first in the order of words, whatever their codes are.
        ranked = sorted((-int(counts[code]), column.words[code]) for code in present)
        kept = [word for count, word in ranked[:most_categories] if -count >= least_rows]
        if not kept:
            return None
        pooled = [word for _, word in ranked[len(kept) :]]
        if len(pooled) == 1 and len(kept) < most_categories:
            kept, pooled = kept + pooled, []  # a pool of one is that category
        rows = -sum(count for count, _ in ranked[len(kept) :])
        note = _pooling(len(kept), len(pooled), rows, int(counts.sum())) if pooled else ""
        return cls(
            name=column.name,
            note=note,
            categories=tuple(sorted(kept)),
            pooled=tuple(sorted(pooled)) if len(pooled) <= MOST_REMEMBERED else (),
            n_pooled=len(pooled),
            has_missing=bool(np.any(column.values < 0)),
        )

    @property
    def column_kind(self) -> ColumnKind:
        return ColumnKind.TEXT

    @property
    def feature_names(self) -> tuple[str, ...]:
        names = [f"{self.name} = {category}" for category in self.categories]
        names += [f"{self.name} (rare)"] if self.n_pooled else []
        return tuple([*names, f"{self.name} (missing)"] if self.has_missing else names)

    @property
    def n_features(self) -> int:
        return len(self.categories) + (self.n_pooled > 0) + self.has_missing

    def encode(self, column: Column, out: Floats) -> Surprises:
        places, is_unseen = self._places(column.words)
        # The last place is that of rows without a value, whose code is −1.
        place = places[column.values]
        rows = np.flatnonzero(place >= 0)
        out[rows, place[rows]] = 1.0
        missing = 0 if self.has_missing else int(np.count_nonzero(column.values < 0))
        return Surprises(int(np.count_nonzero(is_unseen[column.values])), missing)

    def _places(self, words: tuple[str, ...]) -> tuple[Integers, Integers]:
        """The feature of each word, −1 for none, and of rows without a value; and which words training has not seen."""
        own = {category: place for place, category in enumerate(self.categories)}
        remembered = set(self.pooled)
        tells = self.n_pooled == len(self.pooled)
        common = len(self.categories) if self.n_pooled else -1
        of_missing = self.n_features - 1 if self.has_missing else common
        places = np.array([*(own.get(word, common) for word in words), of_missing])
        unseen = np.array([*(tells and word not in own and word not in remembered for word in words), False])
        return places, unseen


def _pooling(kept: int, pooled: int, rows: int, of: int) -> str:
    """What was pooled, in words."""
    told = f"the {kept} commonest values have a feature each, the other {pooled:,} ({rows:,} of {of:,} rows) share one"
    return told if pooled <= MOST_REMEMBERED else f"{told}; values that are new in later tables are taken for such"
