"""`mercer train`: from a table to a tuned, certified model and a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mercer.cli.ending import Ending
from mercer.cli.options import as_json, limits, quiet, seed, table_form
from mercer.cli.sources import file_stem, reading_of, target_of
from mercer.cli.terminal import Talk, print_json

__all__ = ["command"]


@click.command("train")
@click.argument("table")
@click.option("--target", metavar="COLUMN", help="The column to predict.")
@click.option("--test", metavar="FILE", help="Rows to evaluate on; a quarter of the table is held out if not said.")
@click.option("--test-share", type=click.FloatRange(0.01, 0.9), help="What is held out; 0.25 if not said.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path(), metavar="FOLDER", help="Of all files.")
@click.option("--name", help="Of the files; that of the table if not said.")
@click.option("--task", type=click.Choice(["classification", "regression"]), help="Where what is found out is wrong.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="A column to leave out; can be repeated.")
@click.option("--drop-leaks", is_flag=True, help="Leave out columns that alone nearly reach the score.")
@click.option("--balanced", is_flag=True, help="Let all classes weigh the same.")
@click.option("--sets", is_flag=True, help="Keep rows apart for sets or intervals with a guarantee: predict --sets.")
@click.option("--no-rows", is_flag=True, help="No values of the data in the report.")
@seed
@limits
@table_form
@as_json
@quiet
def command(table: str, target: str | None, test: str | None, test_share: float | None, **given: Any) -> int:
    """Tune, fit, certify and evaluate a machine on TABLE; write a model and a report.

    TABLE is a file (CSV, TSV, Parquet, Feather, LIBSVM; .gz and .zst as well), - for standard input, or the name of a
    table that is built in: census, iris, wine, breast_cancer, diabetes, digits.
    """
    from mercer.cli.summary import summary_of
    from mercer.io import save
    from mercer.report import write_report
    from mercer.tables import read_table
    from mercer.training import TrainingOptions, train

    if test is not None and test_share is not None:
        raise click.UsageError("expected --test or --test-share, got both: a file has rows of its own to evaluate on.")
    talk, form = Talk(given["quiet"]), reading_of(given)
    found = read_table(table, **form)
    talk.tell_reading(found)
    wanted = target_of(found, target)
    held_out: Any = 0.25 if test_share is None else test_share
    if test is not None:
        held_out = read_table(test, **form)
        talk.tell_reading(held_out)
    options = TrainingOptions(
        task=given["task"],
        seed=given["seed"],
        time_limit=given["time_limit"],
        memory=given["memory"],
        threads=given["threads"],
        ignore=given["drop"],
        drop_leaks=given["drop_leaks"],
        class_weight="balanced" if given["balanced"] else None,
        sets=given["sets"],
    )
    with talk.bar():
        trained = train(found, wanted, test=held_out, options=options, progress=talk.progress)

    folder, name = given["output"], given["name"] or file_stem(table)
    folder.mkdir(parents=True, exist_ok=True)
    files = {"model": save(trained.model, folder / f"{name}.mercer")}
    files |= write_report(trained.findings, folder / f"{name}-report", rows=not given["no_rows"])
    if given["is_json"]:
        print_json({**trained.findings.plain(), "files": {kind: str(path) for kind, path in files.items()}})
    else:
        click.echo(summary_of(trained.findings, files))
    return Ending.FINE if trained.findings.machine.holds else Ending.UNPROVEN
