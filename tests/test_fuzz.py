"""Some random problems of each kind, judged as `make fuzz` judges them."""

import pytest

from mercer._runtime import core
from tests.fuzz.__main__ import run
from tests.fuzz.cases import draw
from tests.fuzz.hard_cases import FAMILIES, MACHINES, draw_hard

SECONDS = 60


@pytest.fixture(autouse=True)
def same_simd_level():
    """Each problem chooses its own."""
    before = core.simd_level()
    yield
    core.set_simd_level(before)


@pytest.mark.parametrize("first", [0, 10, 20, 30])
def test_hard_problems_agree_with_their_judges(first, capsys):
    assert run(draw_hard, "hard", first, SECONDS, 10, judged=True), capsys.readouterr().out
    told = capsys.readouterr().out
    assert "hard: 10 problems agree" in told


def test_ordinary_problems_agree_with_their_judges(capsys):
    assert run(draw, "ordinary", 0, SECONDS, 10, judged=True), capsys.readouterr().out


def test_wrong_answers_are_told(monkeypatch, capsys):
    monkeypatch.setattr("tests.fuzz.__main__.disagreement", lambda case, model: "the sum is wrong")
    assert not run(draw_hard, "hard", 3, SECONDS, 10, judged=True)
    assert "hard 3: the sum is wrong" in capsys.readouterr().out


def test_hard_problems_are_of_all_families_and_machines():
    cases = [draw_hard(seed) for seed in range(200)]
    assert {case.features[0] for case in cases} == set(FAMILIES)
    assert {case.kind for case in cases} == {name.split(",")[0] for name in MACHINES}
    assert any("crammer_singer" in case.parameters.values() for case in cases)
    again = draw_hard(17)
    assert str(again) == str(cases[17])
    assert (again.X == cases[17].X).all()
