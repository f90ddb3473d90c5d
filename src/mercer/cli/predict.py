"""`mercer predict`: what a model says of the rows of a table, however many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mercer.cli.options import as_json, quiet, table_form, threads
from mercer.cli.sources import check_is_model, is_libsvm_model, reading_of, unpacked_name
from mercer.cli.terminal import Talk, print_json
from mercer.errors import InputError

if TYPE_CHECKING:
    from mercer.tables import Table
    from mercer.tabular import Predictions, TableModel

__all__ = ["command"]

# Rows that are read and predicted at a time, and what they may take when encoded: 64 MB.
_FEWEST_ROWS, _MOST_ROWS, _MOST_VALUES = 1_000, 65_536, 8_000_000

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
}


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
@as_json
@quiet
def command(model: Path, table: str, output: Path | None, form: str | None, is_json: bool, **given: Any) -> None:
    """Predict the target for every row of TABLE (- for standard input) by MODEL.

    TABLE is read piece by piece: it may be larger than memory. Columns are found by their names, whatever their order;
    others are ignored. With --json the predictions are one JSON value; where they go to a FILE, it tells of them.
    """
    from mercer.cli.writing import open_writer

    talk, loaded = Talk(given["quiet"]), _table_model(model)
    _check_wishes(loaded, given)
    unseen: Counter[str] = Counter()
    rows = 0
    kind = form or _form_of(output) or ("json" if is_json else "csv")
    _check_places(table, output)
    with open_writer(output, kind) as write:
        for batch in _batches(table, loaded, given):
            said = loaded.predict(
                batch,
                threads=given["threads"],
                confidence_level=given["level"],
                labels_only=not (given["decision"] or given["probabilities"]),
            )
            unseen.update(said.unseen)
            rows += batch.n_rows
            write(_with_kept(batch, given["keep"], _columns(loaded, said, given)))
    for name, count in sorted(unseen.items()):
        talk.say(
            f"{name}: {count:,} of {rows:,} rows {'has' if count == 1 else 'have'} a value that training never saw."
        )
    if output is not None:
        talk.say(f"{rows:,} predictions of {loaded.target} in {output}")
        if is_json:
            print_json({"target": loaded.target, "rows": rows, "unseen": dict(unseen), "file": str(output)})


def _form_of(output: Path | None) -> str | None:
    """By the ending of a file, before that of what packs it."""
    if output is None or not unpacked_name(output).suffix:
        return None
    ending = unpacked_name(output).suffix.lower()
    if ending not in FORMATS:
        raise click.UsageError(
            f"--output: expected a file that ends in one of {', '.join(FORMATS)}, got {output.name!r}. Say --format to "
            "write it all the same."
        )
    return FORMATS[ending]


def _check_places(table: str, output: Path | None) -> None:
    """What is read is not written over."""
    if output is not None and output.exists() and Path(table).exists() and output.samefile(table):
        raise click.UsageError(f"--output: expected another file than TABLE, got {output}, which would be lost.")


def _table_model(path: Path) -> TableModel:
    from mercer.io import load
    from mercer.tabular import TableModel

    check_is_model(path)
    if is_libsvm_model(path):
        raise InputError(
            f"{path}: expected a model that knows the columns of a table, as `mercer train` writes it, got one of "
            "LIBSVM's. `mercer svm-predict` predicts from it and LIBSVM data."
        )
    found = load(path, mapped=True)
    if isinstance(found, TableModel):
        return found
    raise InputError(
        f"{path}: expected a model that knows the columns of a table, as `mercer train` writes it, got "
        f"{type(found).__name__}. Load it with mercer.load in Python, and give its predict an array."
    )


def _check_wishes(model: TableModel, given: dict[str, Any]) -> None:
    """Refuses what a model cannot tell, before anything is read or written."""
    if given["probabilities"] and model.calibration is None:
        reason = "of numbers" if not model.classes else "without a calibration"
        raise InputError(f"--probabilities: expected a model of classes that was calibrated, got one {reason}.")
    if given["level"] is not None and model.conformal is None:
        raise InputError(
            "--sets: expected a model that has kept rows apart for sets or intervals, got one without. Train it with "
            "`mercer train --sets`."
        )


def _batches(source: str, model: TableModel, given: dict[str, Any]) -> Iterator[Table]:
    """The rows in batches, one at least: predictions of no rows have the names of their columns as well."""
    from mercer.tables import read_batches

    encoding = model.encoding
    rows = min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_VALUES // max(1, encoding.n_features)))
    form = reading_of(given, model.record)
    batches = read_batches(source, encoding.schema, rows=rows, keep=given["keep"], threads=given["threads"], **form)
    # The file as a whole is looked at here, where Ctrl-C is heard.
    batch = next(batches, None)
    if batch is None:
        yield _no_rows(source, model, given["keep"])
    with ThreadPoolExecutor(1) as reader:
        while batch is not None:
            # The next one is read while this one is predicted: neither keeps all processors busy by itself.
            following = reader.submit(next, batches, None)
            yield batch
            batch = following.result()


def _no_rows(source: str, model: TableModel, keep: tuple[str, ...]) -> Table:
    import numpy as np

    from mercer.tables import Column, ColumnKind, Reading, Table

    types = {ColumnKind.TEXT: "int32", ColumnKind.DATE: "datetime64[us]"}
    kinds = {**dict(model.encoding.schema)}
    kinds |= {name: ColumnKind.TEXT for name in keep if name not in kinds}
    columns = (Column(name, kind, np.zeros(0, dtype=types.get(kind, "float64"))) for name, kind in kinds.items())
    return Table(tuple(columns), Reading(source, "no rows", ()))


def _with_kept(batch: Table, keep: tuple[str, ...], said: dict[str, Any]) -> dict[str, Any]:
    """Columns of the table before what is said of them, which gives way where both have the same name."""
    kept = {name: batch[name].texts() for name in keep}
    return kept | {f"predicted {name}" if name in kept else name: values for name, values in said.items()}


def _columns(model: TableModel, said: Predictions, given: dict[str, Any]) -> dict[str, Any]:
    """What is said of some rows, by the names of the columns that are written."""
    target, classes = model.target, model.classes
    columns: dict[str, Any] = {target: said.labels if classes else said.values}
    if said.sets is not None:
        columns[f"{target} set"] = _sets(classes, said.sets)
    if said.intervals is not None:
        columns[f"{target} low"], columns[f"{target} high"] = said.intervals[:, 0], said.intervals[:, 1]
    if given["decision"] and said.decision is not None:
        functions = said.decision.shape[1]
        names = ["decision"] if functions == 1 else [f"decision {number + 1}" for number in range(functions)]
        columns |= {name: said.decision[:, number] for number, name in enumerate(names)}
    if said.probabilities is not None and given["probabilities"]:
        columns |= {f"probability {label}": said.probabilities[:, number] for number, label in enumerate(classes)}
    return columns


def _sets(classes: tuple[str, ...], sets: Any) -> list[tuple[str, ...]]:
    """The labels of each row; different sets are few, and each is put together once."""
    import numpy as np

    distinct, which = np.unique(sets, axis=0, return_inverse=True)
    labels = [tuple(label for label, is_in in zip(classes, one, strict=True) if is_in) for one in distinct.tolist()]
    return [labels[number] for number in which.reshape(-1).tolist()]
