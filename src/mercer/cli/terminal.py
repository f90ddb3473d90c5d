"""What a person sees: talk on standard error, a bar where it is a terminal, paragraphs that fit eighty columns."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click

from mercer.cli.progress import Course, time_told

if TYPE_CHECKING:
    from rich.progress import Progress, Task
    from rich.text import Text

    from mercer.tables import Table

__all__ = ["Talk", "paragraph", "print_json", "wrapped"]

_WIDTH = 80
# The column in which what is said of a thing begins.
_INDENT = 12
# What the bar, the share and the time beside the words of a stage take, with blanks between them.
_BESIDE_WORDS = 40
_FEWEST_WORDS = 12


class Talk:
    """Sentences and progress on standard error; nothing where quiet is asked for."""

    def __init__(self, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._bar: Progress | None = None
        self._course: Course | None = None
        # For the words of a stage, in characters.
        self._room = _WIDTH - _BESIDE_WORDS

    def say(self, words: str) -> None:
        """A sentence or more."""
        if self._is_quiet:
            return
        if self._bar is not None:
            self._bar.console.print(wrapped(words, sys.stderr), markup=False, highlight=False, soft_wrap=True)
        else:
            click.echo(wrapped(words, sys.stderr), err=True)

    def tell_reading(self, table: Table) -> None:
        """How a table was understood."""
        if table.reading.told:
            self.say(f"{table.reading.source}: {' '.join(table.reading.told)}")

    def progress(self, stage: str, done: float, words: str = "") -> None:
        """How far a stage is, from 0 to 1. On a terminal it moves the bar."""
        if self._bar is None or self._course is None:
            return
        told = textwrap.shorten(f"{stage}: {words}" if words else stage, self._room, placeholder=" …")
        self._bar.update(self._bar.task_ids[0], completed=self._course.reach(stage, done), description=told)

    @contextmanager
    def bar(self, shares: Mapping[str, float], limit: float | None = None) -> Iterator[None]:
        """A bar of a run of these stages, with the time left; on a terminal only."""
        if self._is_quiet or not sys.stderr.isatty():
            yield
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
        from rich.text import Text

        course = Course(shares, limit)

        class Left(ProgressColumn):
            def render(self, task: Task) -> Text:
                return Text(_left(course))

        self._room = max(_FEWEST_WORDS, _width(sys.stderr) - _BESIDE_WORDS)
        columns = (
            TextColumn(f"{{task.description:{self._room}}}", markup=False),
            BarColumn(16),
            TextColumn("{task.percentage:>3.0f} %"),
            Left(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            bar.add_task("start", total=1.0)
            self._bar, self._course = bar, course
            try:
                yield
            finally:
                self._bar = self._course = None


def _left(course: Course) -> str:
    left = course.seconds_left
    return time_told(course.seconds) if left is None else f"{time_told(left)} left"


def _width(stream: TextIO) -> int:
    """Of the lines that people see: those of a terminal, unless it is a wide one."""
    return min(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns) if stream.isatty() else _WIDTH


def wrapped(words: str, stream: TextIO) -> str:
    """Sentences in lines that a terminal shows whole; files and pipes get them in one, for programs that search it."""
    if not stream.isatty():
        return words
    return "\n".join(
        textwrap.fill(line, _width(stream), break_on_hyphens=False, break_long_words=False)
        for line in words.split("\n")
    )


def print_json(plain: Any) -> None:
    """One JSON value on standard output; numbers that JSON does not know become null."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(_strict(plain), ensure_ascii=not is_unicode, allow_nan=False))


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {_strict(str(key)): _strict(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(one) for one in value]
    if isinstance(value, str):
        # Names of files may have bytes that are no UTF-8.
        return value.encode("utf-8", "replace").decode("utf-8")
    return None if isinstance(value, float) and not math.isfinite(value) else value


def paragraph(title: str, words: str, *, indent: int = _INDENT, is_wrapped: bool = True) -> str:
    """A title in a column of its own, and wrapped words beside it; what people copy stays in one line."""
    lines = words.split("\n")
    if is_wrapped:
        form = textwrap.TextWrapper(_width(sys.stdout) - indent, break_on_hyphens=False, break_long_words=False)
        lines = [line for part in lines for line in form.wrap(part) or [""]]
    head = f"{title:{indent}}"
    if not os.environ.get("NO_COLOR"):
        head = click.style(head, bold=True)
    return head + ("\n" + " " * indent).join(lines)
