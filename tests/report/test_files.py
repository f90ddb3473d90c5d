"""The three files: where they are, what they leave out, and that they are whole or not there."""

import ast
import errno
import json
import math
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import mercer.report
from mercer.report import write_report
from mercer.report.strict_json import strict_json
from tests.report import samples


def strictly(text):
    """JSON as its grammar has it: constants beyond that are refused."""

    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def test_files_are_named_after_the_stem(two_classes, tmp_path):
    paths = write_report(two_classes, tmp_path / "census.v2")
    assert paths == {ending: tmp_path / f"census.v2.{ending}" for ending in ("html", "json", "md")}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["census.v2.html", "census.v2.json", "census.v2.md"]


def test_a_folder_gets_a_report(two_classes, tmp_path):
    assert write_report(two_classes, str(tmp_path))["md"] == tmp_path / "report.md"


def test_json_has_all_findings(findings, tmp_path):
    found = strictly(write_report(findings, tmp_path / "report")["json"].read_text("utf-8"))
    assert found.pop("format") == 1
    assert found == json.loads(json.dumps(findings.plain()))


def test_json_has_null_for_what_is_no_number():
    text = strict_json({"a": math.nan, "b": [math.inf, -math.inf, 1.5], "c": {"d": np.float64("nan")}, 3: np.int64(4)})
    assert strictly(text) == {"a": None, "b": [None, None, 1.5], "c": {"d": None}, "3": 4}


def test_json_has_text_of_any_kind():
    text = strict_json({"a": "half \udc80 of a pair", "b": np.bool_(True), "c": "é\u2028\x00", "d": (1, 2)})
    assert strictly(text.encode("utf-8")) == {"a": "half ? of a pair", "b": True, "c": "é\u2028\x00", "d": [1, 2]}


def values_of_rows(findings):
    """Values that stand in rows and in summaries of columns, and nowhere else."""
    rows = [*findings.influential, *findings.mistakes]
    quoted = {value for row in rows for value in row.values.values() if not value.isdigit() and len(value) > 3}
    return quoted | {column.summary for column in findings.data.columns if column.holds_values}


@pytest.mark.parametrize("ending", ["html", "json", "md"])
@pytest.mark.parametrize("make", [samples.two_classes, samples.five_classes, samples.regression])
def test_without_rows_no_value_of_the_data_is_in_any_file(make, ending, tmp_path):
    findings = make()
    values = values_of_rows(findings)
    assert values
    whole = plain_text(write_report(findings, tmp_path / "whole")[ending].read_text("utf-8"))
    bare = plain_text(write_report(findings, tmp_path / "bare", rows=False)[ending].read_text("utf-8"))
    assert all(value in whole for value in values)
    assert not [value for value in values if value in bare]


def plain_text(text):
    """Without entities, escapes and marks between words, so that values can be looked for."""
    text = re.sub(r"</?bdi[^>]*>", "", text).replace("\N{NO-BREAK SPACE}", " ")
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def test_without_rows_their_numbers_and_figures_stay(regression, tmp_path):
    found = strictly(write_report(regression, tmp_path / "report", rows=False)["json"].read_text("utf-8"))
    for name in ("influential", "mistakes"):
        rows, whole = found[name], getattr(regression, name)
        assert [row["row"] for row in rows] == [row.row for row in whole]
        assert [row["figure"] for row in rows] == [row.figure for row in whole]
        assert all(
            row["values"] == {} and not row["truth"] and not row["predicted"] and not row["words"] for row in rows
        )
    assert found["evaluation"]["residuals"]["truth"] == []
    assert found["evaluation"]["residuals"]["quantiles"] == regression.evaluation.residuals.quantiles


def test_findings_are_not_changed(two_classes, tmp_path):
    before = json.dumps(two_classes.plain())
    write_report(two_classes, tmp_path / "report", rows=False)
    assert json.dumps(two_classes.plain()) == before


def test_the_same_findings_give_the_same_files(findings, tmp_path):
    first, second = write_report(findings, tmp_path / "a"), write_report(findings, tmp_path / "b")
    assert all(first[ending].read_bytes() == second[ending].read_bytes() for ending in first)


def test_a_full_disk_names_the_file_and_leaves_what_was_there(two_classes, tmp_path, monkeypatch):
    paths = write_report(two_classes, tmp_path / "report")
    before = {path: path.read_bytes() for path in paths.values()}

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_report(two_classes, tmp_path / "report", rows=False)
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(paths["html"])
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_that_is_not_there_is_named(two_classes, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_report(two_classes, tmp_path / "nowhere" / "report")
    assert caught.value.filename == str(tmp_path / "nowhere" / "report.html")


def test_no_permission_is_named(two_classes, tmp_path, monkeypatch):
    def refused(source, target):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(source), None, str(target))

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(PermissionError) as caught:
        write_report(two_classes, tmp_path / "report")
    assert caught.value.filename == str(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_files_have_the_permissions_of_others(two_classes, tmp_path):
    (tmp_path / "other").write_text("")
    path = write_report(two_classes, tmp_path / "report")["html"]
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_reports_import_their_own_room_and_the_standard_library_alone():
    room = Path(mercer.report.__file__).parent
    for path in room.rglob("*.py"):
        tree = ast.parse(path.read_text())
        typing_only = {id(node) for each in ast.walk(tree) if _is_for_types(each) for node in ast.walk(each)}
        for node in ast.walk(tree):
            if id(node) in typing_only or not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            for name in names:
                assert name.startswith("mercer.report") or name.split(".")[0] in sys.stdlib_module_names, path


def _is_for_types(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
