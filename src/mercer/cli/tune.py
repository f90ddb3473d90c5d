"""`mercer tune`: the search for parameters alone."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from mercer.cli.options import as_json, limits, quiet, seed, table_form
from mercer.cli.progress import TUNING
from mercer.cli.sources import dropped_of, reading_of, target_of, time_left
from mercer.cli.terminal import Talk, paragraph, print_json

if TYPE_CHECKING:
    from mercer.training.findings import ChoiceFound

__all__ = ["command"]

# Columns of the grid that fit a screen of eighty characters.
_MOST_COLUMNS = 9


@click.command("tune")
@click.argument("table")
@click.option("--target", metavar="COLUMN", help="The column to predict.")
@click.option("--task", type=click.Choice(["classification", "regression"]), help="Where what is found out is wrong.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="A column to leave out; can be repeated.")
@click.option("--balanced", is_flag=True, help="Let all classes weigh the same.")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True, help="Parts that are held out in turn.")
@seed
@limits
@table_form
@as_json
@quiet
def command(table: str, target: str | None, **given: Any) -> None:
    """Look for C and gamma of a machine on all rows of TABLE, and show the grid with what is proven of the choice."""
    from mercer.tables import read_table

    began = perf_counter()
    talk = Talk(given["quiet"])
    with talk.bar(TUNING, given["time_limit"]):
        talk.progress("read", 0.0, table)
        found = read_table(table, **reading_of(given), threads=given["threads"])
        talk.tell_reading(found)
        wanted = target_of(found, target)
        seconds = perf_counter() - began
        from mercer.training import TrainingOptions
        from mercer.training.tuning import tune

        options = TrainingOptions(
            task=given["task"],
            seed=given["seed"],
            time_limit=time_left(given["time_limit"], seconds),
            memory=given["memory"],
            threads=given["threads"],
            ignore=dropped_of(given["drop"], wanted),
            class_weight="balanced" if given["balanced"] else None,
            folds=given["folds"],
        )
        choice = tune(found, wanted, options=options, progress=talk.progress)
    if given["is_json"]:
        from dataclasses import asdict

        print_json(asdict(choice))
        return
    click.echo(_grid(choice))
    params = ", ".join(f"{name} = {value:.4g}" for name, value in choice.params.items())
    click.echo(paragraph("Choice", f"{params}: {choice.score_name} {choice.score:.3f} ± {choice.spread:.3f}"))
    click.echo(paragraph("Certificate", choice.certificate))


def _grid(choice: ChoiceFound) -> str:
    """The scores, a line a C and a column a gamma, the choice in brackets; those around it where they are many."""
    row, column = choice.chosen
    first = min(max(0, column - _MOST_COLUMNS // 2), max(0, len(choice.gamma) - _MOST_COLUMNS))
    shown = range(first, min(first + _MOST_COLUMNS, len(choice.gamma)))
    lines = [f"{'C  gamma':>8}" + "".join(f"{choice.gamma[j]:>7.2g} " for j in shown)]
    for i, C in enumerate(choice.C):
        cells = [_cell(choice.scores[i][j], (i, j) == (row, column)) for j in shown]
        lines.append(f"{C:>8.4g}" + "".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def _cell(score: float | None, is_chosen: bool) -> str:
    text = "–" if score is None else f"{score:.3f}"
    return f"{f'[{text}]':>8}" if is_chosen else f"{text:>7} "
