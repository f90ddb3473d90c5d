"""The sections of the report, one a file, by the letters they are asked for; ``section`` says what they consist of."""

from benchmarks.tune.sections.extras import EXTRAS
from benchmarks.tune.sections.guide import GRID_PY
from benchmarks.tune.sections.large import LARGE
from benchmarks.tune.sections.peers import FIVE_BY_FIVE, TEN_BY_TEN
from benchmarks.tune.sections.published import TORCHKM
from benchmarks.tune.sections.section import Section
from benchmarks.tune.sections.strategies import STRATEGIES

SECTIONS: dict[str, Section] = dict(
    zip("ABCDEFG", (FIVE_BY_FIVE, TEN_BY_TEN, GRID_PY, TORCHKM, STRATEGIES, EXTRAS, LARGE), strict=True)
)
