"""Kernels of scikit-learn's Gaussian processes as Mercer's.

Every parameter of theirs is a power of one of Mercer's times a constant (gamma is ½ ℓ^−2), so that logarithms, in which
likelihoods are maximised, differ by a factor and a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mercer.errors import ParameterError
from mercer.kernels.algebra import Constant, Product, Sum, power_of
from mercer.kernels.base import Kernel
from mercer.kernels.distance import RBF
from mercer.kernels.dot import Linear
from mercer.kernels.periodic import Periodic
from mercer.kernels.smooth import Matern, RationalQuadratic
from mercer.kernels.white import White

__all__ = ["Translation", "is_of_scikit_learn", "is_translatable", "translate"]

_MODULE = "sklearn.gaussian_process.kernels"
# Powers that are products of a few factors, each of which is evaluated for itself.
_EXPONENTS = range(1, 9)


class Translation(NamedTuple):
    """A kernel of Mercer's, and of each of its parameters in their order the power of scikit-learn's, 0 if fixed.

    `numbers` says which one of scikit-learn's each comes from: a kernel to a power has its own several times.
    """

    kernel: Kernel
    powers: tuple[float, ...]
    numbers: tuple[int, ...]


def is_of_scikit_learn(kernel: Any) -> bool:
    """Whether it is one of the kernels of `sklearn.gaussian_process.kernels`."""
    return type(kernel).__module__ == _MODULE


def is_translatable(kernel: Any) -> bool:
    """Whether Mercer has the same kernel."""
    if not is_of_scikit_learn(kernel) or type(kernel).__name__ not in _TRANSLATED:
        return False
    parts = [getattr(kernel, name) for name in ("k1", "k2") if hasattr(kernel, name)]
    parts += [kernel.kernel] if hasattr(kernel, "exponent") else []
    has_same = getattr(kernel, "nu", 1.5) in (0.5, 1.5, 2.5, np.inf) and getattr(kernel, "exponent", 1) in _EXPONENTS
    return has_same and all(map(is_translatable, parts))


def translate(kernel: Any) -> Translation:
    """The same kernel in Mercer. Raises for those that Mercer does not have.

    Examples
    --------
    >>> from sklearn.gaussian_process import kernels
    >>> from mercer.kernels.translated import translate
    >>> translate(2.0 * kernels.RBF(1.0)).kernel
    Product(left=Constant(value=2.0), right=RBF(gamma=0.5))
    """
    if not is_translatable(kernel):
        raise ParameterError(
            f"kernel: expected a kernel of Mercer's, or one of scikit-learn's among {', '.join(_TRANSLATED)}, got "
            f"{kernel!r}. Matern has nu = 0.5, 1.5, 2.5 or ∞, and powers are whole, up to "
            f"{_EXPONENTS[-1]}; write another kernel as a subclass of mercer.Kernel."
        )
    return _TRANSLATED[type(kernel).__name__](kernel)


def _joined(kind: type[Kernel]) -> Callable[[Any], Translation]:
    def translated(kernel: Any) -> Translation:
        left, right = translate(kernel.k1), translate(kernel.k2)
        first = max(left.numbers, default=-1) + 1
        numbers = left.numbers + tuple(first + number for number in right.numbers)
        return Translation(kind(left.kernel, right.kernel), left.powers + right.powers, numbers)  # type: ignore[call-arg]

    return translated


def _power(kernel: Any) -> Translation:
    base, exponent = translate(kernel.kernel), int(kernel.exponent)
    return Translation(power_of(base.kernel, exponent), base.powers * exponent, base.numbers * exponent)


def _leaf(kernel: Kernel, powers: tuple[float, ...]) -> Translation:
    return Translation(kernel, powers, tuple(range(len(powers))))


def _powers(kernel: Any, **powers: float) -> tuple[float, ...]:
    """Of parameters by their names, in the order of Mercer's; one for each number of a parameter that has several."""
    told: list[float] = []
    for name, power in powers.items():
        is_fixed = getattr(kernel, f"hyperparameter_{name}").fixed
        told += [0.0 if is_fixed else power] * np.size(getattr(kernel, name))
    return tuple(told)


def _rbf(kernel: Any) -> Translation:
    return _leaf(RBF.with_length_scale(kernel.length_scale), _powers(kernel, length_scale=-2.0))


def _matern(kernel: Any) -> Translation:
    if kernel.nu == np.inf:
        return _rbf(kernel)
    of_scale = Matern.with_length_scale(kernel.length_scale, nu=kernel.nu)
    return _leaf(of_scale, _powers(kernel, length_scale=-2.0))


def _rational_quadratic(kernel: Any) -> Translation:
    of_scale = RationalQuadratic.with_length_scale(kernel.length_scale, alpha=kernel.alpha)
    return _leaf(of_scale, _powers(kernel, alpha=1.0, length_scale=-2.0))


def _periodic(kernel: Any) -> Translation:
    return _leaf(Periodic(kernel.periodicity, kernel.length_scale), _powers(kernel, length_scale=1.0, periodicity=1.0))


def _dot_product(kernel: Any) -> Translation:
    return _leaf(Sum(Constant(kernel.sigma_0**2), Linear()), _powers(kernel, sigma_0=2.0))


_TRANSLATED: dict[str, Callable[[Any], Translation]] = {
    "RBF": _rbf,
    "Matern": _matern,
    "RationalQuadratic": _rational_quadratic,
    "ExpSineSquared": _periodic,
    "DotProduct": _dot_product,
    "ConstantKernel": lambda kernel: _leaf(Constant(kernel.constant_value), _powers(kernel, constant_value=1.0)),
    "WhiteKernel": lambda kernel: _leaf(White(kernel.noise_level), _powers(kernel, noise_level=1.0)),
    "Sum": _joined(Sum),
    "Product": _joined(Product),
    "Exponentiation": _power,
}
