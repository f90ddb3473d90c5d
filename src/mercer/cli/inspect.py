"""`mercer inspect`: what a model file holds, without loading it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from mercer.cli.options import as_json
from mercer.cli.sources import is_libsvm_model
from mercer.cli.terminal import paragraph, print_json

__all__ = ["command"]

# The least width of the titles: that of a table's model, whatever file it is.
_INDENT = 12


@click.command("inspect")
@click.argument("model", type=click.Path(path_type=Path))
@as_json
def command(model: Path, is_json: bool) -> None:
    """What MODEL is: its kind, parameters, columns, score and certificate. LIBSVM's models are read as well."""
    found = _of_libsvm(model) if is_libsvm_model(model) else _of_mercer(model)
    if is_json:
        print_json(found)
        return
    lines = list(_of_table_model(found) if found.get("kind") == "table model" else _of_any(found))
    indent = max(_INDENT, *(len(title) + 1 for title, _ in lines))
    for title, words in lines:
        click.echo(paragraph(title, words, indent=indent))


def _of_mercer(path: Path) -> dict[str, Any]:
    from mercer.io import describe

    return describe(path)


def _of_libsvm(path: Path) -> dict[str, Any]:
    from mercer.io import load_libsvm_model

    model = load_libsvm_model(path)
    machine = model.machine
    return {
        "kind": "LIBSVM model",
        "problem": model.problem.value,
        "kernel": str(machine.kernel),
        "labels": list(model.labels),
        "support vectors": len(machine.support),
        "features": machine.n_features,
        "has probabilities": model.prob_a is not None or model.marks is not None,
    }


def _of_table_model(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    model = found["model"]
    record, columns = model["record"], model["encoding"]["columns"]
    yield "Model", f"{model['task']} of {model['target']}, Mercer {found['mercer']}, format {found['format']}"
    if model["classes"]:
        yield "Classes", ", ".join(model["classes"])
    if record.get("created"):
        yield (
            "Made",
            f"{record['created']} from {record.get('source', 'a table')}, {record.get('rows', 0):,} training rows",
        )
    if record.get("params"):
        params = ", ".join(f"{name} = {value:.4g}" for name, value in record["params"].items())
        vectors = found["arrays"].get("machine.support_vectors")
        count = f", {vectors['shape'][0]:,} support vectors" if vectors else ""
        yield "Machine", f"{record.get('estimator', '')}, {params}{count}"
    if record.get("score"):
        score = record["score"]
        error = "" if score.get("error") is None else f" ± {score['error']:.3f}"
        seen = score.get("seen", 0)
        which = f", {seen:,} of which were training rows too" if seen else " it had not seen"
        yield "Score", f"{score['name']} {score['value']:.3f}{error} on {score['rows']:,} rows{which}"
    if record.get("certificate"):
        proof = record["certificate"]
        holds = "holds" if proof.get("holds") else "does not hold"
        yield "Certificate", f"{holds}: relative gap {proof['relative_gap']:.2g}, violation {proof['violation']:.2g}"
    used = [f"{one['name']} ({one['code']})" for one in columns if one["code"] != "left out"]
    yield "Columns", ", ".join(used)
    left_out = [one["name"] for one in columns if one["code"] == "left out"]
    if left_out:
        yield "Left out", ", ".join(left_out)
    has = [name for name in ("calibration", "conformal") if model.get(name)]
    yield (
        "Predicts",
        ", ".join(
            ["labels and decision values" if model["classes"] else "values"]
            + (["probabilities"] if "calibration" in has else [])
            + (["sets or intervals"] if "conformal" in has else [])
        ),
    )
    yield "Size", f"{found['bytes']:,} bytes"


def _of_any(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in found.items():
        told = _arrays(value) if name == "arrays" else _told(value)
        yield name[:1].upper() + name[1:], told


def _arrays(arrays: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {' × '.join(map(str, one['shape']))} {one['dtype']}" for name, one in arrays.items())


def _told(value: Any) -> str:
    if isinstance(value, dict):
        is_flat = not any(isinstance(one, (dict, list, tuple)) for one in value.values())
        between, sign = (", ", " = ") if is_flat else ("\n", ": ")
        return between.join(f"{key}{sign}{_told(one)}" for key, one in value.items()) or "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_told, value)) or "none"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
