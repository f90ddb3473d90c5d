"""The pages with pictures: their code runs, and their pictures are there and light."""

import re
from pathlib import Path

import pytest

LECTURES = Path(__file__).parents[2] / "docs/lectures"
NAMES = (
    *("soft_margin", "losses", "choosing_gamma", "nearest_neighbours", "parzen_windows", "local_regression"),
    "gaussian_processes",
)
PAGES = [LECTURES / f"{name}.md" for name in NAMES]
MOST_BYTES = {".png": 60_000, ".gif": 400_000}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_of_the_page_runs_in_order(page):
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, names)


@pytest.mark.parametrize("page", [*PAGES, LECTURES / "smo.md"], ids=lambda page: page.stem)
def test_pictures_of_the_page_are_there_and_light(page):
    pictures = [page.parent / path for path in re.findall(r"!\[[^]]+\]\(([^)]+)\)", page.read_text())]
    assert pictures
    for picture in pictures:
        assert picture.stat().st_size <= MOST_BYTES[picture.suffix]
