"""Choosing parameters: many fits on the same rows, and a proof of which is best.

`cells` says what is asked for, `layout` where the machine is in a pipeline, `sharing` which cells can be solved
together, `shared` solves them, `bounds` and `scores` say how far their scores can be from those of the exact machines,
and `search` is scikit-learn's face.
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
