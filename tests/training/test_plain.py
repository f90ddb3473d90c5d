"""Findings through JSON: the same on return, and every field checked by its kind."""

import copy
import json
import math

import pytest

from mercer.errors import InputError
from mercer.training import TrainingOptions, train
from mercer.training.plain import findings_from_plain
from tests.training.tables import people, prices

QUICK = TrainingOptions(quick=True, time_limit=5)


@pytest.fixture(scope="module", params=["classification", "regression"])
def findings(request):
    table, target = (people(120), "buys") if request.param == "classification" else (prices(120), "price")
    return train(table, target, options=QUICK).findings


def test_findings_come_back_as_they_were(findings):
    plain = json.loads(json.dumps(findings.plain(), allow_nan=False))
    assert findings_from_plain(plain) == findings
    assert findings_from_plain(plain).plain() == findings.plain()


def test_fields_of_a_later_version_are_left_out(findings):
    plain = {**findings.plain(), "format": 1, "weather": "fine"}
    plain["data"] = {**plain["data"], "weather": "fine"}
    assert findings_from_plain(plain) == findings


def test_fields_with_a_default_may_be_missing(findings):
    plain = findings.plain()
    plain["checks"] = [{"code": "M1", "level": "note", "title": "t", "words": "w"}]
    assert findings_from_plain(plain).checks[0].todo == ""


def test_null_is_a_number_that_json_does_not_know(findings):
    plain = findings.plain()
    plain["machine"]["tol"] = None
    assert math.isnan(findings_from_plain(plain).machine.tol)
    plain["evaluation"]["metrics"][0]["error"] = None
    assert findings_from_plain(plain).evaluation.metrics[0].error is None


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("task",), 3, "report.task: expected text, got 3"),
        (("seed",), 1.5, "report.seed: expected a whole number, got 1.5"),
        (("seed",), True, "report.seed: expected a whole number, got True"),
        (("seconds",), "long", "report.seconds: expected a number, got 'long'"),
        (("seconds",), False, "report.seconds: expected a number, got False"),
        (("machine", "holds"), 1, "report.machine.holds: expected true or false, got 1"),
        (("checks",), {}, "report.checks: expected list"),
        (("checks", 0), "M1", r"report.checks\[0\]: expected an object, got str"),
        (("choice", "chosen"), [1, 2, 3], r"report.choice.chosen: expected tuple"),
        (("choice", "C"), ["x"], r"report.choice.C\[0\]: expected a number"),
        (("data",), None, "report.data: expected an object"),
    ],
)
def test_a_field_of_another_kind_is_refused_with_its_place(place, value, told, findings):
    plain = copy.deepcopy(findings.plain())
    *path, last = place
    inside = plain
    for step in path:
        inside = inside[step]
    inside[last] = value
    with pytest.raises(InputError, match=told):
        findings_from_plain(plain)


@pytest.mark.parametrize("name", ["mercer", "choice", "next_steps"])
def test_a_missing_field_is_named(name, findings):
    plain = findings.plain()
    del plain[name]
    with pytest.raises(InputError, match=f"report: expected the field '{name}', got none"):
        findings_from_plain(plain)
