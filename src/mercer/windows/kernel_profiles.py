"""Kernels of a distance as windows: what they count at it, their integral, how wide they are, and draws from them.

| kernel | distance, of features times | at r | log ∫ over d dimensions |
|---|---|---|---|
| RBF | Euclidean, √(2γ) | exp(−r²/2) | d/2 log 2π |
| Laplacian | Manhattan, γ | exp(−r) | d log 2 |
| Matern | Euclidean, √(2γ) | a polynomial times exp(−√(2ν) r) | d log 2√π + log Γ(ν + d/2) − log Γ(ν) − d/2 log 2ν |
| RationalQuadratic | Euclidean, √(2γ) | (1 + r²/2α)^(−α) | d/2 log 2πα + log Γ(α − d/2) − log Γ(α), if α > d/2 |

Sums of these are mixtures, and products of RBF with RBF and of Laplacian with Laplacian are of their own kind.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mercer.errors import ParameterError
from mercer.kernels import RBF, Kernel, Laplacian, Matern, RationalQuadratic
from mercer.kernels.algebra import Product, Scaled, Sum
from mercer.typing import Floats
from mercer.windows.profiles import log_volume, sample_steps

__all__ = [
    "KernelProfile",
    "factor_of",
    "kernel_log_volume",
    "kernel_spreads",
    "kernel_steps",
    "profile_of_kernel",
    "without_factor",
]

# What the polynomial of Matern's kernel has before the powers of √(2ν) r, and where these are cut.
_LARGE = 1e100
_MATERN = {1.5: (1.0, 1.0), 2.5: (1.0, 1.0, 1.0 / 3.0)}


@dataclass(frozen=True, eq=False)
class KernelProfile(ABC):
    """A kernel as a function of the distance r of rows whose features are multiplied by `scales`."""

    metric: ClassVar[str] = "euclidean"
    #: Of the profile of windows that it is, where it is one of those of the Euclidean distance.
    name: ClassVar[str | None] = None

    scales: Floats

    @abstractmethod
    def log_values(self, r: Floats) -> Floats:
        """log k at r."""

    @abstractmethod
    def log_volume(self, d: int) -> float:
        """log ∫ k over d features that are multiplied by one; ∞ where there is no end to it."""

    @abstractmethod
    def steps(self, count: int, d: int, random: Any) -> Floats:
        """Draws from the density that is a multiple of k, of features that are multiplied by one."""

    def spread(self, d: int) -> float:
        """About the standard deviation of that density along each feature."""
        return 1.0


class _Gaussian(KernelProfile):
    name = "gaussian"

    def log_values(self, r: Floats) -> Floats:
        return np.asarray(-0.5 * r**2)

    def log_volume(self, d: int) -> float:
        return log_volume("gaussian", d)

    def steps(self, count: int, d: int, random: Any) -> Floats:
        return sample_steps("gaussian", count, d, random)


class _Exponential(KernelProfile):
    """Matern's with ν = 1/2."""

    name = "exponential"

    def log_values(self, r: Floats) -> Floats:
        return -r

    def log_volume(self, d: int) -> float:
        return log_volume("exponential", d)

    def steps(self, count: int, d: int, random: Any) -> Floats:
        return sample_steps("exponential", count, d, random)

    def spread(self, d: int) -> float:
        return math.sqrt(d + 1)


class _DoubleExponential(KernelProfile):
    metric = "manhattan"

    def log_values(self, r: Floats) -> Floats:
        return -r

    def log_volume(self, d: int) -> float:
        return d * math.log(2)

    def steps(self, count: int, d: int, random: Any) -> Floats:
        return np.asarray(random.laplace(size=(count, d)))

    def spread(self, d: int) -> float:
        return math.sqrt(2)


@dataclass(frozen=True, eq=False)
class _Matern(KernelProfile):
    """With ν = 3/2 or 5/2: its radius has a mixture of gamma distributions, one for each power."""

    nu: float

    def log_values(self, r: Floats) -> Floats:
        scaled = math.sqrt(2 * self.nu) * r
        # The logarithm of the polynomial is nothing beside a distance that its powers are too large for.
        factor = np.polynomial.polynomial.polyval(np.minimum(scaled, _LARGE), _MATERN[self.nu])
        return np.asarray(np.log(factor) - scaled)

    def log_volume(self, d: int) -> float:
        gammas = math.lgamma(self.nu + d / 2) - math.lgamma(self.nu)
        return d * math.log(2 * math.sqrt(math.pi)) + gammas - d / 2 * math.log(2 * self.nu)

    def steps(self, count: int, d: int, random: Any) -> Floats:
        powers = np.arange(len(_MATERN[self.nu]))
        # ∫ rᵈ⁻¹⁺ᵖ e⁻ʳ dr, as multiples of the first
        shares = np.array([c * math.prod(range(d, d + p)) for p, c in enumerate(_MATERN[self.nu])])
        chosen = random.choice(powers, size=count, p=shares / shares.sum())
        radius = random.gamma(d + chosen) / math.sqrt(2 * self.nu)
        normal = random.normal(size=(count, d))
        return np.asarray(normal * (radius / np.linalg.norm(normal, axis=1))[:, None])

    def spread(self, d: int) -> float:
        shares = np.array([c * math.prod(range(d, d + p)) for p, c in enumerate(_MATERN[self.nu])])
        squares = np.array([(d + p) * (d + p + 1) for p in range(len(shares))])
        return math.sqrt(float(shares @ squares / shares.sum()) / (2 * self.nu * d))


