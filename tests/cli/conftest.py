"""What the tests of commands share: small tables, models that were trained once, and a way to run a command."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import mercer
from mercer.cli.app import run

ROWS = 120


class Said(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


@pytest.fixture
def command(capsys):
    """Runs a command in this process."""

    def call(*arguments):
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Said(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def program():
    """The words that start the program as a process, and the environment that finds it."""
    start = [sys.executable, "-c", "import sys; from mercer.cli import main; sys.exit(main())"]
    source = str(Path(mercer.__file__).parents[1])
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment = {**kept, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"}

    def call(*arguments, **asked):
        words = [*start, *map(str, arguments)]
        settings = {"capture_output": True, "text": True, "timeout": 120, "env": environment, **asked}
        return subprocess.run(words, check=False, **settings)

    call.start, call.environment = start, environment
    return call


def people(rows=ROWS, seed=0):
    """Lines of a table of people, a header first: numbers with gaps, words, yes and no, dates."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, rows)
    income = random.normal(3000, 800, rows).round(2)
    town = random.choice(["Ulm", "Bonn", "Kiel"], rows)
    member = random.choice(["yes", "no"], rows)
    since = np.datetime64("2020-01-01") + random.integers(0, 2000, rows)
    buys = np.where((np.abs(age - 50) < 15) ^ (random.random(rows) < 0.05), "often", "never")
    cells = zip(age, income, town, member, since, buys, strict=True)
    lines = [
        f"{age},{'' if number % 11 == 3 else income},{town},{member},{since},{buys}"
        for number, (age, income, town, member, since, buys) in enumerate(cells)
    ]
    return ["age,income,town,member,since,buys", *lines]


def written(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """A folder with people.csv, and new.csv without its target, the columns in another order."""
    folder = tmp_path_factory.mktemp("tables")
    lines = [line.split(",") for line in people()]
    written(folder / "people.csv", map(",".join, lines))
    written(folder / "new.csv", [",".join(line[place] for place in (2, 4, 0, 3, 1)) for line in lines])
    return folder


@pytest.fixture(scope="session")
def models(tables, tmp_path_factory):
    """A folder with models of people.csv: people of classes, sets with sets, income of numbers with intervals."""
    folder = tmp_path_factory.mktemp("models")
    begin = ["train", str(tables / "people.csv"), "-q", "-o", str(folder)]
    for name, target, *options in (("people", "buys"), ("sets", "buys", "--sets"), ("income", "income", "--sets")):
        assert run([*begin, "--target", target, "--name", name, *options]) == 0
    return folder


@pytest.fixture
def people_csv(tables):
    return tables / "people.csv"


@pytest.fixture
def new_csv(tables):
    return tables / "new.csv"
