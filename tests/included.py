"""Code that the pages show by reference: `python -m tests.included` writes it anew from the sources.

A block of code in a page that follows a comment such as

    <!-- src/mercer/problems/svr.py: SupportVectorRegression -->

is that class or function of that file, without its docstring where the comment ends in "without docstring"; a comment
with a file alone shows all of it. A test compares them, so that no page goes stale.
"""

import ast
import re
import sys
import textwrap
from pathlib import Path

__all__ = ["ROOT", "pages", "stale", "written"]

ROOT = Path(__file__).parent.parent

_BLOCK = re.compile(
    r"(?P<comment><!-- (?P<file>[\w./]+)(?:: (?P<name>[\w.]+))?(?P<bare>, without docstring)? -->\n)"
    r"```(?P<language>\w+)\n(?P<code>.*?)```",
    re.DOTALL,
)


def pages():
    return sorted((ROOT / "docs").rglob("*.md"))


def _node(tree, name):
    for part in name.split("."):
        tree = next(node for node in tree.body if getattr(node, "name", None) == part)
    return tree


def source_of(file, name, bare):
    """The code of a class or function of a file, or all of the file."""
    text = (ROOT / file).read_text()
    if name is None:
        return text
    node = _node(ast.parse(text), name)
    lines = text.splitlines()
    first = min([node.lineno, *(line.lineno for line in node.decorator_list)]) - 1
    chosen = lines[first : node.end_lineno]
    told = node.body[0]
    if bare and isinstance(told, ast.Expr) and isinstance(told.value, ast.Constant):
        del chosen[told.lineno - 1 - first : told.end_lineno - first]
        while chosen and len(chosen) > told.lineno - 1 - first and not chosen[told.lineno - 1 - first].strip():
            del chosen[told.lineno - 1 - first]
    return textwrap.dedent("\n".join(chosen)) + "\n"


def written(text):
    """The page with every block as the sources have it."""

    def block(match):
        code = source_of(match["file"], match["name"], match["bare"])
        return f"{match['comment']}```{match['language']}\n{code}```"

    return _BLOCK.sub(block, text)


def stale():
    """The pages whose blocks differ from the sources."""
    return [page for page in pages() if written(page.read_text()) != page.read_text()]


if __name__ == "__main__":
    for page in stale():
        page.write_text(written(page.read_text()))
        print(f"wrote {page.relative_to(ROOT)}", file=sys.stderr)
