"""Command line of the benchmarks: choose problems, libraries and terms, run the race, print the report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import libraries, machine
from benchmarks.problems import Problem, problems, select
from benchmarks.race import Outcome, Terms, race, versions
from benchmarks.report import Race, render


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
    if not chosen:
        parser.error("no problem is left")
    terms = Terms(options.threads, options.tol, options.cache_size, options.repeat, options.limit, options.reference)
    report = _run(chosen, options.libraries, terms, options.output)
    print(report, end="")
    return 0


def _run(chosen: list[Problem], asked: list[str], terms: Terms, output: Path | None) -> str:
    found: dict[str, str] = {}
    missing: dict[str, str] = {}
    for task in dict.fromkeys(problem.task for problem in chosen):
        wanted = [name for name in libraries.LIBRARIES[task] if not asked or name in asked]
        here, absent = versions(task, wanted, terms.threads)
        found |= here
        missing |= absent
    for name, reason in missing.items():
        _progress(f"skipped: {name} ({reason})")
    outcomes: list[Outcome] = []
    result = Race(machine.describe(), terms, found, missing, outcomes)
    for number, problem in enumerate(chosen, start=1):
        _progress(f"[{number}/{len(chosen)}]")
        racers = [name for name in libraries.LIBRARIES[problem.task] if name in found]
        outcomes.append(race(problem, racers, terms, _progress))
        if output is not None:
            # After every problem, so that a run that is broken off leaves what it has.
            output.write_text(render(result), encoding="utf-8")
    return render(result)


def _list(available: list[Problem]) -> None:
    for problem in available:
        parameters = ", ".join(f"{key}={value}" for key, value in problem.parameters.items())
        quick = ", quick" if problem.quick else ""
        print(f"{problem.name:28} {problem.task}  {problem.group}{quick}: {parameters}; {problem.scaling}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Mercer beside its peers.")
    add = parser.add_argument
    add("--data", type=Path, metavar="DIR", help="folder of NAME/NAME.npz; else shipped and synthetic sets")
    add("--problems", type=_names, default=[], metavar="A,B", help="names or groups (extreme)")
    add("--libraries", type=_library_names, default=[], metavar="A,B", help=", ".join(libraries.names()))
    add("--repeat", type=_positive, default=Terms.repeat, help="repetitions (%(default)s)")
    add("--threads", type=_positive, default=Terms.threads, help="threads of every library (%(default)s)")
    add("--tol", type=float, default=Terms.tol, help="stopping tolerance (%(default)s)")
    add("--cache-size", type=float, default=Terms.cache_mb, metavar="MB", help="kernel cache (%(default)s)")
    add("--limit", type=float, default=Terms.limit, metavar="S", help="seconds a fit may take (%(default)s)")
    add("--reference", default=Terms.reference, metavar="LIBRARY", help="ratios are to it (%(default)s)")
    add("--quick", action="store_true", help="only the small problems")
    add("--list", action="store_true", help="list the problems and stop")
    add("--output", type=Path, metavar="FILE", help="write the report there too")
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
