"""Code that the pages show by reference is that of the sources."""

import pytest

from tests import included


@pytest.mark.parametrize("page", included.pages(), ids=lambda page: page.name)
def test_page_shows_the_code_as_it_is(page):
    text = page.read_text()
    assert included.written(text) == text, "run: python -m tests.included"


def test_changed_code_is_noticed():
    page = "<!-- src/mercer/problems/svr.py: SupportVectorRegression.unit -->\n```python\nold\n```"
    assert "spread_of_targets" in included.written(page)


def test_docstring_can_be_left_out():
    page = "<!-- src/mercer/problems/svr.py: SupportVectorRegression, without docstring -->\n```python\n```"
    shown = included.written(page)
    assert "one coefficient a row" not in shown
    assert "def places" in shown
