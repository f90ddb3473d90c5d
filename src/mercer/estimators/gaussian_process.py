"""What Gaussian processes for numbers and for classes share: the kernel, and the search for its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from time import perf_counter
from typing import Any, ClassVar, Protocol

import numpy as np
from sklearn.utils import check_random_state

from mercer import checks
from mercer.errors import InputError, ParameterError, UnsolvedWarning, warn_user
from mercer.kernels import RBF, Kernel, Scaled, WithKernel
from mercer.kernels.translated import is_of_scikit_learn, translate
from mercer.processes import Hyperparameters, Optimum, maximise
from mercer.processes.optimum import OUT_OF_TIME, Objective
from mercer.processes.samples import ObjectiveOf, maximise_by_samples, takes_samples
from mercer.typing import Floats

__all__ = ["GaussianProcess", "read_noise"]

# The start that scikit-learn takes where no kernel is given, a length scale of one.
_DEFAULT = Scaled(1.0, RBF(0.5))
_FIXED = {"factor": "fixed", "kernel__gamma": "fixed"}

# θ within this share of its bounds from one of them has run off to it, as in scikit-learn.
_AT_BOUND = 1e-5


def _check_optimizer(name: str, value: Any) -> Any:
    """None, the name of scikit-learn's, or something to call."""
    if value is not None and not callable(value) and value != "fmin_l_bfgs_b":
        raise ParameterError(f"{name}: expected 'fmin_l_bfgs_b', a callable or None, got {value!r}.")
    return value


def _check_bounds(name: str, value: Any) -> Any:
    if value is not None and not isinstance(value, Mapping):
        raise ParameterError(f"{name}: expected a dict from names of kernel parameters to bounds, got {value!r}.")
    return value


class Searched(Protocol):
    """Where a search begins, within which bounds, and what the parameters are called."""

    @property
    def theta(self) -> Floats: ...
    @property
    def bounds(self) -> Floats: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    def at(self, theta: Floats) -> Any: ...


class GaussianProcess(WithKernel):
    """A kernel whose parameters a likelihood decides."""

    #: Whether the parameters of the default kernel are kept as they are, as scikit-learn has it for classes.
    _keeps_default: ClassVar[bool] = False

    optimizer: Any
    n_restarts_optimizer: int
    random_state: Any
    bounds: Any
    time_limit: float | None

    #: Where no kernel is given.
    _default_kernel: ClassVar[Kernel] = _DEFAULT
    _checks: ClassVar[dict[str, checks.Check]] = {
        "optimizer": _check_optimizer,
        "n_restarts_optimizer": checks.at_least(0),
        "random_state": checks.seed,
        "bounds": _check_bounds,
        "time_limit": checks.optional_positive,
    }

    def _prior(self) -> Any:
        """The kernel that is given, Mercer's or scikit-learn's, or the default."""
        kernel = self._default_kernel if self.kernel is None else self.kernel
        if type(kernel).__name__ == "CompoundKernel":
            # The first words are scikit-learn's, which people match.
            raise ParameterError("kernel cannot be a CompoundKernel: expected one kernel, whose values are numbers.")
        if is_of_scikit_learn(kernel):
            translate(kernel)  # raises for those that Mercer does not have
        elif not isinstance(kernel, Kernel) or kernel.is_pairwise:
            raise ParameterError(
                f"kernel: expected a kernel of Mercer's or scikit-learn's that takes features, or None, got {kernel!r}."
            )
        return kernel

    def _hyperparameters(self, X: Floats, bounds: Any) -> Hyperparameters:
        kernel = self._prior()
        if isinstance(kernel, Kernel):
            bounds = _FIXED if self._keeps_default and self.kernel is None and bounds is None else bounds
            return Hyperparameters.of(kernel.resolve(X), bounds, is_sought=self.optimizer is not None)
        translate(kernel).kernel.resolve(X)  # raises where there are not as many length scales as features
        return Hyperparameters.of(kernel, bounds)

    @property
    def _ends(self) -> float:
        """When a search that begins now has to end, on the clock `perf_counter`."""
        return np.inf if self.time_limit is None else perf_counter() + float(self.time_limit)

    def _starts(self, parameters: Searched, random: Any) -> list[Floats]:
        """The kernel as it is given, and random ones."""
        starts, bounds = [parameters.theta], parameters.bounds
        if self.n_restarts_optimizer > 0 and not np.all(np.isfinite(bounds)):
            raise ParameterError(
                "Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite, got "
                f"{np.exp(bounds).tolist()}."
            )
        return starts + [random.uniform(bounds[:, 0], bounds[:, 1]) for _ in range(self.n_restarts_optimizer)]

    #: What a step of a search has to gain; None leaves it to L-BFGS-B.
    _growth: ClassVar[float | None] = None

    def _maximise(
        self,
        parameters: Searched,
        objective: Objective,
        rows: int,
        starts: list[Floats],
        ends: float,
        objective_of: ObjectiveOf | None = None,
    ) -> Optimum:
        """The best θ that the starts lead to, until the time `ends`; tells of what kept the search from its end.

        Where the objective of some of the rows is known too, that of many rows is climbed by way of samples.
        """
        own = self.optimizer if callable(self.optimizer) else None
        found = None
        if objective_of is not None and own is None and takes_samples(rows, len(parameters.theta)):
            found = maximise_by_samples(
                lambda some: _told(objective_of(some), parameters), starts, parameters.bounds, rows, ends
            )
        if found is None:
            told = _told(objective, parameters)
            found = maximise(told, starts, parameters.bounds, rows, own, ends=ends, growth=self._growth)
        if found.trouble == OUT_OF_TIME:
            warn_user(
                UnsolvedWarning(
                    f"The search for the kernel's parameters ended at time_limit={self.time_limit:g} seconds, after "
                    f"{found.evaluations} likelihoods; what was best by then is kept. Raise time_limit, or fit fewer "
                    "rows or parameters."
                )
            )
        elif found.trouble is not None:
            warn_user(
                UnsolvedWarning(
                    "The search for the kernel's parameters did not end at a maximum of the likelihood: "
                    f"{found.trouble}. Scale the features and targets, or give other bounds; rows that repeat with "
                    "other targets want noise, White() in the kernel or a larger alpha."
                )
            )
        _tell_bounds(parameters, found.theta)
        return found

    @property
    def _random(self) -> Any:
        return check_random_state(self.random_state)