@dataclass(frozen=True, eq=False)
class _RationalQuadratic(KernelProfile):
    """Student's density with 2α − d degrees of freedom."""

    alpha: float

    def log_values(self, r: Floats) -> Floats:
        # The square of a large distance would overflow.
        half = r / math.sqrt(2 * self.alpha)
        large = half > 1.0
        inverse = np.divide(1.0, half, out=np.ones_like(half), where=large)
        told = np.log1p(np.where(large, inverse, half) ** 2) - 2 * np.log(inverse) * large
        return np.asarray(-self.alpha * told)

    def log_volume(self, d: int) -> float:
        if 2 * self.alpha <= d:
            return math.inf
        gammas = math.lgamma(self.alpha - d / 2) - math.lgamma(self.alpha)
        return d / 2 * math.log(2 * math.pi * self.alpha) + gammas

    def steps(self, count: int, d: int, random: Any) -> Floats:
        freedom = 2 * self.alpha - d
        normal = random.normal(size=(count, d))
        return np.asarray(normal * np.sqrt(2 * self.alpha / random.chisquare(freedom, size=count))[:, None])


def profile_of_kernel(kernel: Kernel, d: int) -> KernelProfile | None:
    """A kernel, whose parameters are numbers, over d features; None where it is no function of one distance here."""
    kernel = _without_products(kernel)
    if not isinstance(kernel, (RBF, Laplacian, Matern, RationalQuadratic)):
        return None
    gamma = np.broadcast_to(np.asarray(kernel.gamma, dtype=np.float64), (d,))
    if isinstance(kernel, Laplacian):
        return _DoubleExponential(gamma)
    scales = math.sqrt(2) * np.sqrt(gamma)  # twice a gamma may be infinite
    if isinstance(kernel, RBF):
        return _Gaussian(scales)
    if isinstance(kernel, RationalQuadratic):
        return _RationalQuadratic(scales, float(kernel.alpha))
    return _Exponential(scales) if kernel.nu == 0.5 else _Matern(scales, kernel.nu)


def without_factor(kernel: Kernel) -> Kernel:
    """The kernel that another is a multiple of: windows are told but for a factor."""
    return without_factor(kernel.kernel) if isinstance(kernel, Scaled) else kernel


def factor_of(kernel: Kernel) -> float:
    """What a kernel is `without_factor` times."""
    return kernel.factor * factor_of(kernel.kernel) if isinstance(kernel, Scaled) else 1.0


def kernel_log_volume(kernel: Kernel, d: int) -> float:
    """log ∫ k(x, 0) dx over d features. Raises where there is none."""
    if isinstance(kernel, Sum):
        return float(np.logaddexp(kernel_log_volume(kernel.left, d), kernel_log_volume(kernel.right, d)))
    if isinstance(kernel, Scaled):
        return math.log(kernel.factor) + kernel_log_volume(kernel.kernel, d)
    profile = profile_of_kernel(kernel, d)
    if profile is None:
        raise ParameterError(
            f"kernel: expected a function of the distance that is never below zero and has a finite integral, got "
            f"{kernel}. Use RBF, Laplacian, Matern or RationalQuadratic, sums or multiples of these, or name a window, "
            "as kernel='gaussian'."
        )
    if not np.all(profile.scales > 0):
        raise ParameterError(
            f"kernel: expected gamma > 0 for each of {d} features, got {kernel}: its integral is infinite, and a "
            "density has one of 1. Leave features that do not count out of X."
        )
    volume = profile.log_volume(d)
    if volume == math.inf:
        raise ParameterError(
            f"kernel: expected alpha > {d / 2:g}, half the number of features, got {kernel}: its integral is "
            "infinite, and a density has one of 1. Raise alpha, or use Matern or RBF."
        )
    return volume - float(np.log(profile.scales).sum())


def kernel_steps(kernel: Kernel, count: int, d: int, random: Any) -> Floats:
    """Draws from the density that is a multiple of k(·, 0)."""
    if isinstance(kernel, Scaled):
        return kernel_steps(kernel.kernel, count, d, random)
    if isinstance(kernel, Sum):
        share = math.exp(kernel_log_volume(kernel.left, d) - kernel_log_volume(kernel, d))
        is_left = random.uniform(size=count) < share
        sides = (kernel_steps(side, count, d, random) for side in (kernel.left, kernel.right))
        return np.where(is_left[:, None], *sides)
    profile = profile_of_kernel(kernel, d)
    assert profile is not None  # of which a density was made
    return profile.steps(count, d, random) / profile.scales


def kernel_spreads(kernel: Kernel, d: int) -> Floats:
    """About the standard deviation of the kernel along each feature, ∞ of those that do not count; ones if unknown."""
    profile = profile_of_kernel(kernel, d)
    if profile is None:
        return np.ones(d)
    with np.errstate(divide="ignore"):
        return np.asarray(profile.spread(d) / profile.scales)


def _without_products(kernel: Kernel) -> Kernel:
    """A product of kernels of one kind whose exponents add up, as one; others as they are."""
    if not isinstance(kernel, Product):
        return kernel
    left, right = (_without_products(side) for side in (kernel.left, kernel.right))
    for kind in (RBF, Laplacian):
        if isinstance(left, kind) and isinstance(right, kind):
            total = np.asarray(left.gamma, dtype=np.float64) + np.asarray(right.gamma, dtype=np.float64)
            return kind(tuple(total.tolist()) if total.ndim else float(total))
    return kernel
