"""How a kernel's values are had: computed in tiles, stored, or asked of Python.

`plan` looks at the kernel, the data and the memory budget, picks one and says why; `open_gram` makes the object that the
core's solver reads.
"""

from mercer.gram.plan import GramPlan, Source, plan_gram
from mercer.gram.sources import TrainingRows, open_gram, values_at

__all__ = ["GramPlan", "Source", "plan_gram", "TrainingRows", "open_gram", "values_at"]
