"""What a user may say of a source, and how much of the machine reading it may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mercer.tables.null_words import NullWords

__all__ = ["ReadingOptions"]


@dataclass(frozen=True)
class ReadingOptions:
    """What is said of a text file, None for what is to be found, and limits.

    Attributes
    ----------
    separator, header, decimal, day_first
        How a text file is written.
    nulls : NullWords
        The words for missing values.
    memory : float or None
        In MB.
    threads : int or None
    """

    separator: str | None = None
    header: bool | None = None
    decimal: str | None = None
    nulls: NullWords = field(default_factory=NullWords)
    day_first: bool | Mapping[str, bool] | None = None
    memory: float | None = None
    threads: int | None = None
