"""Gaussian processes: functions that are drawn by a kernel, and what observations say of them.

`Hyperparameters` are the positive numbers of a kernel by their logarithms, θ, with bounds. `likelihood` says how likely
the observations are and, by the `slopes` of the kernel, which way that grows; `maximise` finds the θ where it is
largest. A `Posterior` has what is known then of new rows. `laplace` does the same for two classes.

`noise` splits a kernel into what different observations share and what each has for itself. `Unknowns` are θ with the
noise of `NoiseGroups`, where it is learnt for these.

Where there are many rows, all are seen through a few `inducing` ones: `bounds` tell what the likelihood is at least,
with slopes, and at most; a `SparsePosterior` what is known then.
"""

from mercer.processes.bounds import lower_bound, lower_bound_with_slopes, upper_bound
from mercer.processes.hyperparameters import Hyperparameters
from mercer.processes.inducing import Inducing, Room, noise_of, see
from mercer.processes.laplace import TwoClasses, approximate_evidence, find_mode
from mercer.processes.likelihood import Observations, likelihood, likelihood_with_slopes
from mercer.processes.noise_groups import NoiseGroups
from mercer.processes.optimum import Optimum, maximise
from mercer.processes.posterior import Posterior
from mercer.processes.sparse_posterior import SparsePosterior
from mercer.processes.unknowns import Unknowns

__all__ = [
    "Hyperparameters",
    "Inducing",
    "NoiseGroups",
    "Observations",
    "Optimum",
    "Posterior",
    "Room",
    "SparsePosterior",
    "TwoClasses",
    "Unknowns",
    "approximate_evidence",
    "find_mode",
    "likelihood",
    "likelihood_with_slopes",
    "lower_bound",
    "lower_bound_with_slopes",
    "maximise",
    "noise_of",
    "see",
    "upper_bound",
]
