"""The list of commands, and how one is found by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from mercer.cli.ending import closing_output, ended

__all__ = ["COMMANDS", "run"]

#: Commands and what they are for. The command `name` is the object `command` of the file `name`.
COMMANDS = {
    "train": "From a table to a tuned, certified model and a report.",
    "predict": "Labels or numbers for the rows of a table, by a model.",
    "certify": "Prove how far from the optimum a model is at most.",
    "inspect": "What a model file holds.",
    "tune": "Look for the parameters only, and show the grid.",
    "report": "Write a report anew from its JSON.",
    "convert": "Between model files, and between tables and LIBSVM data.",
    "info": "Versions, processor, threads.",
    "svm-train": "LIBSVM's svm-train, with its options and files.",
    "svm-predict": "LIBSVM's svm-predict.",
    "svm-scale": "LIBSVM's svm-scale.",
}

_EPILOG = """\b
Exit codes:
  0    fine, and every certificate holds
  1    a certificate does not hold
  2    the command line is wrong, or asks for a package that is not installed
  3    the data or the model cannot be used
  4    a file cannot be read or written
  70   a bug in Mercer
  130  interrupted
\b
Shell completion, for zsh and fish as well (zsh_source, fish_source):
  eval "$(_MERCER_COMPLETE=bash_source mercer)"
"""


class _Commands(click.Group):
    """Commands whose files are imported when they are asked for."""

    def make_context(self, *given: Any, **named: Any) -> click.Context:
        with closing_output():
            return super().make_context(*given, **named)

    def invoke(self, ctx: click.Context) -> Any:
        with closing_output():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        file = import_module(f"mercer.cli.{name.replace('-', '_')}")
        return _as_it_is(name, file.main) if name.startswith("svm-") else file.command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            meant = f" Did you mean {near[0]!r}?" if near else f" There are {', '.join(COMMANDS)}."
            raise click.UsageError(f"no such command: {args[0]!r}.{meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _as_it_is(name: str, body: Callable[[list[str]], int]) -> click.Command:
    """A command that reads its own arguments, as LIBSVM's programs do: their -h is no help."""
    form = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}

    @click.command(name, context_settings=form, add_help_option=False)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: tuple[str, ...]) -> int:
        return body(list(arguments))

    return command


@click.group(cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mercer", message="mercer %(version)s")
def mercer() -> None:
    """Fast, certified kernel machines: from a table to predictions, with a proof.

    \b
      mercer train people.csv --target income     tune, fit, certify, report
      mercer predict people.mercer new.csv        predictions on standard output
    """


def run(arguments: Sequence[str]) -> int:
    """The program with these arguments; returns its exit code."""
    return ended(lambda: mercer.main(list(arguments), prog_name="mercer", standalone_mode=False))
