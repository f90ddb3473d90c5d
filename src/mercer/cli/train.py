"""`mercer train`: from a table to a tuned, certified model and a report."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import click

from mercer.cli.ending import Ending
from mercer.cli.folders import output_folder
from mercer.cli.options import as_json, limits, quiet, seed, table_form
from mercer.cli.progress import TRAINING
from mercer.cli.sources import dropped_of, file_stem, reading_of, target_of, time_left
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
    if test is not None and test_share is not None:
        raise click.UsageError("expected --test or --test-share, got both: a file has rows of its own to evaluate on.")
    name = file_stem(table) if given["name"] is None else given["name"]
    if not name or Path(name).name != name:
        raise click.UsageError(f"--name: expected the name of a file, got {name!r}. Folders are for --output.")
    with output_folder(given["output"]) as folder:
        trained = _train(table, target, test, 0.25 if test_share is None else test_share, given)
        findings = trained.findings
        if given["no_rows"]:
            from mercer.report.without_values import without_values

            findings = without_values(findings)
        files = _write(trained.model, findings, folder, name)
    if given["is_json"]:
        print_json({**findings.plain(), "files": {kind: str(path) for kind, path in files.items()}})
    else:
        from mercer.cli.summary import summary_of

        click.echo(summary_of(findings, files))
    return Ending.FINE if findings.machine.holds else Ending.UNPROVEN


def _train(table: str, target: str | None, test: str | None, share: float, given: dict[str, Any]) -> Any:
    from mercer.tables import read_table

    began = perf_counter()
    talk, form = Talk(given["quiet"]), {**reading_of(given), "threads": given["threads"]}
    with talk.bar(TRAINING, given["time_limit"]):
        talk.progress("read", 0.0, table)
        found = read_table(table, **form)
        talk.tell_reading(found)
        wanted = target_of(found, target)
        dropped = dropped_of(given["drop"], wanted)
        held_out: Any = share
        if test is not None:
            talk.progress("read", 0.5, test)
            held_out = read_table(test, **{**form, "day_first": dict(found.reading.date_orders) or None})
            talk.tell_reading(held_out)
        seconds = perf_counter() - began
        talk.progress("read", 1.0, table)
        # These take the longest to import, and a table that cannot be read should not wait for them.
        from mercer.training import TrainingOptions, train

        options = TrainingOptions(
            task=given["task"],
            seed=given["seed"],
            time_limit=time_left(given["time_limit"], seconds),
            memory=given["memory"],
            threads=given["threads"],
            ignore=dropped,
            drop_leaks=given["drop_leaks"],
            class_weight="balanced" if given["balanced"] else None,
            sets=given["sets"],
        )
        return train(found, wanted, test=held_out, options=options, progress=talk.progress)


def _write(model: Any, findings: Any, folder: Path, name: str) -> dict[str, Path]:
    from mercer.io import save
    from mercer.report import write_report

    return {"model": save(model, folder / f"{name}.mercer"), **write_report(findings, folder / f"{name}-report")}
