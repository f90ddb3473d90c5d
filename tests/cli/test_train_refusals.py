"""What `mercer train` refuses: a sentence to act on, an exit code, and nothing left behind."""

import os

import pytest

from tests.cli.conftest import people, written


@pytest.fixture
def refused(command, tmp_path):
    """Runs it, expects that it ends with a code and leaves no folder, and returns the error."""

    def call(code, *arguments):
        said = command("train", *arguments, "-o", tmp_path / "made" / "deep")
        assert said.code == code
        assert said.out == ""
        assert not (tmp_path / "made").exists()
        error = said.err[said.err.index("error: ") :]
        assert "Traceback" not in error
        return error

    return call


def test_a_missing_column_names_the_nearest(refused, people_csv):
    error = refused(3, people_csv, "--target", "bys")
    assert f"Expected a column 'bys' in {people_csv}, which has none of that name. Did you mean 'buys'?" in error
    assert "'nosuch'" in refused(3, people_csv, "--target", "buys", "--drop", "nosuch")


def test_the_target_cannot_be_dropped(refused, people_csv):
    assert "'buys', which is to be predicted" in refused(2, people_csv, "--target", "buys", "--drop", "buys")


def test_a_target_of_one_value_is_none(refused, tmp_path):
    path = written(tmp_path / "one.csv", ["x,y", *(f"{x},always" for x in range(50))])
    assert "got one value, 'always', in all 50 rows" in refused(3, path, "--target", "y")


def test_a_target_of_names_is_none(refused, tmp_path):
    path = written(tmp_path / "ids.csv", ["x,who", *(f"{x % 7},person {x}" for x in range(50))])
    assert "50 different values in 50 rows" in refused(3, path, "--target", "who")


def test_a_test_file_with_other_labels_names_the_near_ones(refused, tmp_path):
    lines = people()
    train = written(tmp_path / "adult.csv", [line.replace("often", ">50K").replace("never", "<=50K") for line in lines])
    test = written(tmp_path / "test.csv", [line.replace("often", ">50K.").replace("never", "<=50K.") for line in lines])
    error = refused(3, train, "--target", "buys", "--test", test)
    assert "'<=50K.' (near '<=50K'), '>50K.' (near '>50K')" in error


def test_a_test_file_without_a_column_or_of_another_kind_is_refused(refused, people_csv, tmp_path):
    without = written(tmp_path / "w.csv", [line.partition(",")[2] for line in people()])
    assert "Expected a column 'age'" in refused(3, people_csv, "--target", "buys", "--test", without)
    lines = people()
    texts = written(tmp_path / "t.csv", [lines[0], *(f"x{line}" for line in lines[1:])])
    error = refused(3, people_csv, "--target", "buys", "--test", texts)
    assert f"Column 'age' of {texts}: expected a number" in error


def test_a_folder_an_empty_file_and_none_at_all(refused, tmp_path):
    assert f"{tmp_path}: expected a file, got a folder." in refused(4, tmp_path, "--target", "y")
    empty = tmp_path / "empty.csv"
    empty.touch()
    assert f"{empty}: this file is empty." in refused(3, empty, "--target", "y")
    header = written(tmp_path / "header.csv", ["a,b"])
    assert "expected rows after the names" in refused(3, header, "--target", "b")
    written(tmp_path / "people.csv", people())
    error = refused(4, tmp_path / "poeple.csv", "--target", "buys")
    assert "no such file. Did you mean people.csv" in error


def test_a_bad_line_is_named_by_its_number(refused, tmp_path):
    lines = people()
    lines[40] += ",one too many"
    path = written(tmp_path / "bad.csv", lines)
    assert f"{path}, line 41" in refused(3, path, "--target", "buys")


def test_two_ways_to_evaluate_are_one_too_many(refused, people_csv):
    asked = ("--target", "buys", "--test", people_csv, "--test-share", "0.2")
    assert "expected --test or --test-share, got both" in refused(2, people_csv, *asked)


@pytest.mark.parametrize("name", ["a/b", "", "."])
def test_a_name_is_no_path(name, refused, people_csv):
    assert "--name: expected the name of a file" in refused(2, people_csv, "--target", "buys", "--name", name)


def test_a_place_that_cannot_be_written_to_is_found_before_the_work_begins(people_csv, tmp_path, command, monkeypatch):
    import mercer.training

    def train(*given, **named):
        raise AssertionError("too late")

    monkeypatch.setattr(mercer.training, "train", train)
    file = written(tmp_path / "file", ["x"])
    for place, words in (
        (file, "File exists"),
        (file / "below", "Not a directory"),
        ("/proc/nowhere", "/proc/nowhere"),
    ):
        said = command("train", people_csv, "--target", "buys", "-o", place)
        assert said.code == 4
        assert words in said.err
        assert str(place) in said.err


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_is_told_and_leaves_nothing(failing, people_csv, tmp_path, command, monkeypatch):
    import errno

    def full(*given, **named):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, failing, full)
    said = command("train", people_csv, "--target", "buys", "-o", tmp_path / "made", "--time-limit", "5", "-q")
    assert said.code == 4
    assert "No space left on device" in said.err
    assert "people.mercer" in said.err
    assert not (tmp_path / "made").exists()
