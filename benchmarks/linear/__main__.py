"""Command line: choose problems, libraries and terms, run the race, keep and report the figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.linear import record
from benchmarks.linear.heat import Terms
from benchmarks.linear.libraries import LIBRARIES
from benchmarks.linear.problems import Problem, problems, select
from benchmarks.linear.race import race
from benchmarks.linear.report import render

HERE = Path(__file__).resolve().parents[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    available = problems(options.data)
    terms = Terms(options.threads, options.limit)
    if options.render:
        if not _report(terms, options.record, options.output):
            parser.error(f"{options.record} has no entries of this machine under these terms")
        print(options.output)
        return 0
    if not available:
        parser.error("no problem is left: --data names the folder of the data")
    try:
        chosen = select(available, options.problems)
    except ValueError as error:
        parser.error(str(error))
    if options.list:
        for problem in chosen:
            print(f"{problem.name:42} {problem.task.estimator:13} {problem.source.scaling}")
        return 0
    _run(chosen, options.libraries, terms, options.record, options.output)
    print(options.output)
    return 0


def _run(chosen: list[Problem], libraries: list[str], terms: Terms, kept: Path, output: Path) -> None:
    for _, group in groupby(chosen, key=lambda problem: problem.source):
        for entry in race(list(group), libraries, terms, _tell):
            # After every problem, so that a run that is broken off leaves what it has.
            record.write(kept, record.merged(record.read(kept), entry))
            _report(terms, kept, output)


def _report(terms: Terms, kept: Path, output: Path) -> bool:
    """Render the entries of this machine and terms; whether there are any."""
    entries = [entry for entry in record.read(kept) if entry.conditions == terms.conditions]
    if entries:
        output.write_text(render(entries), encoding="utf-8")
    return bool(entries)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.linear", description="Linear machines beside peers.")
    add = parser.add_argument
    everybody = list(LIBRARIES)
    add("--data", type=Path, metavar="DIR", help="folder of NAME/NAME.npz")
    add("--problems", type=_names, default=[], metavar="A,B", help="names, or how they begin: a9a, covtype-hinge, svc")
    add("--libraries", type=_libraries, default=everybody, metavar="A,B", help=", ".join(everybody))
    add("--threads", type=int, default=Terms.threads, help="threads of every library (%(default)s)")
    add("--limit", type=float, default=Terms.limit, metavar="S", help="seconds a fit may take (%(default)s)")
    add("--list", action="store_true", help="list the problems and stop")
    add("--record", type=Path, default=HERE / "linear.json", metavar="FILE", help="where the figures are kept")
    add("--output", type=Path, default=HERE / "LINEAR.md", metavar="FILE", help="the report of all that is kept")
    add("--render", action="store_true", help="only write the report")
    return parser


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _libraries(text: str) -> list[str]:
    names = _names(text)
    unknown = set(names) - set(LIBRARIES)
    if unknown:
        raise argparse.ArgumentTypeError(f"no such library: {', '.join(sorted(unknown))}")
    return [name for name in LIBRARIES if name in names]


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
