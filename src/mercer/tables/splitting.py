"""The first lines of a text file, and the separator and quotes that part them into rows alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from mercer.errors import InputError
from mercer.tables.dates import is_date
from mercer.tables.numerals import COMMA_NUMERAL, NUMERAL
from mercer.tables.signs import Signs

__all__ = ["SEPARATORS", "Sample", "Split", "sample_of", "best_split"]

_NAMED_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)
#: Tried in this order; a blank is no candidate, since one parts the words of ordinary text.
SEPARATORS = (",", ";", "\t", "|")

#: The layout is found in as much of the file as holds some hundred rows, at least some lines however long.
_SAMPLE_BYTES = 1 << 17
_FEWEST_LINES = 20
_MOST_BYTES = 1 << 26
_MOST_RECORDS = 200
#: Rows of the sample that must be alike for a separator to be believed; the others are bad lines, refused later.
_ALIKE = 0.5


@dataclass(frozen=True)
class Sample:
    """The first lines of a text file, none of them cut.

    Attributes
    ----------
    lines : tuple of str
        With their ends, all of them a line feed.
    skipped : int
        Lines before these that hold no values: blank ones, and the one in which a spreadsheet names the separator.
    named_separator : str or None
        The separator that such a line names.
    whole : bool
        Whether these are all the lines of the file.
    """

    lines: tuple[str, ...]
    skipped: int
    named_separator: str | None
    whole: bool


@dataclass(frozen=True)
class Split:
    """The records of a sample under one separator and one quote."""

    separator: str
    quote: str
    records: tuple[list[str], ...]
    n_columns: int
    alike: float
    typed: float

    @property
    def rank(self) -> tuple[float, float, int]:
        """Rows alike, then cells that are numbers or dates, then columns: more is likelier."""
        return round(self.alike, 1), round(self.typed, 2), self.n_columns


def sample_of(path: Path) -> Sample:
    """The first lines of a file that is UTF-8."""
    block, limit = b"", _SAMPLE_BYTES
    with path.open("rb") as file:
        while more := file.read(limit - len(block)):
            block += more
            if len(block) == limit and (block.count(b"\n") < _FEWEST_LINES and limit < _MOST_BYTES):
                limit *= 2
        whole = not file.read(1)
    if not whole and b"\n" in block:
        block = block[: block.rindex(b"\n") + 1]
    text = block.decode("utf-8-sig", errors="ignore").replace("\r\n", "\n")
    lines = [line + "\n" for line in text.removesuffix("\n").split("\n")]
    skipped = _blank_lines(lines)
    named = _NAMED_SEPARATOR.fullmatch(lines[skipped].strip(" \n")) if skipped < len(lines) else None
    if named is not None:
        skipped += 1 + _blank_lines(lines[skipped + 1 :])
    return Sample(tuple(lines[skipped:]), skipped, named[1] if named is not None else None, whole)


def _blank_lines(lines: Sequence[str]) -> int:
    """How many of the first lines are blank; a line of tabs may be a row of missing values."""
    return next((place for place, line in enumerate(lines) if line.strip(" \n")), len(lines))


def best_split(sample: Sample, given: str | None, source: str) -> Split:
    """The likeliest way to part the sample; where there is none, the file has one column, or is refused with a hint."""
    separator = given or sample.named_separator
    tried = (separator,) if separator else SEPARATORS
    quotes = ('"', "'") if _single_quotes(sample.lines) else ('"',)
    splits = [split for sign in tried for quote in quotes if (split := _split(sample, sign, quote)) is not None]
    if separator and splits:
        return max(splits, key=lambda split: split.rank)
    likely = [split for split in splits if split.n_columns > 1 and split.alike >= _ALIKE]
    if likely:
        return max(likely, key=lambda split: split.rank)
    alone = next((split for split in splits if split.n_columns == 1), None)
    line = sample.lines[0] if sample.lines else ""
    if alone is None or any(sign in text.strip() for text in sample.lines for sign in (*SEPARATORS, " ", ":")):
        raise InputError(
            f"{source}, line {1 + sample.skipped}: expected values parted by a comma, a semicolon, a tab or a bar, got "
            f"lines that none of them parts alike: {line.strip()[:120]!r}. Name the separator (--separator), also if "
            "this is one column."
        )
    return alone


def _single_quotes(lines: Sequence[str]) -> bool:
    """Whether values seem to stand in single quotes: some line begins or ends with one, and none has a double one."""
    return not any('"' in line for line in lines) and any(
        line.strip()[:1] == "'" or line.strip()[-1:] == "'" for line in lines
    )


def _split(sample: Sample, separator: str, quote: str) -> Split | None:
    found = Signs(separator, quote).records(sample.lines)
    records = [[cell.strip() for cell in record] for record in islice(found, _MOST_RECORDS)]
    if not sample.whole and 1 < len(records) < _MOST_RECORDS:
        records.pop()  # whose quotes may be closed after the sample
    if not records:
        return None
    counts = Counter(map(len, records[1:] or records))
    n_columns, _ = counts.most_common(1)[0]
    if len(records[0]) == n_columns - 1 and all(not row[-1] for row in records if len(row) == n_columns):
        n_columns -= 1  # every row ends in a separator, the header does not
    alike = sum(len(row) == n_columns or _ends_empty(row, n_columns) for row in records) / len(records)
    cells = [cell for row in records[1:] or records for cell in row]
    typed = sum(_is_typed(cell) for cell in cells) / max(1, len(cells))
    return Split(separator, quote, tuple(records), n_columns, alike, typed)


def _ends_empty(row: list[str], n_columns: int) -> bool:
    return len(row) == n_columns + 1 and not row[-1]


def _is_typed(cell: str) -> bool:
    return bool(NUMERAL.fullmatch(cell) or COMMA_NUMERAL.fullmatch(cell)) or is_date(cell)
