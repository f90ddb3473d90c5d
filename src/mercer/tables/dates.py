"""How dates are written: year first, or day and month first in an order that the values themselves must tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

__all__ = ["DateOrder", "date_order", "read_date", "is_date", "names_zone"]

_TIME = (
    r"(?:(?:T| +)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?: ?(?P<half>[AaPp])[Mm])?(?: ?(?P<zone>Z|UTC|[+-]\d{2}(?::?\d{2})?))?)?"
)
_YEAR_FIRST = re.compile(r"(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})" + _TIME, re.ASCII)
_YEAR_LAST = re.compile(r"(?P<first>\d{1,2})([-/.])(?P<other>\d{1,2})\2(?P<year>\d{4})" + _TIME, re.ASCII)


@dataclass(frozen=True)
class DateOrder:
    """What the words of a column tell about the order of day and month.

    Attributes
    ----------
    day_first : bool or None
        The order; None where every word has its year first.
    ambiguous : bool
        Whether no word tells the order, so that day first is assumed.
    """

    day_first: bool | None
    ambiguous: bool = False


def is_date(word: str) -> bool:
    """Whether the word looks like a date, in whatever order."""
    return (_YEAR_FIRST.fullmatch(word) or _YEAR_LAST.fullmatch(word)) is not None


def names_zone(word: str) -> bool:
    """Whether a date names its time zone."""
    found = _YEAR_FIRST.fullmatch(word) or _YEAR_LAST.fullmatch(word)
    return found is not None and found["zone"] is not None


def date_order(words: Sequence[str], given: bool | None) -> DateOrder | None:
    """The order of day and month in words that all look like dates; None where they do not, or contradict it."""
    first_days = other_days = year_last = False
    for word in words:
        if _YEAR_FIRST.fullmatch(word):
            continue
        found = _YEAR_LAST.fullmatch(word)
        if found is None:
            return None
        year_last = True
        first_days |= int(found["first"]) > 12
        other_days |= int(found["other"]) > 12
    if not year_last:
        return DateOrder(None)
    if given is not None:
        return DateOrder(given)
    if first_days and other_days:
        return None
    return DateOrder(not other_days, ambiguous=not first_days and not other_days)


def read_date(word: str, day_first: bool | None) -> datetime | None:
    """The time that a word writes, in UTC where it names a zone; None where it writes none that exists."""
    found = _YEAR_FIRST.fullmatch(word)
    if found is not None:
        month, day = int(found["month"]), int(found["day"])
    else:
        found = _YEAR_LAST.fullmatch(word)
        if found is None:
            return None
        first, other = int(found["first"]), int(found["other"])
        month, day = (first, other) if day_first is False else (other, first)
    try:
        return _moment(found, month, day)
    except (ValueError, OverflowError):
        return None


def _moment(found: re.Match[str], month: int, day: int) -> datetime:
    year = int(found["year"])
    if found["hour"] is None:
        return datetime(year, month, day)
    hour = int(found["hour"])
    if found["half"] is not None:
        if not 1 <= hour <= 12:
            raise ValueError("an hour of a clock with twelve")
        hour = hour % 12 + (12 if found["half"] in "Pp" else 0)
    microseconds = int((found["part"] or "0").ljust(6, "0")[:6])
    moment = datetime(year, month, day, hour, int(found["minute"]), int(found["second"] or 0), microseconds)
    zone = found["zone"]
    if zone is None or zone in ("Z", "UTC"):
        return moment
    ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:].lstrip(":") or 0))
    aware = moment.replace(tzinfo=timezone(-ahead if zone[0] == "-" else ahead))
    return aware.astimezone(UTC).replace(tzinfo=None)
