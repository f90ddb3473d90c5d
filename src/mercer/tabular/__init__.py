"""An encoding and a machine in one: from a table of mixed columns to predictions, without scikit-learn.

`table_model` has `TableModel`, all that predictions from a table need; `predictions` what it answers; `model_arrays`
the model as plain values and arrays, and back, for files.
"""

from mercer.tabular.predictions import Predictions
from mercer.tabular.table_model import TableModel

__all__ = ["Predictions", "TableModel"]
