"""Gaussian processes: functions that are drawn by a kernel, and what observations say of them.

`Hyperparameters` are the positive numbers of a kernel by their logarithms, θ, with bounds. `likelihood` says how likely
the observations are and, by the `slopes` of the kernel, which way that grows; `maximise` finds the θ where it is
largest. A `Posterior` has what is known then of new rows. `laplace` does the same for two classes.

`noise` splits a kernel into what different observations share and what each has for itself.
"""

from mercer.processes.hyperparameters import Hyperparameters
from mercer.processes.laplace import TwoClasses, approximate_evidence, find_mode
from mercer.processes.likelihood import Observations, likelihood, likelihood_with_slopes
from mercer.processes.optimum import Optimum, maximise
from mercer.processes.posterior import Posterior

__all__ = [
    "Hyperparameters",
    "Observations",
    "Optimum",
    "Posterior",
    "TwoClasses",
    "approximate_evidence",
    "find_mode",
    "likelihood",
    "likelihood_with_slopes",
    "maximise",
]
