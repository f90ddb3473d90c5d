"""Command line of the benchmarks: choose problems, libraries and terms, run the race, keep and report the figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import libraries, record
from benchmarks.problems import Problem, problems, select
from benchmarks.race import Terms, race
from benchmarks.report import render

HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        chosen = select(problems(options.data), options.problems, options.quick)
    except ValueError as error:
        parser.error(str(error))
    if options.list:
        _list(problems(options.data))
        return 0
    if not chosen and not options.render:
        parser.error("no problem is left")
    terms = Terms(
        *(options.threads, options.tol, options.cache_size),
        *(options.repeat, options.limit, options.budget),
    )
    if not options.render:
        _run(chosen, options.libraries, terms, options.record, options.output)
    elif not _report(terms, options.record, options.output):
        parser.error(f"{options.record} has no entries of this machine under these terms")
    print(options.output)
    return 0


def _run(chosen: list[Problem], asked: list[str], terms: Terms, kept: Path, output: Path) -> None:
    for number, problem in enumerate(chosen, start=1):
        _progress(f"[{number}/{len(chosen)}]")
        entries = race(problem, _racers(problem, asked), terms, _progress)
        # After every problem, so that a run that is broken off leaves what it has.
        record.write(kept, record.merged(record.read(kept), entries))
        _report(terms, kept, output)


def _racers(problem: Problem, asked: list[str]) -> list[str]:
    everybody = libraries.LIBRARIES
    wanted = asked or problem.libraries or everybody
    return [name for name in everybody if name in wanted]


def _report(terms: Terms, kept: Path, output: Path) -> bool:
    """Render the entries of this machine and terms; whether there are any."""
    conditions = terms.conditions
    entries = [entry for entry in record.read(kept) if entry.conditions == conditions]
    if entries:
        output.write_text(render(entries), encoding="utf-8")
    return bool(entries)


def _list(available: list[Problem]) -> None:
    for problem in available:
        parameters = ", ".join(f"{key}={value}" for key, value in problem.parameters.items())
        quick = ", quick" if problem.quick else ""
        print(f"{problem.name:28} {problem.task}  {problem.group}{quick}: {parameters}; {problem.scaling}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Mercer beside its peers.")
    add = parser.add_argument
    add("--data", type=Path, metavar="DIR", help="folder of NAME/NAME.npz; else shipped and synthetic sets")
    add("--problems", type=_names, default=[], metavar="A,B", help="names or groups (more, growth, extreme)")
    add("--libraries", type=_library_names, default=[], metavar="A,B", help=", ".join(libraries.names()))
    add("--repeat", type=_positive, default=Terms.repeat, help="repetitions (%(default)s)")
    add("--threads", type=_positive, default=Terms.threads, help="threads of every library (%(default)s)")
    add("--tol", type=float, default=Terms.tol, help="stopping tolerance (%(default)s)")
    add("--cache-size", type=float, default=Terms.cache_mb, metavar="MB", help="kernel cache (%(default)s)")
    add("--limit", type=float, default=Terms.limit, metavar="S", help="seconds a fit may take (%(default)s)")
    add(
        "--budget",
        type=float,
        default=Terms.budget,
        metavar="S",
        help="seconds of fits after which a library is not repeated (%(default)s)",
    )
    add("--quick", action="store_true", help="only the small problems")
    add("--list", action="store_true", help="list the problems and stop")
    add("--record", type=Path, default=HERE / "results.json", metavar="FILE", help="where the figures are kept")
    add("--output", type=Path, default=HERE / "RESULTS.md", metavar="FILE", help="the report of all that is kept")
    add("--render", action="store_true", help="only write the report")
    return parser


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _library_names(text: str) -> list[str]:
    names = _names(text)
    unknown = set(names) - set(libraries.names())
    if unknown:
        raise argparse.ArgumentTypeError(f"no such library: {', '.join(sorted(unknown))}")
    return names


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
