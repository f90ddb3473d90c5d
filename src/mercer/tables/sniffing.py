"""How a text file is laid out: separator, quotes, header and decimal sign, found in its first lines and told."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from mercer.errors import InputError, ParameterError
from mercer.tables.header import find_header, given_header, numbered
from mercer.tables.null_words import NullWords
from mercer.tables.numerals import COMMA_NUMERAL, NUMERAL
from mercer.tables.splitting import Sample, Split, best_split, sample_of
from mercer.tables.text_files import TextFile

__all__ = ["Layout", "sniff", "has_decimal_comma", "may_have_thousands"]

_NAMED = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar (|)", " ": "a blank"}
_WRITTEN = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "space": " "}
_MAYBE_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


@dataclass(frozen=True)
class Layout:
    """How the records of a text file are written.

    Attributes
    ----------
    separator, quote : str
    n_columns : int
    has_header : bool
    names : tuple of str
        The names of the columns, made where there is no header.
    decimal : str
        The decimal sign, "." or ",".
    decimal_given : bool
        Whether the user gave it.
    skipped : int
        Lines before the first record that belong to none.
    longest : int
        The length of the longest line of the sample, in bytes.
    told : tuple of str
        What was detected, in sentences.
    """

    separator: str
    quote: str
    n_columns: int
    has_header: bool
    names: tuple[str, ...]
    decimal: str
    decimal_given: bool = False
    skipped: int = 0
    longest: int = 0
    told: tuple[str, ...] = ()


def sniff(
    file: TextFile,
    *,
    separator: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    nulls: NullWords | None = None,
    expected: Collection[str] = (),
) -> Layout:
    """The layout of a file; what the user says of it is taken for granted, the rest is found and told.

    Parameters
    ----------
    file : TextFile
    separator, header, decimal : optional
        What the user says.
    nulls : NullWords, optional
        The words for missing values.
    expected : collection of str
        Names of columns that a model knows: a first line that has them is a header.
    """
    if decimal not in (None, ".", ","):
        raise ParameterError(f"decimal: expected '.' or ',', got {decimal!r}.")
    words = nulls or NullWords()
    sample = sample_of(file.path)
    split = best_split(sample, _separator(separator), file.source)
    first, rows = split.records[0], [row for row in split.records[1:] if len(row) >= split.n_columns]
    _check_first(first, split, sample, file.source)
    first = first[: split.n_columns]
    if header is None and expected:
        header = _has_names(first, expected)
    found = find_header(first, rows, words) if header is None else given_header(first, header)
    # Predictions of no rows are none; there is nothing to learn from them.
    if found.is_there and len(split.records) == 1 and not expected:
        raise InputError(
            f"{file.source}: expected rows after the names of the columns, got none. Check that the file is whole, or "
            "say that its first line is a row (--no-header)."
        )
    sign = decimal or _decimal(rows if found.is_there else [first, *rows], split.n_columns, words)
    return Layout(
        separator=split.separator,
        quote=split.quote,
        n_columns=split.n_columns,
        has_header=found.is_there,
        names=found.names,
        decimal=sign,
        decimal_given=decimal is not None,
        skipped=sample.skipped,
        longest=max(len(line.encode()) for line in sample.lines),
        told=(*file.told, *_told(sample, split, sign), *found.told),
    )


def _has_names(first: Sequence[str], expected: Collection[str]) -> bool | None:
    """Whether the first line has the expected names; None where it has others, so that the other lines must tell."""
    if set(expected) <= set(first):
        return True
    return False if set(expected) <= set(numbered(len(first))) else None


def _separator(given: str | None) -> str | None:
    sign = _WRITTEN.get(given.lower(), given) if given is not None else None
    if sign is not None and (len(sign) != 1 or sign in '\r\n"' or not sign.isascii()):
        raise ParameterError(f"separator: expected one character, as ',' or ';' or 'tab', got {given!r}.")
    return sign


def _check_first(first: Sequence[str], split: Split, sample: Sample, source: str) -> None:
    """Refuses a first line that has another number of values than the others."""
    if len(first) == split.n_columns or (len(first) == split.n_columns + 1 and not first[-1]):
        return
    raise InputError(
        f"{source}, line {1 + sample.skipped}: expected {split.n_columns} values as in the other lines, got "
        f"{len(first)}: {split.separator.join(first)[:120]!r}. Give each column a name, mend the line, or name the "
        "separator (--separator)."
    )


def _told(sample: Sample, split: Split, decimal: str) -> Iterable[str]:
    if sample.named_separator is not None:
        yield "The first line names the separator and is no row."
    if split.n_columns > 1:
        yield f"The separator is {_NAMED.get(split.separator, repr(split.separator))}."
    plain = [line.rstrip("\n") for line in sample.lines if split.quote not in line]
    if len(plain) < len(sample.lines):
        yield f"Quotes ({split.quote}) around values are taken off."
    around = (split.separator + " ", " " + split.separator)
    if split.separator != " " and any(line != line.strip(" ") or any(s in line for s in around) for line in plain):
        yield "Blanks around values are stripped."
    if decimal == ",":
        yield "Numbers have a decimal comma."


def _decimal(rows: Sequence[Sequence[str]], n_columns: int, nulls: NullWords) -> str:
    """A comma where some column has numbers with one and none has numbers with a point."""
    columns = [[row[place] for row in rows if not nulls.holds_among_numbers(row[place])] for place in range(n_columns)]
    if any(words and _all(NUMERAL, words) and any("." in word for word in words) for words in columns):
        return "."
    return "," if any(has_decimal_comma(words) for words in columns) else "."


def has_decimal_comma(words: Sequence[str]) -> bool:
    """Whether all words are numbers with a decimal comma, some of which cannot be one that parts thousands."""
    with_comma = [word for word in words if "," in word]
    return bool(with_comma) and _all(COMMA_NUMERAL, words) and not _all(_MAYBE_THOUSANDS, with_comma)


def may_have_thousands(words: Sequence[str]) -> bool:
    """Whether all words are numbers, and each comma in them may part thousands."""
    with_comma = [word for word in words if "," in word]
    return bool(with_comma) and _all(COMMA_NUMERAL, words) and _all(_MAYBE_THOUSANDS, with_comma)


def _all(pattern: re.Pattern[str], words: Iterable[str]) -> bool:
    return all(pattern.fullmatch(word) for word in words)
