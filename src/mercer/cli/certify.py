"""`mercer certify`: the proof of a model, computed anew from the data that it was trained on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mercer.cli.ending import Ending
from mercer.cli.options import as_json, quiet, table_form
from mercer.cli.sources import check_is_model, is_libsvm_model, reading_of, target_of
from mercer.cli.terminal import Talk, paragraph, print_json
from mercer.errors import InputError

if TYPE_CHECKING:
    from mercer.tables import Table

__all__ = ["command"]

_TOLERANCE = 1e-3


@click.command("certify")
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table")
@click.option("-c", "--C", "C", type=float, help="Of a LIBSVM model, which does not say: what svm-train was given.")
@click.option("-n", "--nu", type=float, help="Likewise.")
@click.option("-p", "--epsilon", type=float, help="Likewise.")
@click.option("--target", metavar="COLUMN", help="Of a machine that mercer.save kept: its target in TABLE.")
@click.option(
    "--tol",
    type=click.FloatRange(0, min_open=True),
    help="What the violation may be; that of the training, 0.001 of LIBSVM's models.",
)
@table_form
@as_json
@quiet
def command(model: Path, table: str, tol: float | None, is_json: bool, **given: Any) -> int:
    """Prove how far from the optimum MODEL can be, from TABLE, the data it was trained on.

    Nothing of the training is trusted: the objectives are computed anew in float64. LIBSVM's models are proven from
    LIBSVM data. Ends with 0 only where the certificate holds.
    """
    check_is_model(model)
    if is_libsvm_model(model):
        proof, known = _of_libsvm(model, table, given), _TOLERANCE
    else:
        proof, known = _of_mercer(model, table, given)
    holds = proof.holds(known if tol is None else tol)
    if is_json:
        from mercer.training.fitting import numbers_of

        print_json({**numbers_of(proof), "holds": holds, "tol": known if tol is None else tol, "words": str(proof)})
    else:
        click.echo(paragraph("Certificate", str(proof)))
        click.echo(paragraph("Holds", f"{'yes' if holds else 'no'}, to {known if tol is None else tol:.2g}"))
    return Ending.FINE if holds else Ending.UNPROVEN


def _of_libsvm(path: Path, source: str, given: dict[str, Any]) -> Any:
    from mercer.io import load_libsvm, load_libsvm_model

    model, data = load_libsvm_model(path), load_libsvm(source)
    parameters = {name: given[name] for name in ("C", "nu", "epsilon") if given[name] is not None}
    return model.certify(data.X, data.y, **parameters)


def _of_mercer(path: Path, source: str, given: dict[str, Any]) -> tuple[Any, float]:
    from mercer.io import load
    from mercer.tables import read_table
    from mercer.tabular import TableModel
    from mercer.training.certifying import certify_table_model

    model = load(path)
    record = model.record if isinstance(model, TableModel) else None
    table = read_table(source, **reading_of(given, record))
    Talk(given["quiet"]).tell_reading(table)
    if not isinstance(model, TableModel):
        return _of_estimator(model, table, given["target"])
    proof = certify_table_model(model, table)
    return proof.certificate, proof.tol


def _of_estimator(model: Any, table: Table, target: str | None) -> tuple[Any, float]:
    """Of a machine that `mercer.save` kept, from a table of numbers in the order of its features."""
    import numpy as np

    from mercer.estimators import certify
    from mercer.tables import ColumnKind

    label = table[target_of(table, target)]
    features = table.without([label.name]).columns
    wrong = [one.name for one in features if one.kind is not ColumnKind.NUMBER]
    if wrong:
        raise InputError(f"{table.reading.source}: expected columns of numbers, got {', '.join(wrong)}.")
    y = label.texts().astype(str) if label.kind is ColumnKind.TEXT else label.values
    classes = getattr(model, "classes_", None)
    if classes is not None and label.kind is ColumnKind.NUMBER:
        y = y.astype(classes.dtype)
    return certify(model, np.column_stack([one.values for one in features]), y), float(
        getattr(model, "tol", _TOLERANCE)
    )
