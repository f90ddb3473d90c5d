"""The README's code runs, block after block, as a reader would type it."""

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_readme_code_runs_in_order(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert "Solved: every row is within the tolerance." in capsys.readouterr().out
