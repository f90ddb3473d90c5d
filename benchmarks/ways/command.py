"""Command line: choose sections, problems and terms, let ways take turns, keep and report the figures."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks import machine
from benchmarks.service import keep_to_cores
from benchmarks.ways import record
from benchmarks.ways.book import Book
from benchmarks.ways.race import Terms, tell
from benchmarks.ways.record import Conditions, Entry
from benchmarks.ways.report import render


def main(book: Book, arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks of a book; returns the exit code."""
    parser = _parser(book)
    options = parser.parse_args(arguments)
    conditions = Conditions(machine.describe(), options.threads)
    if options.render:
        if not _report(book, conditions, options.record, options.output):
            parser.error(f"{options.record} has no entries of this machine and number of threads")
    elif options.data is None:
        parser.error("--data: expected the folder of the data, got nothing")
    elif options.rows is not None and options.record.resolve() == book.record:
        parser.error("--rows makes figures that are not to be kept: name another --record and --output")
    else:
        terms = Terms(options.data.resolve(), options.rows, options.threads, options.repetitions, options.budget)
        keep_to_cores(options.threads)
        # BLAS and OpenMP, which peers use, count cores when they are loaded.
        with threadpool_limits(options.threads):
            _run(book, options, terms, conditions)
    print(options.output)
    return 0


def _run(book: Book, options: argparse.Namespace, terms: Terms, conditions: Conditions) -> None:
    origin, versions = machine.origin(), book.told_versions()
    for letter in sorted(set(options.only)):
        section = book.sections[letter]
        for name, measure in section.problems.items():
            if options.problems and name not in options.problems:
                continue
            tell(f"{letter}. {section.title}: {name}")
            measured = measure(terms)
            entry = Entry(letter, name, measured.size, conditions, origin, versions, tuple(measured.showings))
            # After every problem, so that a run that is broken off leaves what it has.
            record.write(options.record, record.merged(record.read(options.record), entry))
            _report(book, conditions, options.record, options.output)


def _report(book: Book, conditions: Conditions, kept: Path, output: Path) -> bool:
    """Render the entries of this machine and number of threads; whether there are any."""
    entries = [entry for entry in record.read(kept) if entry.conditions == conditions]
    if entries:
        output.write_text(render(book, entries), encoding="utf-8")
    return bool(entries)


def _parser(book: Book) -> argparse.ArgumentParser:
    titles = ", ".join(f"{letter}: {section.title}" for letter, section in book.sections.items())
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{book.name}", description=f"{book.title}.")
    add = parser.add_argument
    add("--data", type=Path, metavar="DIR", help="folder of NAME/NAME.npz")
    add(
        "--only",
        nargs="+",
        choices=list(book.sections),
        default=list(book.sections),
        metavar="A",
        help=f"sections. {titles}",
    )
    add("--problems", nargs="+", default=[], metavar="NAME", help="only these problems of the sections")
    add("--rows", type=int, help="at most so many rows and queries of each problem, to try things out")
    add("--threads", type=int, default=Terms.threads, help="threads of every way (%(default)s)")
    add("--repetitions", type=int, default=Terms.repetitions, help="of each way, with a cold one (%(default)s)")
    add("--budget", type=float, default=Terms.budget, metavar="S", help="seconds without repetition (%(default)s)")
    add("--record", type=Path, default=book.record, metavar="FILE", help="where the figures are kept")
    add("--output", type=Path, default=book.output, metavar="FILE", help="the report of all that is kept")
    add("--render", action="store_true", help="only write the report anew")
    return parser
