"""Command line: choose sections, problems and terms, let ways take turns, keep and report the figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks import machine
from benchmarks.remember import record
from benchmarks.remember.peers import told_versions
from benchmarks.remember.race import Terms, tell
from benchmarks.remember.record import Conditions, Entry
from benchmarks.remember.report import render
from benchmarks.remember.sections import SECTIONS
from benchmarks.service import keep_to_cores

HERE = Path(__file__).resolve().parents[1]
_RECORD, _OUTPUT = HERE / "memory.json", HERE / "MEMORY.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    conditions = Conditions(machine.describe(), options.threads)
    if options.render:
        if not _report(conditions, options.record, options.output):
            parser.error(f"{options.record} has no entries of this machine and number of threads")
    elif options.data is None:
        parser.error("--data: expected the folder of the data, got nothing")
    elif options.rows is not None and options.record.resolve() == _RECORD:
        parser.error("--rows makes figures that are not to be kept: name another --record and --output")
    else:
        terms = Terms(options.data.resolve(), options.rows, options.threads, options.repetitions, options.budget)
        keep_to_cores(options.threads)
        # BLAS and OpenMP, which peers use, count cores when they are loaded.
        with threadpool_limits(options.threads):
            _run(options, terms, conditions)
    print(options.output)
    return 0


def _run(options: argparse.Namespace, terms: Terms, conditions: Conditions) -> None:
    origin, versions = machine.origin(), told_versions()
    for letter in sorted(set(options.only)):
        section = SECTIONS[letter]
        for name, measure in section.problems.items():
            if options.problems and name not in options.problems:
                continue
            tell(f"{letter}. {section.title}: {name}")
            measured = measure(terms)
            entry = Entry(letter, name, measured.size, conditions, origin, versions, tuple(measured.showings))
            # After every problem, so that a run that is broken off leaves what it has.
            record.write(options.record, record.merged(record.read(options.record), entry))
            _report(conditions, options.record, options.output)


def _report(conditions: Conditions, kept: Path, output: Path) -> bool:
    """Render the entries of this machine and number of threads; whether there are any."""
    entries = [entry for entry in record.read(kept) if entry.conditions == conditions]
    if entries:
        output.write_text(render(entries), encoding="utf-8")
    return bool(entries)


def _parser() -> argparse.ArgumentParser:
    titles = ", ".join(f"{letter}: {section.title}" for letter, section in SECTIONS.items())
    parser = argparse.ArgumentParser(prog="python -m benchmarks.remember", description="Machines that remember.")
    add = parser.add_argument
    add("--data", type=Path, metavar="DIR", help="folder of NAME/NAME.npz")
    add("--only", nargs="+", choices=list(SECTIONS), default=list(SECTIONS), metavar="A", help=f"sections. {titles}")
    add("--problems", nargs="+", default=[], metavar="NAME", help="only these problems of the sections")
    add("--rows", type=int, help="at most so many rows and queries of each problem, to try things out")
    add("--threads", type=int, default=Terms.threads, help="threads of every way (%(default)s)")
    add("--repetitions", type=int, default=Terms.repetitions, help="of each way, with a cold one (%(default)s)")
    add("--budget", type=float, default=Terms.budget, metavar="S", help="seconds without repetition (%(default)s)")
    add("--record", type=Path, default=_RECORD, metavar="FILE", help="where the figures are kept")
    add("--output", type=Path, default=_OUTPUT, metavar="FILE", help="the report of all that is kept")
    add("--render", action="store_true", help="only write the report anew")
    return parser


if __name__ == "__main__":
    sys.exit(main())
