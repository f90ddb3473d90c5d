"""The pages read the same under Python-Markdown, which builds the site, as on GitHub."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])

ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s+\S")
HEADING = re.compile(r"#{1,6} ")


def lines_outside_code(text):
    """Pairs of a line and the one before it; fenced code counts as one line of text."""
    before, in_code = "", False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        if not fence and not in_code:
            yield before, line
        in_code ^= fence
        before = "code" if fence or in_code else line


def swallowed(text):
    """Lines meant to begin a list or a table that Python-Markdown takes for a part of the paragraph above."""
    found, in_list = [], False
    for before, line in lines_outside_code(text):
        ends_paragraph = not before.strip() or HEADING.match(before)
        if ITEM.match(line):
            if not ends_paragraph and not in_list:
                found.append(line)
            in_list = True
        elif not line.strip() or HEADING.match(line):
            in_list = False
        elif line.startswith("|") and not ends_paragraph and not before.startswith("|"):
            found.append(line)
    return found


def escaped_bars(text):
    """Rows of tables in which a backslash is shown: only GitHub takes `\\|` inside code for a bar."""
    return [line for _, line in lines_outside_code(text) if line.startswith("|") and "\\|" in line]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lists_and_tables_of_the_page_are_shown_as_such(page):
    text = page.read_text()
    assert swallowed(text) == []
    assert escaped_bars(text) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("They are:\n- one\n- two", ["- one"]),
        ("They are:\n1. one\n2. two", ["1. one"]),
        ("They are:\n\n- one,\n  of a kind\n- two", []),
        ("# Heading\n- one", []),
        ("Text\n| a | b |\n|---|---|", ["| a | b |"]),
        ("Text\n\n| a | b |\n|---|---|", []),
        ("```python\nx = 1\n- 2\n```", []),
        ("- one\n\nText\n- two", ["- two"]),
    ],
)
def test_what_would_be_swallowed_is_found(text, wrong):
    assert swallowed(text) == wrong


# A path in code, whole: with a folder of the repository in front and no placeholder in it.
PATH = re.compile(r"`((?:cpp|src|tests|docs|benchmarks|examples)/[a-z0-9_./]+)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_page_names_files_that_exist(page):
    assert [path for path in PATH.findall(page.read_text()) if not (ROOT / path).exists()] == []


def test_escaped_bars_are_found_in_tables_only():
    assert escaped_bars("| `a \\| b` |\n\n`a \\| b`") == ["| `a \\| b` |"]
