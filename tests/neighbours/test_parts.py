"""Searches within a budget of memory: the same neighbours, and a plan that says where the budget does not suffice."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import RBF
from mercer.neighbours import MaskedIndex, Memory
from mercer.neighbours.masked import donors_in_parts
from mercer.neighbours.parts import RowParts

RANDOM = np.random.default_rng(0)
# Several parts of the least size, and a last one that is not full; equal rows lie in different parts.
ROWS = np.round(RANDOM.normal(size=(3500, 6)), 1)
ROWS[3000:3020] = ROWS[:20]
WIDE = RANDOM.normal(size=(2600, 40)) * np.linspace(3, 0.1, 40)
HOLES = np.where(RANDOM.uniform(size=ROWS.shape) < 0.3, np.nan, ROWS)
SPARSE = sp.random(2500, 60, 0.1, format="csr", random_state=0)

KINDS = {
    "euclidean": (ROWS, {}),
    "euclidean by few directions": (WIDE, {}),
    "all rows": (ROWS, {"algorithm": "brute"}),
    "float32": (ROWS.astype(np.float32), {"algorithm": "brute"}),
    "a tree": (ROWS, {"algorithm": "kd_tree"}),
    "a tree of another norm": (ROWS, {"metric": "manhattan", "algorithm": "kd_tree"}),
    "chebyshev": (ROWS, {"metric": "chebyshev"}),
    "cosine": (ROWS + 0.05, {"metric": "cosine"}),
    "hamming": (ROWS, {"metric": "hamming"}),
    "a kernel": (ROWS, {"metric": RBF(gamma=0.5)}),
    "missing values": (HOLES, {"metric": "nan_euclidean"}),
    "sparse": (SPARSE, {}),
    "sparse by the cosine": (SPARSE, {"metric": "cosine"}),
}


def memory(name, room=np.inf):
    X, options = KINDS[name]
    options = {"metric": "euclidean", "algorithm": "auto", **options}
    return Memory(X, options["metric"], 2, {}, options["algorithm"], room)


@pytest.mark.parametrize("room", [1.0, 1e5])
@pytest.mark.parametrize("name", KINDS)
def test_neighbours_do_not_depend_on_the_budget(name, room):
    free, tight = memory(name), memory(name, room)
    Q, excluded = free.rows[:150], np.where(np.arange(150) % 2 == 0, np.arange(150), -1)
    for k in (1, 7):
        for own in (None, excluded):
            one, other = free.nearest(Q, k, 2, own), tight.nearest(Q, k, 2, own)
            np.testing.assert_array_equal(other.rows, one.rows)
            np.testing.assert_array_equal(other.distances, one.distances)
    radius = float(np.nanmedian(one.distances[:, -1]))
    one, other = free.within(Q, radius, 2, excluded), tight.within(Q, radius, 2, excluded)
    for a, b in zip(other[:3], one[:3], strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", KINDS)
def test_plan_says_where_the_budget_does_not_suffice(name):
    assert "does not fit" not in memory(name, 1e9).plan
    assert memory(name, 1e9).plan == memory(name).plan
    told = memory(name, 1.0).plan
    assert "does not fit" in told or "at a time" in told


def test_parts_of_rows_are_told():
    assert "In 4 parts of the rows" in memory("all rows", 1.0).plan
    assert "In 2 parts of the rows" in memory("all rows", 2000 * 72 / 0.75).plan


def test_rows_that_are_learnt_and_forgotten_are_found_the_same():
    free, tight = memory("all rows"), memory("all rows", 1.0)
    for one in (free, tight):
        one.forget(np.arange(0, 3000, 7))
        one.learn(ROWS[:30])
    one, other = free.nearest(ROWS[:50], 5, 1), tight.nearest(ROWS[:50], 5, 1)
    np.testing.assert_array_equal(other.rows, one.rows)
    np.testing.assert_array_equal(other.distances, one.distances)


def test_more_neighbours_than_a_part_has_rows():
    one, other = (memory("all rows", room).nearest(ROWS[:3], 2000, 1) for room in (np.inf, 1.0))
    np.testing.assert_array_equal(other.rows, one.rows)


def test_donors_do_not_depend_on_the_budget():
    is_wanted = np.isnan(HOLES[:100])
    one = MaskedIndex(HOLES).donors(HOLES[:100], is_wanted, 5, 1)
    other = donors_in_parts(HOLES, HOLES[:100], is_wanted, 5, 1, 1.0)
    np.testing.assert_array_equal(other.rows, one.rows)
    np.testing.assert_array_equal(other.distances, one.distances)
    assert len(RowParts(HOLES, MaskedIndex, 1.0).parts) == 4


MEASURE = """
    import numpy as np, scipy.sparse as sp
    from mercer.neighbours import EuclideanIndex, MaskedIndex, Memory, TreeIndex
    from mercer.neighbours.cosine import CosineIndex
    from mercer.neighbours.sparse import SparseIndex

    def kilobytes(key):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(key))

    X = np.random.default_rng(0).normal(size=(400_000, 12))
    {prepare}
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak starts anew
    before = kilobytes("VmRSS")
    {work}
    print(1e3 * (kilobytes("VmHWM") - before) / {unit})
"""


def measured(prepare, work, unit):
    """Growth of the resident set at its peak, in units."""
    script = textwrap.dedent(MEASURE.format(prepare=prepare, work=work, unit=unit))
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return float(run.stdout)


INDICES = {
    "bounds": ("index = EuclideanIndex(X)", "index._core"),
    "a tree": ("index = TreeIndex(X, 'manhattan')", "index._core"),
    "cosine": ("index = CosineIndex(X)", "index._index._core"),
    "missing values": ("index = MaskedIndex(X)", "index._core"),
    "sparse": (
        "index = SparseIndex(sp.random(400_000, 100, 0.1, format='csr', random_state=0), False)",
        "index._core",
    ),
}
has_procfs = pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="tells memory as Linux does")


@has_procfs
@pytest.mark.parametrize("name", INDICES)
def test_what_an_index_is_said_to_take_is_about_what_it_takes(name):
    assert 0.7 < measured(*INDICES[name], "index.bytes") < 1.4


# Beside the budget: rows, distances and their squares of 10,000 times 5 neighbours, of which there are seven copies as
# those of the next rows are merged into them; and what allocators keep for each thread. Indices of all rows take 48 MB
# and more.
ANSWERS = 7 * 3 * 8 * 10_000 * 5 / 1e6
ALLOCATORS = 20


@has_procfs
@pytest.mark.parametrize("options", ["'euclidean', 2, {}, 'brute'", "'euclidean', 2, {}, 'kd_tree'", "'cosine', 2, {}"])
def test_search_stays_within_the_budget(options):
    prepare = f"memory = Memory(X, {options}, room=10e6); memory.nearest(X[:1], 1, 2)"
    assert measured(prepare, "memory.nearest(X[:10_000], 5, 2)", "1e6") < 10 + ANSWERS + ALLOCATORS
