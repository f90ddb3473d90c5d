"""Predictions of a table that is read piece by piece, beside predictions from memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from benchmarks.files.program import run_program
from benchmarks.ways.bars import at_most, figure_at_most
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer.io import load
from mercer.tables import read_table

STREAMED, MEMORY, PEAK = "mercer predict", OURS, "peak MB"
_ROWS, _FEW = 5_000_000, 250_000

TOLD = f"""\
A machine of some hundred support vectors on two features and a category, {_ROWS:,} rows. *{STREAMED}*: from a \
CSV file to a CSV file, a process of its own. *{MEMORY}*: the same predictions of a table that is in memory, of \
some of the rows. *{PEAK}*: the most memory that the process takes."""


def _table(path: Path, rows: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    x, z, word = random.normal(size=rows), random.normal(size=rows), random.integers(4, size=rows)
    target = np.where(x * z + 0.3 * word + 0.3 * random.normal(size=rows) > 0.4, "yes", "no")
    words = np.array(["red", "green", "blue", "grey"])[word]
    with open(path, "w") as file:
        file.write("x,z,colour,answer\n")
        for first in range(0, rows, 100_000):
            some = slice(first, first + 100_000)
            cells = zip(x[some].tolist(), z[some].tolist(), words[some].tolist(), target[some].tolist(), strict=True)
            file.writelines([f"{a:.6f},{b:.6f},{c},{d}\n" for a, b, c, d in cells])


def _measured(terms: Terms) -> Measured:
    folder, rows = Path(mkdtemp()), terms.at_most(_ROWS)
    _table(folder / "training.csv", 2_000, 0)
    _table(folder / "many.csv", rows, 1)
    few = min(_FEW, rows)
    _table(folder / "few.csv", few, 1)
    run_program(["train", str(folder / "training.csv"), "--target", "answer", "--output", str(folder), "--quiet"])
    model = folder / "training.mercer"
    loaded, table = load(model), read_table(folder / "few.csv")
    arguments = ["predict", str(model), str(folder / "many.csv"), "-o", str(folder / "said.csv")]

    def judge(way: Way, said: Any, _: Any) -> dict[str, float | str]:
        if way.name != STREAMED:
            return {}
        return {PEAK: _peak(arguments)}

    ways = [
        Way(MEMORY, ask=lambda _: loaded.predict(table, threads=terms.threads), share=few / rows),
        Way(STREAMED, ask=lambda _: run_program(arguments)),
    ]
    return Measured(f"{rows:,} × 3", race(ways, terms, judge))


def _peak(arguments: list[str]) -> float:
    """Of a process that runs the command, in MB: its own, not that of the process it was forked from."""
    script = (
        "import sys; from mercer.cli.app import run; run(sys.argv[1:]); "
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return float(done.stdout.splitlines()[-1]) / 1024


STREAMS = Section(
    "Streams",
    TOLD,
    {"5 million rows": _measured},
    (at_most("5 million rows", 2, STREAMED, MEMORY), figure_at_most("5 million rows", 600, STREAMED, PEAK)),
)
