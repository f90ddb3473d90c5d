"""The sections of the report, one a file, by the letters they are asked for."""

from benchmarks.remember.sections.changes import CHANGES
from benchmarks.remember.sections.density import DENSITY
from benchmarks.remember.sections.exact import EXACT
from benchmarks.remember.sections.extremes import EXTREMES
from benchmarks.remember.sections.local import LOCAL
from benchmarks.remember.sections.missing import MISSING
from benchmarks.ways.section import Section

SECTIONS: dict[str, Section] = dict(zip("ABCDEF", (EXACT, EXTREMES, MISSING, CHANGES, DENSITY, LOCAL), strict=True))
