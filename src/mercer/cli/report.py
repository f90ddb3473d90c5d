"""`mercer report`: a report written anew from its JSON twin."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mercer.cli.options import as_json
from mercer.cli.terminal import print_json

__all__ = ["command"]


@click.command("report")
@click.argument("findings", type=click.Path(path_type=Path), metavar="REPORT.json")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="STEM", help="Files are STEM.html and so on.")
@click.option("--no-rows", is_flag=True, help="No values of the data, to give it to others.")
@as_json
def command(findings: Path, output: Path | None, no_rows: bool, is_json: bool) -> None:
    """Write a report anew, as HTML, JSON and Markdown, from the JSON that `mercer train` wrote."""
    from mercer.errors import InputError
    from mercer.report import write_report
    from mercer.training.plain import findings_from_plain

    try:
        plain = json.loads(findings.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(
            f"{findings}: expected the JSON of a report, got something else ({error}). It is the file that ends in "
            "-report.json beside the model."
        ) from error
    stem = output or findings.with_suffix("").with_name(findings.stem + ("-without-rows" if no_rows else ""))
    files = write_report(findings_from_plain(plain), stem, rows=not no_rows)
    if is_json:
        print_json({kind: str(path) for kind, path in files.items()})
    else:
        click.echo(files["html"])
