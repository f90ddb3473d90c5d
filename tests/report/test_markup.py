"""Nothing reaches a page unescaped."""

import ast
from pathlib import Path

import pytest

import mercer.report
from mercer.report.markup import Markup, escape, join, tag, verbatim

ROOM = Path(mercer.report.__file__).parent


def test_children_and_attributes_are_escaped():
    assert tag("p", "<b>", title='"x"&') == '<p title="&quot;x&quot;&amp;">&lt;b&gt;</p>'


def test_elements_within_elements_stay():
    assert tag("p", tag("b", "<")) == "<p><b>&lt;</b></p>"


def test_text_put_together_in_another_way_is_escaped_again():
    assert tag("p", f"{tag('b', 'x')}") == "<p>&lt;b&gt;x&lt;/b&gt;</p>"
    assert tag("p", tag("b", "x") + "<") == "<p>&lt;b&gt;x&lt;/b&gt;&lt;</p>"


def test_attributes_without_a_value_are_left_out():
    assert tag("input", checked=True, disabled=False, id=None) == "<input checked>"
    assert tag("line", x1=1.25, stroke_width=2.0, class_="a") == '<line x1="1.2" stroke-width="2" class="a"/>'


def test_joined_parts_are_escaped():
    joined = join(["<", Markup("<br>")], " & ")
    assert joined == "&lt; &amp; <br>"
    assert isinstance(joined, Markup)


def test_control_characters_do_not_reach_a_page():
    assert escape("a\x00b\ud800c\u202ed\ne") == "a␀b�c�d e"


def test_verbatim_text_cannot_close_an_element():
    with pytest.raises(ValueError, match="closes an element"):
        verbatim("</style><script>")


def test_only_the_module_of_markup_makes_markup():
    """The type is a promise: where `Markup(…)` is called is where text must be escaped."""
    callers = set()
    for path in ROOM.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Markup":
                callers.add(path.name)
    assert callers == {"markup.py"}


def test_only_the_page_has_verbatim_text():
    users = {path.name for path in ROOM.rglob("*.py") if "verbatim(" in path.read_text()}
    assert users == {"markup.py", "page.py"}
