"""`mercer inspect`: what a model file holds, without loading it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mercer.cli.options import as_json
from mercer.cli.terminal import paragraph, print_json

__all__ = ["command"]


@click.command("inspect")
@click.argument("model", type=click.Path(path_type=Path))
@as_json
def command(model: Path, is_json: bool) -> None:
    """What MODEL is: its kind, parameters, columns, score and certificate. LIBSVM's models are read as well."""
    from mercer.io import describe

    found = describe(model)
    if is_json:
        print_json(found)
        return
    for name, value in found.items():
        click.echo(paragraph(name, _told(value)))


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_told(one)}" for key, one in value.items()) or "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_told, value)) or "none"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "none" if value is None else str(value)
