"""The sections of the report, one a file, by the letters they are asked for."""

from benchmarks.files.sections.accuracy import ACCURACY
from benchmarks.files.sections.commands import COMMANDS
from benchmarks.files.sections.libsvm_data import LIBSVM_DATA
from benchmarks.files.sections.model_files import MODEL_FILES
from benchmarks.files.sections.streams import STREAMS
from benchmarks.files.sections.tables import TABLES
from benchmarks.ways.section import Section

SECTIONS: dict[str, Section] = dict(
    zip("ABCDEF", (COMMANDS, TABLES, ACCURACY, LIBSVM_DATA, STREAMS, MODEL_FILES), strict=True)
)
