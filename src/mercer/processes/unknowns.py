"""All that a likelihood decides: the numbers of a kernel and, where it is learnt, the noise of groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.kernels import Kernel
from mercer.processes.hyperparameters import DEFAULT_BOUNDS, Hyperparameters
from mercer.processes.likelihood import Observations, likelihood_with_slopes
from mercer.processes.noise_groups import GroupNoise, NoiseGroups
from mercer.processes.optimum import Objective
from mercer.typing import Floats

__all__ = ["Unknowns"]

# The share of the variance of targets that the search takes for noise to begin with.
_NOISE_AT_FIRST = 0.1


@dataclass(frozen=True, eq=False, repr=False)
class Unknowns:
    """θ of a kernel, then the logarithms of the variances of groups: names, start and bounds of all."""

    kernel: Hyperparameters
    groups: NoiseGroups | None
    theta: Floats
    bounds: Floats
    names: tuple[str, ...]

    @classmethod
    def of(
        cls,
        kernel: Hyperparameters,
        y: Floats,
        groups: NoiseGroups | None = None,
        limits: tuple[float, float] = DEFAULT_BOUNDS,
    ) -> Unknowns:
        """Those of a kernel, and of groups whose variances are within limits and start at a share of that of y."""
        if groups is None:
            return cls(kernel, None, kernel.theta, kernel.bounds, kernel.names)
        start = np.log(np.clip(_NOISE_AT_FIRST * np.var(y, axis=0).mean(), *limits))
        count = len(groups.labels)
        theta = np.append(kernel.theta, np.full(count, start))
        bounds = np.vstack([kernel.bounds, np.tile(np.log(limits), (count, 1))])
        return cls(kernel, groups, theta, bounds, kernel.names + groups.names)

    def at(self, theta: Floats) -> Any:
        """The user's kernel with these numbers."""
        return self.kernel.at(theta[: len(self.kernel.theta)])

    def compiled(self, theta: Floats) -> Kernel:
        """Mercer's kernel with these numbers."""
        return self.kernel.compiled(theta[: len(self.kernel.theta)])

    def variances(self, theta: Floats) -> Floats:
        """Of the noise of each group."""
        return np.exp(theta[len(self.kernel.theta) :])

    def observed(self, theta: Floats, known: Observations) -> Observations:
        """Observations of which the noise beside that of groups is known, with the noise of groups."""
        if self.groups is None:
            return known
        groups = GroupNoise(self.groups.codes, self.variances(theta))
        return known._replace(noise=known.noise + groups.variances[groups.codes], groups=groups)

    def taken(self, rows: Any) -> Unknowns:
        """The same of some of the rows."""
        if self.groups is None:
            return self
        groups = NoiseGroups(self.groups.labels, self.groups.codes[rows])
        return Unknowns(self.kernel, groups, self.theta, self.bounds, self.names)

    def objective(self, known: Observations) -> Objective:
        """The logarithm of the likelihood of observations by θ, with its slopes; these are zero where it is −∞."""

        def value_and_slopes(theta: Floats) -> tuple[float, Floats]:
            value, slopes = likelihood_with_slopes(self.compiled(theta), self.observed(theta, known))
            return value, np.zeros(len(theta)) if slopes is None else self.slopes_in_theta(slopes)

        return value_and_slopes

    def slopes_in_theta(self, slopes: Floats) -> Floats:
        """Slopes by θ of what has these by the logarithms of all numbers of Mercer's kernel, and of the groups."""
        count = len(self.kernel.powers)
        return np.append(self.kernel.slopes_in_theta(slopes[:count]), slopes[count:])
