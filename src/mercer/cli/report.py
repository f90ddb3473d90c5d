"""`mercer report`: a report written anew from its JSON twin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mercer.cli.options import as_json
from mercer.cli.terminal import print_json

if TYPE_CHECKING:
    from mercer.training.findings import Findings

__all__ = ["command"]


@click.command("report")
@click.argument("findings", type=click.Path(path_type=Path), metavar="REPORT.json")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="STEM", help="Files are STEM.html and so on.")
@click.option("--no-rows", is_flag=True, help="No values of the data, to give it to others.")
@as_json
def command(findings: Path, output: Path | None, no_rows: bool, is_json: bool) -> None:
    """Write a report anew, as HTML, JSON and Markdown, from the JSON that `mercer train` wrote."""
    from mercer.report import write_report

    stem = output or findings.with_suffix("").with_name(findings.stem + ("-without-rows" if no_rows else ""))
    files = write_report(_read(findings), stem, rows=not no_rows)
    if is_json:
        print_json({kind: str(path) for kind, path in files.items()})
    else:
        click.echo(files["html"])


def _read(path: Path) -> Findings:
    from mercer.errors import InputError
    from mercer.report.writing import FORMAT
    from mercer.training.plain import findings_from_plain

    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        version = plain.get("format", FORMAT) if isinstance(plain, dict) else FORMAT
        if isinstance(version, int) and version > FORMAT:
            raise InputError(
                f"report.format: expected at most {FORMAT}, got {version}: a newer Mercer wrote it. Upgrade it: pip "
                "install --upgrade mercer"
            )
        return findings_from_plain(plain)
    except InputError as error:
        raise InputError(f"{path}, {error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: expected the JSON of a report, got something else ({error}). It is the file that ends in "
            "-report.json beside the model."
        ) from error
