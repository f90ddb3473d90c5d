"""`mercer tune` and `mercer report`."""

import json
import os
import re
from pathlib import Path

import pytest

from mercer.cli.tune import _grid
from mercer.training.findings import ChoiceFound


@pytest.fixture
def asked(people_csv):
    return ("tune", people_csv, "--target", "buys", "--folds", "3")


def test_tune_shows_the_grid_and_what_is_proven_of_the_choice(asked, command):
    said = command(*asked)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].startswith("C  gamma")
    assert max(map(len, lines)) <= 80
    marked = [re.findall(r"\[(.*?)\]", line) for line in lines]
    (chosen,) = [one for some in marked for one in some]
    assert re.search(rf"^Choice +C = .*, gamma = .*: accuracy {chosen} ± ", said.out, re.MULTILINE)
    assert re.search(r"^Certificate Of \d+ cells", said.out, re.MULTILINE)
    assert "The separator is a comma." in said.err


def test_tune_as_json_is_the_whole_grid(asked, command):
    found = json.loads(command(*asked, "--json", "-q").out)
    i, j = found["chosen"]
    assert (found["C"][i], found["gamma"][j]) == (found["params"]["C"], found["params"]["gamma"])
    assert found["scores"][i][j] == pytest.approx(found["score"])
    assert found["folds"] == 3
    assert all(len(row) == len(found["gamma"]) for row in found["scores"])


def test_tune_is_the_same_with_the_same_seed(asked, command):
    first, second = (json.loads(command(*asked, "--json", "-q", "--seed", "5").out) for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_tune_refuses_as_training_does(asked, people_csv, command):
    assert command("tune", people_csv, "--target", "bys").code == 3
    assert command(*asked, "--drop", "buys").code == 2
    assert command(*asked, "--folds", "1").code == 2


@pytest.mark.parametrize("chosen", [(0, 0), (1, 6), (1, 13)])
def test_a_wide_grid_is_cut_to_the_screen_around_its_choice(chosen):
    gamma = [2.0**k for k in range(-10, 4)]
    scores = [[None] * 14, [0.5 + 0.01 * k for k in range(14)]]
    if chosen[0] == 0:
        scores[0][0] = 0.9
    choice = ChoiceFound(
        params={"C": 1.0, "gamma": gamma[chosen[1]]},
        score_name="accuracy",
        score=0.5,
        spread=0.1,
        folds=5,
        seconds=1.0,
        C=[1.0, 4.0],
        gamma=gamma,
        scores=scores,
        spreads=scores,
        chosen=chosen,
        certificate="",
        is_proven=False,
    )
    lines = _grid(choice).splitlines()
    assert max(map(len, lines)) <= 80
    assert f"[{scores[chosen[0]][chosen[1]]:.3f}]" in lines[1 + chosen[0]]
    assert "–" in lines[1]
    ends = {match.end() for match in re.finditer(r"\S+", lines[0][9:])}
    assert len(ends) == 9


# ---------------------------------------------------------------- report


def test_a_report_is_written_anew_from_its_json(models, tmp_path, command):
    said = command("report", models / "people-report.json", "-o", tmp_path / "again")
    assert said == (0, f"{tmp_path / 'again.html'}\n", "")
    for ending in ("html", "md", "json"):
        assert (tmp_path / f"again.{ending}").read_bytes() == (models / f"people-report.{ending}").read_bytes()


def test_a_report_without_rows_has_a_name_of_its_own(models, tmp_path, command):
    (tmp_path / "r.json").write_bytes((models / "people-report.json").read_bytes())
    found = json.loads(command("report", tmp_path / "r.json", "--no-rows", "--json").out)
    assert found["html"] == str(tmp_path / "r-without-rows.html")
    assert "Kiel" in (tmp_path / "r.json").read_text()
    for path in found.values():
        assert "Kiel" not in Path(path).read_text()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("not json", "expected the JSON of a report"),
        ("[1, 2]", "report: expected an object"),
        ("{}", "expected the field"),
        ('{"mercer": 3}', "report.mercer: expected text, got 3"),
        ('{"format": 99}', "report.format: expected at most 1, got 99"),
        ("[" * 100_000, "expected the JSON of a report"),
    ],
)
def test_what_is_no_report_is_refused(content, words, tmp_path, command):
    path = tmp_path / "x.json"
    path.write_text(content)
    said = command("report", path)
    assert (said.code, said.out) == (3, "")
    assert words in said.err
    assert str(path) in said.err
    assert os.listdir(tmp_path) == ["x.json"]


def test_a_report_that_is_not_there(tmp_path, command):
    assert command("report", tmp_path / "none.json").code == 4
