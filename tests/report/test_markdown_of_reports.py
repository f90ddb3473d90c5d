"""The Markdown twin: the same content, as text that stays what it is."""

import re

import pytest

from mercer.report import write_report
from mercer.report.blocks import Items, Mono, Paragraph, Quoted, Section
from mercer.report.limits import Limits
from mercer.report.markdown import markdown
from tests.report.reading import read_page


def text_of(findings, folder, **options):
    return write_report(findings, folder / "report", **options)["md"].read_text("utf-8")


def test_sections_are_those_of_the_page(findings, tmp_path):
    paths = write_report(findings, tmp_path / "report")
    page = [heading.text for heading in read_page(paths["html"].read_text("utf-8")).all("h2")]
    assert re.findall(r"^## (.*)$", paths["md"].read_text("utf-8"), re.M) == page


def test_rows_of_a_table_have_as_many_cells_as_its_head(findings, tmp_path):
    width = 0
    for line in text_of(findings, tmp_path).splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert cells == 0 or width in (0, cells)
        width = cells


def test_names_of_any_kind_stay_in_their_cells(hard_report):
    text = hard_report["md"].read_text("utf-8")
    assert "<script" not in text
    assert "<img" not in text
    width = 0
    for line in text.splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert cells == 0 or width in (0, cells)
        width = cells


def test_numbers_of_charts_are_tables(two_classes, tmp_path):
    text = text_of(two_classes, tmp_path)
    assert "| <=50K | 863 | 61 |".replace("<", "&lt;") in text
    assert "0.8570 ± 0.0087" in text
    assert "mercer predict MODEL TABLE" in text


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("capital_gain", "capital_gain"),
        ("_net_", "\\_net\\_"),
        ("a*b", "a\\*b"),
        ("# no heading", "\\# no heading"),
        ("- no item", "\\- no item"),
        ("1. no item", "1\\. no item"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("[x](y)", "\\[x\\](y)"),
        ("two\nlines", "two lines"),
        (Quoted("a|b"), "a\\|b"),
        (Quoted("x" * 200), "x" * 59 + "…"),
        (Mono("--help"), "`--help`"),
    ],
)
def test_text_is_not_taken_for_markdown(words, written):
    section = Section("key", "Title", (Paragraph(words), Items((words,))))
    assert markdown("T", [section], Limits()) == f"# T\n\n## Title\n\n{written}\n\n- {written}\n"
