"""How a kernel's values are had: computed in tiles, stored, or asked of Python.

`plan` looks at the kernel, the data and the memory budget, picks one and says why; `describe_gram` tells the core how
to open it.
"""

from mercer.gram.blocks import ValuesInBlocks
from mercer.gram.pace import OutOfTime
from mercer.gram.plan import GramPlan, Source, plan_gram
from mercer.gram.products import expand_in_time, expand_training_rows
from mercer.gram.sources import TrainingData, TrainingRows, describe_gram, values_at
from mercer.gram.twofold import TwofoldGram, dense_rows, fits_twofold, is_factored

__all__ = [
    "expand_in_time",
    "expand_training_rows",
    "GramPlan",
    "OutOfTime",
    "Source",
    "plan_gram",
    "TrainingData",
    "TrainingRows",
    "ValuesInBlocks",
    "describe_gram",
    "values_at",
    "TwofoldGram",
    "dense_rows",
    "fits_twofold",
    "is_factored",
]
