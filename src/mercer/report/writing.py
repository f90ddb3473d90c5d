"""Findings to files: a page, its text, and its numbers, each complete or not there."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mercer.report.limits import Limits
from mercer.report.markdown import markdown
from mercer.report.page import page
from mercer.report.sections import sections_of
from mercer.report.strict_json import strict_json
from mercer.report.without_values import without_values

if TYPE_CHECKING:
    from mercer.training.findings import Findings

__all__ = ["FORMAT", "MOST_BYTES", "write_report"]

#: The version of what report.json holds; it grows where a reader of the old one would fail.
FORMAT = 1
#: The most that a page takes, whatever the data: browsers open it at once, and mail lets it through.
MOST_BYTES = 2_000_000

_ENDINGS = ("html", "json", "md")


def write_report(findings: Findings, stem: str | Path, *, rows: bool = True) -> dict[str, Path]:
    """Writes a report as one HTML page, as JSON, and as Markdown.

    Parameters
    ----------
    findings : Findings
        What a training run found.
    stem : path
        The path of the report without its ending, or a folder, in which it is called "report".
    rows : bool
        Whether values of the data may be in it: those of the rows it shows, and those that summaries of columns quote.
        The names of columns and classes always are.

    Returns
    -------
    dict
        The paths by ending: "html", "json" and "md".

    Raises
    ------
    OSError
        Where a file cannot be written; it names the path, and what stood there before is untouched.
    """
    if not rows:
        findings = without_values(findings)
    stem = Path(stem)
    stem = stem / "report" if stem.is_dir() else stem
    paths = {ending: stem.with_name(f"{stem.name}.{ending}") for ending in _ENDINGS}
    texts = {
        "html": _page(findings),
        "json": strict_json({"format": FORMAT, **findings.plain()}) + "\n",
        "md": markdown(f"Mercer report: predicting {findings.target}", sections_of(findings, Limits()), Limits()),
    }
    _write({paths[ending]: texts[ending] for ending in _ENDINGS})
    return paths


def _page(findings: Findings) -> str:
    """The page, with as much in it as fits."""
    limits = Limits()
    subtitle = f"{findings.task.capitalize()} · {findings.data.source} · {findings.created}"
    while True:
        text = page(f"Predicting {findings.target}", subtitle, sections_of(findings, limits), limits)
        if len(text.encode()) <= MOST_BYTES or limits == limits.reduced():
            return text
        limits = limits.reduced()


def _write(texts: dict[Path, str]) -> None:
    """Writes all files beside their places first, and then moves them there."""
    beside = {path: path.with_name(f".{path.name}.{secrets.token_hex(6)}.part") for path in texts}
    path = next(iter(texts))
    try:
        for path, text in texts.items():
            with beside[path].open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        for path in texts:
            os.replace(beside[path], path)
    except OSError as error:
        # Errors of writing name no file, and those of opening the one beside.
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        for left in beside.values():
            with suppress(OSError):
                left.unlink(missing_ok=True)
