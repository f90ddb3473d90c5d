"""Options that several commands share, each with one meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["as_json", "limits", "quiet", "seed", "table_form", "threads"]

Decorator = Callable[[Any], Any]

as_json = click.option("--json", "is_json", is_flag=True, help="Print the result as JSON on standard output.")
quiet = click.option("-q", "--quiet", is_flag=True, help="No talk on standard error but errors.")
seed = click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Of all chance.")
threads = click.option("--threads", type=click.IntRange(1), help="At most so many; all that are available if not said.")


def limits(command: Any) -> Any:
    """Threads, memory and time."""
    for option in (
        threads,
        click.option(
            "--memory",
            type=click.FloatRange(1),
            default=1000,
            show_default=True,
            metavar="MB",
            help="Beside the data, at most.",
        ),
        click.option(
            "--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Of the whole run."
        ),
    ):
        command = option(command)
    return command


def table_form(command: Any) -> Any:
    """How a text table is written, for those who know better than what is detected."""
    for option in (
        click.option(
            "--null",
            "nulls",
            multiple=True,
            metavar="WORD",
            help="A further word or number for missing values; can be repeated.",
        ),
        click.option("--decimal", type=click.Choice([".", ","]), help="The decimal mark."),
        click.option("--header/--no-header", default=None, help="Whether the first line has the names of the columns."),
        click.option("--separator", metavar="CHAR", help="What stands between columns; 'tab' for a tab."),
    ):
        command = option(command)
    return command
