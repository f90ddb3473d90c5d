"""`mercer convert`: between model files, and between tables and LIBSVM data."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

import click

from mercer.cli.options import as_json, quiet, table_form
from mercer.cli.sources import is_libsvm_model, reading_of, target_of, unpacked_name
from mercer.cli.terminal import Talk, print_json
from mercer.errors import InputError

__all__ = ["command"]

# Rows of LIBSVM data that are made dense at a time.
_ROWS_AT_ONCE = 10_000


class _Form(Enum):
    """What a file holds."""

    MERCER = "a model of Mercer's"
    LIBSVM = "a LIBSVM model"
    ONNX = "an ONNX model"
    DATA = "LIBSVM data"
    TABLE = "a table"


# By the ending of a file that is written.
_ENDINGS = {
    ".mercer": _Form.MERCER,
    ".model": _Form.LIBSVM,
    ".onnx": _Form.ONNX,
    ".svm": _Form.DATA,
    ".libsvm": _Form.DATA,
    ".svmlight": _Form.DATA,
    ".csv": _Form.TABLE,
    ".tsv": _Form.TABLE,
    ".jsonl": _Form.TABLE,
    ".parquet": _Form.TABLE,
}
_WAYS = {
    _Form.MERCER: (_Form.LIBSVM, _Form.ONNX),
    _Form.LIBSVM: (_Form.MERCER, _Form.ONNX),
    _Form.DATA: (_Form.TABLE,),
    _Form.TABLE: (_Form.DATA,),
}


@click.command("convert")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("made", metavar="RESULT", type=click.Path(path_type=Path))
@click.option("--target", metavar="COLUMN", help="Of a table: the column that becomes the label.")
@table_form
@as_json
@quiet
def command(source: Path, made: Path, target: str | None, is_json: bool, **given: Any) -> None:
    """Make RESULT of SOURCE, by their endings.

    \b
      model.mercer ⇄ model.model    Mercer's and LIBSVM's models
      model.mercer → model.onnx     plain operators in double precision
      table.csv ⇄ data.svm          tables of numbers and LIBSVM data
    """
    talk = Talk(given["quiet"])
    before, after = _form_of(source), _ENDINGS.get(unpacked_name(made).suffix.lower())
    if after is None or after not in _WAYS.get(before, ()):
        possible = [ending for ending, form in _ENDINGS.items() if form in _WAYS.get(before, ())]
        told = f"to end in one of {', '.join(possible)}" if possible else "to be made of something else"
        raise click.UsageError(f"expected RESULT {told}, for SOURCE is {before.value}, got {made.name!r}.")
    if before is _Form.TABLE:
        _table_to_data(source, made, target, given, talk)
    elif before is _Form.DATA:
        _data_to_table(source, made)
    else:
        _write_model(_read_model(source, before), made, after)
    talk.say(f"{made}: {after.value}")
    if is_json:
        print_json({"source": str(source), "was": before.value, "result": str(made), "is": after.value})


def _form_of(path: Path) -> _Form:
    """By the ending; a model by what it is, whatever it is called, for LIBSVM's have no ending of their own."""
    form = _ENDINGS.get(unpacked_name(path).suffix.lower())
    if form in (_Form.TABLE, _Form.DATA, _Form.ONNX):
        return form
    if is_libsvm_model(path):
        return _Form.LIBSVM
    return _Form.TABLE if form is None else _Form.MERCER


def _read_model(path: Path, form: _Form) -> Any:
    from mercer.io import load, load_libsvm_model

    return load(path) if form is _Form.MERCER else load_libsvm_model(path).to_estimator()


def _refuse_table_model(model: Any) -> None:
    from mercer.tabular import TableModel

    if isinstance(model, TableModel):
        raise InputError(
            "expected a model of numbers for LIBSVM, got one that knows the columns of a table, which LIBSVM's models "
            "cannot hold. Make an ONNX model of it, or fit a mercer.SVC to encoded rows."
        )


def _write_model(model: Any, path: Path, form: _Form) -> None:
    if form is _Form.ONNX:
        from mercer.io import save_onnx  # type: ignore[attr-defined, unused-ignore]

        save_onnx(model, path)
    elif form is _Form.LIBSVM:
        from mercer.io import save_libsvm_model

        _refuse_table_model(model)
        save_libsvm_model(model, path)
    else:
        from mercer.io import save

        save(model, path)


def _table_to_data(source: Path, made: Path, target: str | None, given: dict[str, Any], talk: Talk) -> None:
    import numpy as np

    from mercer.io import dump_libsvm
    from mercer.tables import ColumnKind, read_table

    table = read_table(source, **reading_of(given))
    talk.tell_reading(table)
    label = table[target_of(table, target)]
    features = table.without([label.name])
    wrong = [one.name for one in features.columns if one.kind not in (ColumnKind.NUMBER, ColumnKind.BOOLEAN)]
    if wrong or label.kind is ColumnKind.DATE:
        raise InputError(
            f"{source}: expected columns of numbers, got {', '.join(wrong or [label.name])}. LIBSVM data hold numbers "
            "only; `mercer train` takes the table as it is."
        )
    for one in (label, *features.columns):
        if one.missing.any():
            raise InputError(
                f"{source}: expected a value in every cell, got {int(one.missing.sum()):,} of {one.name!r} that are "
                "missing. LIBSVM data would take them for zeros: fill them in first."
            )
    if label.words:
        talk.say("Labels by number: " + ", ".join(f"{code} {word}" for code, word in enumerate(label.words)))
    values = [one.values for one in features.columns]
    X = np.column_stack(values) if values else np.zeros((table.n_rows, 0))
    dump_libsvm(X, label.values.astype(np.float64), made)


def _data_to_table(source: Path, made: Path) -> None:
    import numpy as np

    from mercer.cli.writing import open_writer
    from mercer.io import load_libsvm

    data = load_libsvm(source)
    whole = bool(np.all(data.y == np.rint(data.y)))
    labels = data.y.astype(np.int64) if whole else data.y
    first = 0 if data.zero_based else 1
    with open_writer(made, unpacked_name(made).suffix.lower().removeprefix(".")) as write:
        for start in range(0, max(data.X.shape[0], 1), _ROWS_AT_ONCE):
            some = slice(start, start + _ROWS_AT_ONCE)
            dense = data.X[some].toarray()
            # As `mercer train` names them, so that its models take the table and the file alike.
            named = {f"feature{number + first}": dense[:, number] for number in range(dense.shape[1])}
            write({"target": labels[some], **named})
