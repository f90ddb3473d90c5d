"""`mercer predict`: what a model says of the rows of a table, however many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mercer.cli.options import quiet, table_form, threads
from mercer.cli.sources import reading_of
from mercer.cli.terminal import Talk

if TYPE_CHECKING:
    from mercer.tabular import Predictions, TableModel

__all__ = ["command"]

FORMATS = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}


@click.command("predict")
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Standard output if not said.")
@click.option(
    "--format", "form", type=click.Choice(sorted(set(FORMATS.values()))), help="By the ending of FILE; CSV otherwise."
)
@click.option("--decision", is_flag=True, help="The values of the machine's functions as well.")
@click.option("--probabilities", is_flag=True, help="The probability of each class as well.")
@click.option(
    "--sets",
    "level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="LEVEL",
    help="Sets of classes, or intervals, that hold the truth as often; of models that were trained with --sets.",
)
@click.option("--keep", multiple=True, metavar="COLUMN", help="A column of TABLE to repeat; can be repeated.")
@threads
@table_form
@quiet
def command(model: Path, table: str, output: Path | None, form: str | None, **given: Any) -> None:
    """Predict the target for every row of TABLE (- for standard input) by MODEL.

    TABLE is read piece by piece: it may be larger than memory. Columns are found by their names, whatever their order;
    others are ignored.
    """
    from mercer.cli.writing import open_writer
    from mercer.io import load
    from mercer.tables import read_batches

    talk, loaded = Talk(given["quiet"]), _table_model(model, load(model, mapped=True))
    unseen: Counter[str] = Counter()
    rows = 0

    def columns() -> Iterator[dict[str, Any]]:
        nonlocal rows
        for batch in read_batches(table, loaded.encoding.schema, keep=given["keep"], **reading_of(given)):
            said = loaded.predict(
                batch,
                threads=given["threads"],
                confidence_level=given["level"],
                labels_only=not (given["decision"] or given["probabilities"]),
            )
            unseen.update(said.unseen)
            rows += batch.n_rows
            kept = {name: batch[name].texts() for name in given["keep"]}
            yield kept | _columns(loaded, said, given["decision"], given["probabilities"])

    kind = form or FORMATS.get(output.suffix if output else "", "csv")
    with open_writer(output, kind) as write:
        for one in columns():
            write(one)
    for name, count in sorted(unseen.items()):
        talk.say(f"{name}: {count:,} of {rows:,} rows have a value that training never saw.")
    if output is not None:
        talk.say(f"{rows:,} predictions of {loaded.target} in {output}")


def _table_model(path: Path, found: Any) -> TableModel:
    from mercer.errors import InputError
    from mercer.tabular import TableModel

    if isinstance(found, TableModel):
        return found
    raise InputError(
        f"{path}: expected a model that knows the columns of a table, as `mercer train` writes it, got "
        f"{type(found).__name__}. Load it with mercer.load in Python, and give its predict an array."
    )


def _columns(model: TableModel, said: Predictions, decision: bool, probabilities: bool) -> dict[str, Any]:
    """What is said of some rows, by the names of the columns that are written."""
    from mercer.errors import InputError

    target, classes = model.target, model.classes
    columns: dict[str, Any] = {target: said.labels if classes else said.values}
    if said.sets is not None:
        columns[f"{target} set"] = [
            "|".join(label for label, is_in in zip(classes, row, strict=True) if is_in) for row in said.sets.tolist()
        ]
    if said.intervals is not None:
        columns[f"{target} low"], columns[f"{target} high"] = said.intervals[:, 0], said.intervals[:, 1]
    if decision and said.decision is not None:
        functions = said.decision.shape[1]
        names = ["decision"] if functions == 1 else [f"decision {number + 1}" for number in range(functions)]
        columns |= {name: said.decision[:, number] for number, name in enumerate(names)}
    if probabilities:
        if said.probabilities is None:
            raise InputError("--probabilities: expected a model of classes that was calibrated, got one without.")
        columns |= {f"probability {label}": said.probabilities[:, number] for number, label in enumerate(classes)}
    return columns
