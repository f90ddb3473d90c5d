"""Tables: read and encoded, and from a file to a report."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from benchmarks.files.program import run_program
from benchmarks.ways.bars import within_seconds
from benchmarks.ways.book import installed
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer.tables import Encoding, read_table

SKRUB = "pandas and skrub"

TOLD = """\
*read and encode*: the training file of adult, 32,561 rows of 14 mixed columns, into a matrix of numbers; skrub: its \
`TableVectorizer` after pandas' reader. *titanic*: `mercer train` from the file to the report, a process of its own."""

READ, TITANIC = "read and encode", "titanic"


def _read(terms: Terms) -> Measured:
    path = terms.data / "adult-raw" / "adult-train.csv"

    def ours() -> Any:
        table = read_table(path)
        features = table.without(table.names[-1:])
        return Encoding.learn(features)(features).X

    def theirs() -> Any:
        import pandas as pd
        from skrub import TableVectorizer

        frame = pd.read_csv(path, header=None, skipinitialspace=True, na_values="?")
        return TableVectorizer().fit_transform(frame.iloc[:, :-1])

    ways = [Way(OURS, ours)]
    if installed("skrub") is not None:
        ways.append(Way(SKRUB, theirs))

    def judge(way: Way, X: Any, _: Any) -> dict[str, float | str]:
        return {"features": float(X.shape[1])}

    return Measured("32,561 × 14", race(ways, terms, judge))


def _titanic(terms: Terms) -> Measured:
    path, folder = terms.data / "titanic" / "titanic.csv", Path(mkdtemp())
    arguments = ["train", str(path), "--target", "survived", "--output", str(folder), "--quiet"]

    def judge(way: Way, *_: Any) -> dict[str, float | str]:
        report = folder / "titanic-report.html"
        return {"report, kB": report.stat().st_size / 1000}

    return Measured("891 rows", race([Way(OURS, lambda: run_program(arguments))], terms, judge))


TABLES = Section(
    "Tables",
    TOLD,
    {READ: _read, TITANIC: _titanic},
    (within_seconds(READ, 0.6, OURS), within_seconds(TITANIC, 5, OURS)),
)
