"""Batches of plain numbers are read the quick way, and say the same as the careful one."""

import numpy as np
import pytest

from mercer.errors import InputError
from mercer.tables import ColumnKind, csv_files, read_batches

SCHEMA = (("x", ColumnKind.NUMBER), ("word", ColumnKind.TEXT), ("flag", ColumnKind.BOOLEAN), ("day", ColumnKind.DATE))


@pytest.fixture
def both(tmp_path, monkeypatch):
    """The numbers and words of a file, the same by the quick way and the careful one, and when the quick one did."""

    def read(cells, rows=65_536):
        path = tmp_path / "t.csv"
        lines = [f"{x},{word},yes,2026-01-02" for x, word in cells]
        path.write_text("\n".join(["x,word,flag,day", *lines]) + "\n", encoding="utf-8")
        really, taken = csv_files.read_plain_cells, []

        def counted(*given):
            found = really(*given)
            taken.append(found is not None)
            return found

        found = []
        for way in (counted, lambda *given: None):
            monkeypatch.setattr(csv_files, "read_plain_cells", way)
            parts = list(read_batches(path, SCHEMA, rows=rows))
            numbers = np.concatenate([part["x"].values for part in parts])
            words = [word for part in parts for word in part["word"].texts()]
            found.append((numbers, words))
        np.testing.assert_array_equal(found[0][0], found[1][0])
        assert found[0][1] == found[1][1]
        return *found[0], taken

    return read


def test_numbers_are_rounded_correctly(both, random):
    numbers = [*random.normal(size=500) * 10.0 ** random.integers(-300, 300, 500), 0.1, 5e-324, -0.0, 2.0**53, 1e22]
    texts = [repr(float(x)) for x in numbers]
    found, _, taken = both([(text, "a") for text in texts])
    assert found.tolist() == [float(text) for text in texts]
    assert taken == [True]


@pytest.mark.parametrize(
    ("cell", "value", "is_quick"),
    [
        ("", np.nan, True),
        ('"7.5"', 7.5, True),
        ("007", 7, True),
        ("+5", 5, True),
        (".5", 0.5, True),
        ("5.", 5, True),
        ("1E+2", 100, True),
        ("NA", np.nan, False),
        ("?", np.nan, False),
        ("nan", np.nan, False),
    ],
)
def test_unusual_cells_are_read_as_by_the_careful_way(cell, value, is_quick, both):
    found, words, taken = both([("1", "a"), (cell, " b "), ("  3 ", "")])
    np.testing.assert_array_equal(found, [1, value, 3])
    assert words == ["a", "b", None]
    assert taken == [is_quick]


def test_after_something_unusual_the_careful_way_goes_on(both):
    cells = [(str(x), "a") for x in range(20)]
    cells[7] = ("NA", "a")
    found, _, taken = both(cells, rows=5)
    assert taken == [True, False]
    assert np.flatnonzero(np.isnan(found)).tolist() == [7]


@pytest.mark.parametrize("cell", ["1_000", "+-1", "inf", "1e999", "one", "0x10", "1 2"])
def test_what_is_no_number_is_refused_with_its_line(cell, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"x,word,flag,day\n1,a,yes,2026-01-02\n{cell},a,no,2026-01-02\n")
    with pytest.raises(InputError, match=r"t\.csv, line 3: expected a"):
        list(read_batches(path, SCHEMA))