def _told(objective: Objective, parameters: Searched) -> Objective:
    """The objective, with an error where its slopes are no numbers."""

    def told(theta: Floats) -> tuple[float, Floats]:
        with np.errstate(over="ignore", invalid="ignore"):
            value, slopes = objective(theta)
        if not np.all(np.isfinite(slopes)):
            raise InputError(
                f"X: expected features whose squared differences float64 holds under {parameters.at(theta)}, got "
                "slopes of the likelihood that are not finite. Scale the features, for instance with "
                "StandardScaler."
            )
        return value, slopes

    return told


def _tell_bounds(parameters: Searched, theta: Floats) -> None:
    """Warns of parameters that the likelihood drives to a bound, in the words of scikit-learn, which people match."""
    for numbered, value, (low, high) in zip(parameters.names, theta, parameters.bounds, strict=True):
        name, _, place = numbered.removesuffix("]").partition("[")
        for side, bound, way in (("lower", low, "Decreasing"), ("upper", high, "Increasing")):
            if low < high and np.isclose(value, bound, rtol=_AT_BOUND, atol=_AT_BOUND):
                warn_user(
                    UnsolvedWarning(
                        f"The optimal value found for dimension {place or 0} of parameter {name} is close to the "
                        f"specified {side} bound {float(f'{np.exp(bound):.12g}')}. {way} the bound and calling fit "
                        "again may find a better value."
                    )
                )


def read_noise(alpha: Any, rows: int) -> float | Floats:
    """The variance of the noise of all observations, or of each."""
    if isinstance(alpha, Real) and not isinstance(alpha, (bool, np.bool_)):
        noise: float | Floats = float(alpha)
    else:
        given = np.asarray(alpha)
        noise = given.astype(np.float64) if given.dtype.kind in "iuf" else np.array(np.nan)
        if noise.shape == (1,):
            noise = float(noise[0])
        elif noise.shape != (rows,) and noise.ndim == 1:
            raise InputError(
                f"alpha must be a scalar or an array with same number of entries as y. ({len(noise)} != {rows})"
            )
    if np.ndim(noise) > 1 or not np.all(np.isfinite(noise) & (np.asarray(noise) >= 0)):
        told = f"an array of shape {np.shape(noise)}, from {np.min(noise):g}" if np.size(noise) > 1 else repr(alpha)
        raise ParameterError(f"alpha: expected a finite number ≥ 0, or one for each row, got {told}.")
    return noise
