"""What a person sees: talk on standard error, a bar where it is a terminal, tables that fit eighty columns."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from mercer.tables import Table

__all__ = ["Talk", "paragraph", "print_json"]

_WIDTH = 80
# The column in which what is said of a thing begins.
_INDENT = 12


class Talk:
    """Sentences and progress on standard error; nothing where quiet is asked for."""

    def __init__(self, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._bar: Any = None
        self._task: Any = None

    def say(self, words: str) -> None:
        """A line."""
        if self._is_quiet:
            return
        if self._bar is not None:
            self._bar.console.print(words, markup=False, highlight=False, soft_wrap=True)
        else:
            click.echo(words, err=True)

    def tell_reading(self, table: Table) -> None:
        """How a table was understood."""
        for sentence in table.reading.told:
            self.say(f"{table.reading.source}: {sentence}")

    def progress(self, stage: str, done: float, words: str = "") -> None:
        """How far a stage is, from 0 to 1. On a terminal it moves the bar."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, description=words or stage)

    @contextmanager
    def bar(self) -> Iterator[None]:
        """A bar with the time left, on a terminal only."""
        if self._is_quiet or not sys.stderr.isatty():
            yield
            return
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description:34.34}", markup=False),
            BarColumn(20),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=_console(), transient=True) as bar:
            self._bar, self._task = bar, bar.add_task("starting", total=1.0)
            try:
                yield
            finally:
                self._bar = None


def _console() -> Console:
    from rich.console import Console

    return Console(stderr=True)


def print_json(plain: Any) -> None:
    """One JSON value on standard output; numbers that JSON does not know become null."""
    click.echo(json.dumps(_finite(plain), ensure_ascii=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def paragraph(title: str, words: str) -> str:
    """A title in a column of its own, and wrapped words beside it."""
    lines = [
        line
        for part in words.split("\n")
        for line in textwrap.wrap(part, _WIDTH - _INDENT, break_on_hyphens=False) or [""]
    ]
    head = click.style(f"{title:{_INDENT}}", bold=True)
    return head + ("\n" + " " * _INDENT).join(lines)
