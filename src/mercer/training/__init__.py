"""From a table to a certified model: encode, tune, fit, certify, evaluate, and say what was found.

A leaf above `tune`: it may import every room but those of pictures, files and commands. `train` is the outline; each
step has a file: `target` says what is to be predicted, `split` which rows are held out, `prepared` makes numbers of
them, `search` chooses parameters, `leaks` looks at columns alone, `fitting` fits and certifies, `modelling` makes the
model, `evaluation` judges it by `measures` and `curves`, `baselines` sets others beside it, `importance` shuffles
columns, `notable` picks rows, and `gathering` puts it into `findings`, with the checks.
"""

from mercer.training.findings import Findings
from mercer.training.options import TrainingOptions
from mercer.training.train import Trained, train

__all__ = ["Findings", "Trained", "TrainingOptions", "train"]
