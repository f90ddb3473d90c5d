"""Input: from what people have to what the machines read.

The first folder of the flow. `inputs` checks what an estimator is given, `arrays` turns any matrix into one the core
can view, `targets` turns labels and weights into signs and bounds, `classes` splits a problem of several classes into
binary ones. All copying and converting of a user's data happens here.
"""

from mercer.data.arrays import as_core_data, asymmetry, checked_gram, core_ready, is_small_sparse, is_sparse, take_rows
from mercer.data.classes import BinaryTargets, Pair, one_vs_one, one_vs_rest, read_binary_targets
from mercer.data.folds import FOLDS, stratified_folds
from mercer.data.inputs import LABELS, NUMBERS, read_queries, read_training_data
from mercer.data.targets import (
    ClassTargets,
    WeightedRows,
    class_weights,
    read_class_targets,
    read_known_class_targets,
    read_numbers,
    read_row_weights,
    read_sample_weight,
    read_weighted_rows,
)

__all__ = [
    "as_core_data",
    "asymmetry",
    "checked_gram",
    "core_ready",
    "is_small_sparse",
    "is_sparse",
    "take_rows",
    "BinaryTargets",
    "Pair",
    "one_vs_one",
    "one_vs_rest",
    "read_binary_targets",
    "FOLDS",
    "stratified_folds",
    "LABELS",
    "NUMBERS",
    "read_queries",
    "read_training_data",
    "ClassTargets",
    "WeightedRows",
    "class_weights",
    "read_class_targets",
    "read_known_class_targets",
    "read_numbers",
    "read_row_weights",
    "read_sample_weight",
    "read_weighted_rows",
]
