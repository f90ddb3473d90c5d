"""The code of the README, of the guides and of the lectures runs, block after block, as a reader would type it."""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *(ROOT / "docs/guides").glob("*.md"), *(ROOT / "docs/lectures").glob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_of_the_page_runs_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # pages write files beside themselves
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL):
        if "needs the package rich" in block and not (find_spec("rich") and find_spec("sklearn.callback")):
            continue
        exec(block, names)
    if "matplotlib.pyplot" in sys.modules:  # which keeps every figure that pages draw
        sys.modules["matplotlib.pyplot"].close("all")


def test_readme_shows_a_fit_that_is_solved(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGES[0].read_text(), flags=re.DOTALL)
    assert len(blocks) >= 3
    exec(blocks[0], {})
    assert "Solved: the certificate is within the tolerance." in capsys.readouterr().out
