"""Separator and quote: how a line is parted with them, as DuckDB does it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

__all__ = ["Signs"]


@dataclass(frozen=True)
class Signs:
    """Separator and quote, and how a line is read with them."""

    separator: str
    quote: str

    @cached_property
    def _opens(self) -> re.Pattern[str]:
        return re.compile(("" if self.separator == " " else " *") + re.escape(self.quote))

    @cached_property
    def _closes(self) -> re.Pattern[str]:
        quote = re.escape(self.quote)
        return re.compile(rf"(?:[^{quote}]+|{quote}{quote})*+{quote}" + ("" if self.separator == " " else " *"))

    def scan(self, line: str, is_open: bool) -> tuple[int, bool, bool]:
        """A line's separators outside quotes, whether a quote is open at its end, whether the others end values."""
        if self.quote not in line:
            return (0, True, True) if is_open else (line.count(self.separator), False, True)
        place = count = 0
        while True:
            if not is_open:
                opened = self._opens.match(line, place)
                if opened is None:
                    end = line.find(self.separator, place)
                    if end < 0:
                        return count, False, True
                    count, place = count + 1, end + 1
                    continue
                place = opened.end()
            closed = self._closes.match(line, place)
            if closed is None:
                return count, True, True
            place, is_open = closed.end(), False
            if place == len(line):
                return count, False, True
            if line[place] != self.separator:
                return count, False, False
            count, place = count + 1, place + 1

    def fields(self, record: str) -> list[str]:
        """The values of a whole record, without the quotes around them."""
        found: list[str] = []
        place = 0
        while True:
            opened = self._opens.match(record, place)
            closed = None if opened is None else self._closes.match(record, opened.end())
            if opened is not None and closed is not None:
                body = closed[0].rstrip(" ")[:-1]
                found.append(body.replace(self.quote * 2, self.quote))
                place = closed.end()
                end = record.find(self.separator, place)
            else:
                end = record.find(self.separator, place)
                found.append(record[place:] if end < 0 else record[place:end])
            if end < 0:
                return found
            place = end + 1

    def records(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """The values of each record of some lines, empty lines left out; one that is never closed has what it has."""
        before: list[str] = []
        is_open = False
        for line in lines:
            _, is_open, _ = self.scan(line.rstrip("\r\n"), is_open)
            before.append(line)
            if not is_open:
                record, before = "".join(before).rstrip("\r\n"), []
                if record:
                    yield self.fields(record)
        if before:
            yield self.fields("".join(before).rstrip("\r\n"))
