"""The numbers of many small fits are those of the file, bit by bit, and users see the same names and messages."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

from tests.golden import numbers, surface


@pytest.mark.skipif(
    not Path("/proc/cpuinfo").exists() or numbers.read() is None,
    reason="no numbers were taken with this processor and these libraries",
)
def test_numbers_of_fits_are_the_same_bit_by_bit():
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden", "check"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def found():
    return json.loads(json.dumps(surface.take()))


@pytest.mark.parametrize("part", ["names", "attributes"])
def test_users_find_the_same_names_and_signatures(part, found):
    assert found[part] == surface.read()[part]


@pytest.mark.skipif(surface.read()["scikit-learn"] != sklearn.__version__, reason="some messages are scikit-learn's")
def test_users_read_the_same_messages(found):
    assert found["messages"] == surface.read()["messages"]
