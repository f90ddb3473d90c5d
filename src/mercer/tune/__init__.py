"""Choosing parameters: many fits on the same rows, and a proof of which is best.

`cells` says what is asked for, `layout` where the machine is in a pipeline, `sharing` which cells can be solved
together; `run` asks `shared`, `stepwise` and `warm` to solve them, as a strategy wants it, and keeps the results that
`judging` makes. `bounds` and `scores` say how far scores can be from those of the exact machines, `choice` which cell
is proven to be the best. `search` is scikit-learn's face, `tuned` that of machines without a grid.
"""

from mercer.tune.choice import ChoiceCertificate
from mercer.tune.path import MachinePath, machine_path
from mercer.tune.progress import SearchProgress
from mercer.tune.search import GridSearchCV
from mercer.tune.tuned_svc import TunedSVC
from mercer.tune.tuned_svr import TunedSVR

__all__ = [
    "ChoiceCertificate",
    "GridSearchCV",
    "MachinePath",
    "SearchProgress",
    "TunedSVC",
    "TunedSVR",
    "machine_path",
]
