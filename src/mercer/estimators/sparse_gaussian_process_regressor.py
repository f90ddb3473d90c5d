"""Regression by a Gaussian process through inducing rows, for many rows."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from mercer import checks
from mercer._runtime import available_threads
from mercer.errors import InputError, ParameterError
from mercer.estimators.gaussian_process_regression import GaussianProcessRegression
from mercer.estimators.landmarks import SELECTIONS, choose_landmarks
from mercer.kernels import RBF, Kernel, Scaled, White
from mercer.processes import (
    Inducing,
    Observations,
    Room,
    SparsePosterior,
    Unknowns,
    lower_bound,
    lower_bound_with_slopes,
    maximise,
    noise_of,
    see,
    upper_bound,
)
from mercer.processes.noise import quiet, shared_part
from mercer.processes.optimum import SearchEnded
from mercer.rows import Landmarks
from mercer.typing import Floats

__all__ = ["SparseGaussianProcessRegressor"]

# The search begins with the exact likelihood of so many rows at random, which takes seconds.
_SAMPLE = 1000
# And ends where a step adds less than this for one observation, for the search of all rows goes on from there: 0.1 in
# the logarithm of the likelihood.
_GROWTH_OF_SAMPLE = 1e-4


@dataclass(frozen=True, eq=False, repr=False)
class _Search:
    """The bound as a function of θ, for one observation in the mean, until the time `ends`.

    Its slopes are of the size of one then, so that the first step of a search is no leap to the bounds of θ.
    """

    known: Observations
    unknowns: Unknowns
    Z: Floats
    room: Room
    ends: float

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        observed = self.unknowns.observed(theta, self.known)
        room = self.room._replace(check=self._check)
        value, slopes = lower_bound_with_slopes(self.unknowns.compiled(theta), self.Z, observed, room)
        share = 1 / self.known.y.size
        return share * value, np.zeros(len(theta)) if slopes is None else share * self.unknowns.slopes_in_theta(slopes)

    def _check(self) -> None:
        if perf_counter() >= self.ends:
            raise SearchEnded


class SparseGaussianProcessRegressor(GaussianProcessRegression):
    """A Gaussian process that sees all rows through a few inducing ones: `GaussianProcessRegressor` for many rows.

    With Q = K_XZ K_ZZ⁻¹ K_ZX for inducing rows Z and noise D, the kernel's parameters are those with the largest lower
    bound on the logarithm of the likelihood, log N(y; 0, Q + D) − ½ tr(D⁻¹ (K − Q)) (Titsias 2009). An upper bound is
    told beside it, so that what the inducing rows leave is known without the exact process. A likelihood takes n m²
    steps for n rows and m inducing ones, in memory that does not grow with n.

    Parameters
    ----------
    kernel : Kernel, optional
        A kernel of Mercer's or of `sklearn.gaussian_process.kernels`; the default is 1.0 * RBF(0.5) + White(0.1). The
        bound needs noise: `White`, `alpha` or groups. The kernel must be positive semi-definite.
    n_inducing : int, default=500
        How many inducing rows, at most one for each row; with all rows the process is exact.
    selection : {"kmeans", "pivoted", "rpcholesky", "random"}, default="kmeans"
        Which: centres of k-means, rows of the largest variance left one after the other (pivoted Cholesky, of as many
        rows as fit `cache_size`), rows drawn in proportion to what is left of their variance, or rows at random.
    alpha : float or ndarray of shape (n_samples,), default=0.0
        The variance of noise that is known, of all observations or of each.
    optimizer, n_restarts_optimizer, normalize_y, n_targets, bounds, time_limit
        As in `GaussianProcessRegressor`. Of more than 2,000 rows the search begins, from every start, with the exact
        likelihood of 1,000 rows at random, and goes on with the bound from the best.
    random_state : int, RandomState or None, default=None
        Decides the inducing rows, the rows at random and the further starts.
    cache_size : float, default=1000
        Megabytes for what is kept beside the data.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its parameters found, Mercer's or scikit-learn's as it was given.
    lower_bound_, upper_bound_ : float
        Between these is the logarithm of the likelihood of the exact process under `kernel_`, up to rounding.
    residual_ : float
        What the inducing rows leave: trace(K − Q) / trace(K), without noise.
    inducing_rows_ : ndarray of shape (n_inducing, n_features)
        The inducing rows.
    inducing_indices_ : ndarray of shape (n_inducing,) or None
        Where they are among the training rows; None for centres of k-means.
    noise_ : dict
        The variance of the noise of each group by its label, where `fit` was given groups, in the units of the targets.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, SparseGaussianProcessRegressor, White
    >>> random = np.random.default_rng(0)
    >>> X = random.uniform(0, 6, size=(3000, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * random.normal(size=3000)
    >>> model = SparseGaussianProcessRegressor(1.0 * RBF(0.5) + White(0.1), n_inducing=20, random_state=0).fit(X, y)
    >>> mean, std = model.predict([[1.5], [9.0]], return_std=True)
    >>> bool(std[0] < 0.15 < std[1])
    True
    >>> bool(model.upper_bound_ - model.lower_bound_ < 1)
    True
    """

    # For one observation: 0.2 in the logarithm of the likelihood of 100,000, which tells no two kernels apart.
    _growth: ClassVar[float | None] = 2e-6
    _default_kernel: ClassVar[Kernel] = Scaled(1.0, RBF(0.5)) + White(0.1)
    _checks: ClassVar[dict[str, checks.Check]] = {
        "n_inducing": checks.at_least(1),
        "selection": checks.one_of(*SELECTIONS),
        "cache_size": checks.positive,
    }

    def __init__(
        self,
        kernel: Any = None,
        *,
        n_inducing: int = 500,
        selection: str = "kmeans",
        alpha: Any = 0.0,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        n_targets: int | None = None,
        random_state: Any = None,
        bounds: Any = None,
        cache_size: float = 1000,
        time_limit: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.n_inducing = n_inducing
        self.selection = selection
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.n_targets = n_targets
        self.random_state = random_state
        self.bounds = bounds
        self.cache_size = cache_size
        self.time_limit = time_limit

    def _learn(self, known: Observations, unknowns: Unknowns, ends: float) -> Floats:
        room, random, theta = self._room(known), self._random, unknowns.theta
        _check_noise(unknowns.compiled(theta), unknowns.observed(theta, known))
        is_searched = self.optimizer is not None and len(theta) > 0
        starts = self._starts(unknowns, random) if is_searched else [theta]
        if is_searched and len(known.X) > 2 * _SAMPLE and not callable(self.optimizer):
            starts = [_best_of_sample(known, unknowns, starts, random, ends)]
        chosen = self._choose(unknowns.compiled(starts[0]), known.X, random)
        Z = np.array(chosen.vectors, dtype=np.float64, order="C")  # which may be rows of the user's
        if is_searched:
            search = _Search(known, unknowns, Z, room, ends)
            theta = self._maximise(unknowns, search, len(known.X), starts, ends).theta
        self.inducing_rows_, self.inducing_indices_ = Z, chosen.places
        self._keep(unknowns.compiled(theta), Z, unknowns.observed(theta, known), room)
        return theta

    def _keep(self, kernel: Kernel, Z: Floats, observed: Observations, room: Room) -> None:
        inducing = Inducing.of(kernel, Z)
        if inducing is None:
            raise np.linalg.LinAlgError(
                f"The kernel, {kernel}, has no positive definite matrix of the inducing rows. Scale the features, or "
                "use fewer inducing rows."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            seen = see(inducing, observed, noise_of(kernel, observed), room)
            self.lower_bound_ = lower_bound(seen)
            self.upper_bound_ = upper_bound(inducing, observed, seen, room)
        if not np.isfinite(self.lower_bound_):
            raise InputError(
                "y: expected targets whose squares float64 holds, got "
                f"{np.abs(observed.y).max():.3g}. Scale them, or use normalize_y=True."
            )
        total = float(quiet(kernel).diagonal(observed.X).sum())
        self.residual_ = max(0.0, float(seen.left.sum()) / total) if total else 0.0
        self._sparse_posterior = SparsePosterior.of(inducing, seen, room.step)

    @property
    def _posterior(self) -> SparsePosterior:
        return self._sparse_posterior

    @property
    def _memory(self) -> int:
        return int(float(self.cache_size) * 1e6)

    def _room(self, known: Observations) -> Room:
        n = len(known.X)
        count = min(int(self.n_inducing), n)
        room = Room.within(n, count, self._memory)
        if room is None:
            raise ParameterError(
                f"cache_size: expected room for some matrices of {count} × {count} numbers, got {self.cache_size:g} "
                "MB. Raise cache_size, or lower n_inducing."
            )
        return room

    def _choose(self, kernel: Kernel, X: Floats, random: np.random.RandomState) -> Landmarks:
        """The inducing rows; all rows where as many are asked for."""
        n, count, shared = len(X), int(self.n_inducing), shared_part(kernel)
        if shared is None:
            raise ParameterError(
                f"kernel: expected one with a part that different observations share, got {kernel}, which is noise "
                "alone."
            )
        if count >= n:
            return Landmarks(X, np.arange(n))
        return choose_landmarks(self.selection, shared, X, count, random, available_threads(), self._memory)


def _check_noise(kernel: Kernel, observed: Observations) -> None:
    least = float(noise_of(kernel, observed).min())
    if least <= 0:
        raise ParameterError(
            f"alpha: expected noise at every observation, which the bound needs, got {least:g} at one. Raise alpha, "
            "add White() to the kernel, or give fit noise_groups."
        )


def _best_of_sample(
    known: Observations, unknowns: Unknowns, starts: list[Floats], random: np.random.RandomState, ends: float
) -> Floats:
    """θ of the largest likelihood of some rows, from every start."""
    rows = np.sort(random.permutation(len(known.X))[:_SAMPLE])
    some = known.taken(rows)
    of_some, share = unknowns.taken(rows).objective(some), 1 / some.y.size

    def objective(theta: Floats) -> tuple[float, Floats]:
        value, slopes = of_some(theta)
        return share * value, share * slopes

    return maximise(objective, starts, unknowns.bounds, _SAMPLE, ends=ends, growth=_GROWTH_OF_SAMPLE).theta
