"""The sections of the report, one a file, by the letters they are asked for."""

from benchmarks.smooth.sections.deviations import DEVIATIONS
from benchmarks.smooth.sections.large import LARGE
from benchmarks.smooth.sections.left_out import LEFT_OUT
from benchmarks.smooth.sections.likelihoods import LIKELIHOODS
from benchmarks.smooth.sections.relevance import RELEVANCE
from benchmarks.smooth.sections.ridge import RIDGE
from benchmarks.smooth.sections.sparse_processes import SPARSE_PROCESSES
from benchmarks.smooth.sections.without_matrix import WITHOUT_MATRIX
from benchmarks.ways.section import Section

SECTIONS: dict[str, Section] = dict(
    zip(
        "ABCDEFGH",
        (RIDGE, LEFT_OUT, WITHOUT_MATRIX, LARGE, LIKELIHOODS, DEVIATIONS, SPARSE_PROCESSES, RELEVANCE),
        strict=True,
    )
)
