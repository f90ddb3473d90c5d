"""What a fit stands on: training rows under a kernel, in whatever form they are at hand.

`rows` has the questions that all kinds answer alike: `features` (computed in tiles by the core), `linear` (through
weights), `mapped` (under an explicit map), `matrix` (kernel values at hand), `callable` (asked of Python, at a `pace`
that keeps a deadline). `kinds` picks one for a kernel, and nobody else asks which it is. `expansion` has what all kinds
answer about new rows. `plan` decides how values are served within a memory budget and says why; `settling` evaluates in
float32 wherever that decides as float64 does; `twofold` has values of small problems in twice the precision;
`pivots` finds rows that stand for all; `columns` has the values between all rows and some landmarks, `whitening` the
features that these make.
"""

from mercer.rows.blocks import WatchedValues
from mercer.rows.columns import KernelColumns, Landmarks
from mercer.rows.dense import dense_rows
from mercer.rows.expansion import Expansion, Segment
from mercer.rows.kinds import expansion_kind, rows_of
from mercer.rows.linear import LinearRows
from mercer.rows.pace import OutOfTime
from mercer.rows.plan import Budget, GramPlan, Source, plan_gram
from mercer.rows.reading import as_computed, checked_matrix, takes_features
from mercer.rows.rows import Precision, Rows, Subset
from mercer.rows.settling import Caution, settle
from mercer.rows.twofold import TwofoldGram, fits_twofold, is_factored
from mercer.rows.whitening import Whitening, whiten

__all__ = [
    "Precision",
    "Rows",
    "Subset",
    "rows_of",
    "as_computed",
    "checked_matrix",
    "takes_features",
    "Expansion",
    "Segment",
    "expansion_kind",
    "LinearRows",
    "KernelColumns",
    "Landmarks",
    "Whitening",
    "whiten",
    "Budget",
    "GramPlan",
    "Source",
    "plan_gram",
    "OutOfTime",
    "WatchedValues",
    "Caution",
    "settle",
    "TwofoldGram",
    "dense_rows",
    "fits_twofold",
    "is_factored",
]
