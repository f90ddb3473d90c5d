"""The numbers of a kernel that a likelihood decides, by their logarithms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from mercer.errors import ParameterError
from mercer.kernels import (
    RBF,
    Constant,
    Kernel,
    Laplacian,
    Matern,
    Periodic,
    Polynomial,
    RationalQuadratic,
    Scaled,
    White,
)
from mercer.kernels.translated import is_of_scikit_learn, translate
from mercer.typing import Booleans, Floats, Integers

__all__ = ["DEFAULT_BOUNDS", "Hyperparameters", "as_mercer", "parameters_of", "read_limits"]

#: scikit-learn's, for every parameter; gammas of length scales have the bounds that follow from it.
DEFAULT_BOUNDS = (1e-5, 1e5)
_BOUNDS_OF_GAMMA = (0.5e-10, 0.5e10)
_WITH_LENGTH_SCALE = (RBF, Matern, RationalQuadratic)

# The positive parameters of kernels, in the order of their names, which is scikit-learn's.
_POSITIVE: dict[type[Kernel], tuple[str, ...]] = {
    RBF: ("gamma",),
    Laplacian: ("gamma",),
    Matern: ("gamma",),
    RationalQuadratic: ("alpha", "gamma"),
    Periodic: ("length_scale", "period"),
    White: ("noise",),
    Constant: ("value",),
    Polynomial: ("coef0", "gamma"),
}


class Parameter(NamedTuple):
    """A parameter by its name in `Kernel.get_params`, with its value, or one for each feature."""

    name: str
    value: float | tuple[float, ...]
    bounds: tuple[float, float] = DEFAULT_BOUNDS

    @property
    def numbers(self) -> tuple[float, ...]:
        return self.value if isinstance(self.value, tuple) else (self.value,)

    def with_numbers(self, numbers: Floats) -> float | tuple[float, ...]:
        """The value that has these numbers."""
        return tuple(numbers.tolist()) if isinstance(self.value, tuple) else float(numbers[0])


def parameters_of(kernel: Kernel, prefix: str = "") -> Iterator[Parameter]:
    """The positive parameters of a kernel, and of those that it is made of, from left to right."""
    if isinstance(kernel, Scaled):
        yield Parameter(f"{prefix}factor", kernel.factor)
    for name, value in kernel.get_params(deep=False).items():
        if isinstance(value, Kernel):
            yield from parameters_of(value, f"{prefix}{name}__")
    for name in _POSITIVE.get(type(kernel), ()):
        value = getattr(kernel, name)
        of_scale = name == "gamma" and isinstance(kernel, _WITH_LENGTH_SCALE)
        bounds = _BOUNDS_OF_GAMMA if of_scale else DEFAULT_BOUNDS
        yield Parameter(prefix + name, value if isinstance(value, tuple) else float(value), bounds)


@dataclass(frozen=True, eq=False, repr=False)
class Hyperparameters:
    """The free numbers of a kernel, θ their logarithms, and the bounds of θ.

    Of a kernel of scikit-learn's, θ and its bounds are those that it has itself.
    """

    kernel: Any
    theta: Floats
    bounds: Floats
    #: Of each number of Mercer's kernel: the power of the user's that it is, and whether it is free.
    powers: Floats
    is_free: Booleans
    names: tuple[str, ...]
    #: Of each number that is free: where it is in θ.
    places: Integers

    @classmethod
    def of(cls, kernel: Any, bounds: Mapping[str, Any] | None = None, is_sought: bool = True) -> Hyperparameters:
        """Those of a kernel whose every parameter is a number. `bounds` are of parameters by name, or "fixed".

        Numbers ≤ 0 have no logarithm: where the best are sought they are refused, and else they are not free.
        """
        if is_of_scikit_learn(kernel):
            if bounds:
                raise ParameterError("bounds: expected None with a kernel of scikit-learn's, which has bounds itself.")
            translated = translate(kernel)
            powers = np.array(translated.powers)
            places = np.unique(np.array(translated.numbers, dtype=np.int64)[powers != 0], return_inverse=True)[1]
            theirs = [one for one in kernel.hyperparameters if not one.fixed]
            of_theirs = tuple(name for one in theirs for name in _numbered(one.name, one.n_elements))
            own = kernel.bounds.reshape(-1, 2)
            return cls(kernel, np.array(kernel.theta), own, powers, powers != 0, of_theirs, places)
        given = {} if bounds is None else dict(bounds)
        parameters = list(parameters_of(kernel))
        unknown = set(given) - {one.name for one in parameters}
        if unknown:
            raise ParameterError(
                f"bounds: expected names among {[one.name for one in parameters]}, got {sorted(unknown)}."
            )
        theta: list[float] = []
        limits: list[tuple[float, float]] = []
        is_free: list[bool] = []
        names: list[str] = []
        for one in parameters:
            limit = read_limits(one.name, given.get(one.name, one.bounds))
            own = [limit is not None and (is_sought or number > 0) for number in one.numbers]
            is_free += own
            if limit is None:
                continue
            if is_sought and min(one.numbers) <= 0:
                raise ParameterError(
                    f"{one.name}: expected a number > 0 to begin from, as its logarithm is sought, got {one.value!r}. "
                    f"Give another, or bounds={{{one.name!r}: 'fixed'}}."
                )
            theta += np.log(np.array(one.numbers)[own]).tolist()
            limits += [limit] * sum(own)
            names += compress(_numbered(one.name, len(one.numbers)), own)
        logarithms, free = np.log(np.array(limits).reshape(-1, 2)), np.array(is_free, dtype=bool)
        places = np.arange(len(theta))
        return cls(kernel, np.array(theta), logarithms, np.ones(len(free)), free, tuple(names), places)

    def at(self, theta: Floats) -> Any:
        """The user's kernel with these numbers."""
        if is_of_scikit_learn(self.kernel):
            return self.kernel.clone_with_theta(theta)
        free, first, values = iter(np.exp(theta).tolist()), 0, {}
        for one in parameters_of(self.kernel):
            numbers = np.array(one.numbers)
            chosen = self.is_free[first : first + len(numbers)]
            if chosen.any():
                numbers[chosen] = [next(free) for _ in range(int(chosen.sum()))]
                values[one.name] = one.with_numbers(numbers)
            first += len(numbers)
        return self.kernel.with_params(**values)

    def compiled(self, theta: Floats) -> Kernel:
        """Mercer's kernel with these numbers."""
        return as_mercer(self.at(theta))

    def slopes_in_theta(self, slopes: Floats) -> Floats:
        """Slopes by θ of what has these slopes by the logarithms of all numbers of Mercer's kernel."""
        found = np.zeros(len(self.theta))
        np.add.at(found, self.places, (self.powers * slopes)[self.is_free])
        return found


def as_mercer(kernel: Any) -> Kernel:
    """A kernel of Mercer's as it is, one of scikit-learn's translated."""
    return kernel if isinstance(kernel, Kernel) else translate(kernel).kernel


def _numbered(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}[{k}]" for k in range(count)]


def read_limits(name: str, given: Any) -> tuple[float, float] | None:
    """The bounds of a parameter; None where it is fixed."""
    if isinstance(given, str) and given == "fixed":
        return None
    try:
        low, high = (float(bound) for bound in given)
    except (TypeError, ValueError):
        low, high = 0.0, 0.0
    if not 0 < low <= high < np.inf:
        raise ParameterError(
            f"bounds: expected two finite numbers 0 < low ≤ high for {name}, or 'fixed', got {given!r}."
        )
    return low, high
