"""What every kernel is: a value that can be evaluated, resolved against data, and combined."""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from mercer._runtime import available_threads, core
from mercer.checks import finite_number
from mercer.data import as_core_data, core_ready, is_sparse
from mercer.errors import KernelError, NumericsWarning, ParameterError, kernel_overflow, warn_user
from mercer.kernels.monomials import Term, map_features
from mercer.typing import Floats

if TYPE_CHECKING:
    from mercer.kernels.algebra import Sum
    from mercer.kernels.feature_map import FeatureMap

__all__ = [
    "Kernel",
    "Gamma",
    "ValuesFrom",
    "gamma_value",
    "no_finite_map",
    "number",
    "squared_norms",
    "times_gamma",
]

# A difference of two squares below this share of them is rounding.
_SQUARE_ROUNDING = 1e-14

Gamma = float | Literal["scale", "auto"]


class ValuesFrom(Enum):
    """Where the values of a kernel come from."""

    CORE = "computed by the core from features"
    WEIGHTS = "computed by the core from features, and sums of them through weights"
    MATRIX = "held by X"
    PYTHON = "asked of a Python function"


class Kernel(ABC):
    """A symmetric function k(x, z) of two rows.

    Subclasses are frozen dataclasses. Those that the core knows implement `lower`; the others implement `matrix`.
    """

    # By what strings and plain dicts find it, where they do.
    _name: ClassVar[str | None] = None
    # What fields are called as parameters, where that is not their name.
    _shown_names: ClassVar[dict[str, str]] = {}
    # And in plain dicts, which have the kernel's own name under "kernel".
    _plain_names: ClassVar[dict[str, str]] = {}

    def lower(self) -> core.Kernel | None:
        """The compiled form, or None where values come from Python."""
        return None

    @abstractmethod
    def resolve(self, X: Any) -> Kernel:
        """The same kernel with every parameter a number, those named "scale" or "auto" taken from the data."""

    @property
    @abstractmethod
    def is_definite(self) -> bool | None:
        """Whether every Gram matrix is positive semi-definite; None where nobody knows."""

    @property
    def values_from(self) -> ValuesFrom:
        """The core, where the kernel has a compiled form; else Python."""
        return ValuesFrom.PYTHON if type(self).lower is Kernel.lower else ValuesFrom.CORE

    @property
    def is_pairwise(self) -> bool:
        """Whether X holds kernel values instead of features."""
        return self.values_from is ValuesFrom.MATRIX

    def matrix(self, X: Any, Z: Any) -> Floats:
        """k(x, z) for every row x of X and z of Z, as float64."""
        lowered = self.lower()
        if lowered is None:
            raise NotImplementedError(f"{type(self).__name__} has neither lower() nor matrix()")
        try:
            return core.Centres64(lowered, as_core_data(Z)).matrix(as_core_data(X), available_threads())
        except OverflowError:
            raise kernel_overflow(self) from None

    def diagonal(self, X: Any) -> Floats:
        """k(x, x) of every row, as float64."""
        step = 64
        parts = [X[first : first + step] for first in range(0, X.shape[0], step)]
        return np.concatenate([np.diagonal(self.matrix(part, part)) for part in parts])

    def terms(self) -> list[Kernel]:
        """The kernels whose sum it is: itself, where it is no sum."""
        return [self]

    def magnitude(self, X: Any) -> Floats:
        """One number m a row with |k(x_i, x_j)| ≤ m_i m_j. Where nobody knows the kernel: as if it were definite."""
        return np.sqrt(np.abs(self.diagonal(X)))

    def rounding(self, X: Any) -> Floats:
        """What each row adds to the rounding error of its kernel values, in units of the machine precision.

        Relative to the values for kernels of the distance, to the product of both magnitudes for others.
        """
        return np.full(X.shape[0], self.rounding_bound(X))

    def rounding_size(self, X: Any) -> Floats:
        """What rounding each row brings into sums of its kernel values, up to a common factor."""
        return self.rounding(X) * self.magnitude(X)

    def rounding_bound(self, X: Any) -> float:
        """No less than any value of `rounding`, told from the shape of X; ∞ where that does not tell."""
        return float(2 * X.shape[1] ** 0.5 + 4)

    def map_size(self, features: int, degree: int | None = None) -> int | None:
        """Features of a map φ with φ(x)ᵀφ(z) = k(x, z), for rows of so many features; None where there is none.

        A kernel whose map has no end has one that is cut at `degree`; others take no notice of it.
        """
        return None

    def map_terms(self, features: int, degree: int | None = None) -> list[Term]:
        """The kernel as a sum of monomials, one for each feature of φ, where `map_size` says that there is one."""
        raise no_finite_map(self)

    def map_rows(self, X: Any, degree: int | None = None) -> Any:
        """φ of every row, where `map_size` says that there is one."""
        return map_features(self.map_terms(X.shape[1], degree), X)

    def map_remainder(self, X: Any, degree: int | None = None) -> Floats:
        """The squared length, at every row, of the features that a map cut at `degree` leaves out."""
        return np.zeros(X.shape[0])

    def feature_map(
        self, n_features: int | None = None, *, degree: int | None = None, max_features: int | None = None
    ) -> FeatureMap:
        """The explicit map φ with φ(x)ᵀφ(z) = k(x, z), as a transformer.

        Parameters
        ----------
        n_features : int, optional
            Features of the rows to map. Where it is given and no parameter of the kernel has to be learned from data,
            the map is ready before any fit.
        degree : int, optional
            Where an RBF kernel's map is cut; kernels with a finite map take none.
        max_features : int, optional
            The most features that the map may have; the default is that of `FeatureMap`.

        Returns
        -------
        FeatureMap

        Examples
        --------
        >>> from mercer import Polynomial
        >>> list(Polynomial(2, coef0=0).feature_map(2).get_feature_names_out())
        ['x0^2', '√2 x0 x1', 'x1^2']
        """
        from mercer.kernels.feature_map import FeatureMap

        limit = {} if max_features is None else {"max_features": max_features}
        return FeatureMap(self, n_features=n_features, degree=degree, **limit).prepared()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as scikit-learn's searches ask for them.

        Parameters
        ----------
        deep : bool, default=True
            Whether those of the kernels that it is made of are told as well, by names such as k1__gamma.

        Returns
        -------
        dict

        Examples
        --------
        >>> from mercer import RBF, Linear
        >>> (RBF(0.1) + Linear()).get_params()
        {'k1': RBF(gamma=0.1), 'k1__gamma': 0.1, 'k2': Linear()}
        """
        told = {}
        for name, value in self._params().items():
            told[name] = value
            if deep and isinstance(value, Kernel):
                told |= {f"{name}__{inner}": part for inner, part in value.get_params().items()}
        return told

    def with_params(self, **params: Any) -> Kernel:
        """A kernel like this one with some parameters changed, by the names that `get_params` tells.

        Examples
        --------
        >>> from mercer import RBF, Linear
        >>> (RBF(0.1) + Linear()).with_params(k1__gamma=2.0)
        Sum(left=RBF(gamma=2.0), right=Linear())
        """
        own, changed = self._params(), {}
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            head, is_nested, rest = name.partition("__")
            if head not in own or (is_nested and not isinstance(own[head], Kernel)):
                raise ParameterError(
                    f"Invalid parameter {name!r} for the kernel {self}: expected some of {list(self.get_params())}."
                )
            if is_nested:
                nested.setdefault(head, {})[rest] = value
            else:
                changed[head] = value
        for name, inner in nested.items():
            part = changed.get(name, own[name])
            if not isinstance(part, Kernel):
                raise ParameterError(f"{name}: expected a kernel to set {list(inner)} of, got {part!r}.")
            changed[name] = part.with_params(**inner)
        names = {shown: field for field, shown in self._shown_names.items()}
        return replace(self, **{names.get(name, name): value for name, value in changed.items()})  # type: ignore[type-var]

    def to_dict(self) -> dict[str, Any]:
        """The kernel as a plain dict, which JSON can hold; `mercer.kernels.kernel_from_dict` reads it.

        Examples
        --------
        >>> from mercer import RBF
        >>> (2 * RBF(0.1)).to_dict()
        {'kernel': 'scaled', 'factor': 2.0, 'of': {'kernel': 'rbf', 'gamma': 0.1}}
        """
        from mercer.kernels.plain import kernel_to_dict

        return kernel_to_dict(self)

    def set_params(self, **params: Any) -> Self:
        """Refuses: a kernel is a value. What holds it sets it anew, as Mercer's estimators do with kernel__gamma."""
        raise ParameterError(
            f"{self} is a value and stays as it is: expected a new kernel in its place. Take what "
            f"with_params({', '.join(f'{name}={value!r}' for name, value in params.items())}) returns."
        )

    def __sklearn_clone__(self) -> Self:
        return self

    def _params(self) -> dict[str, Any]:
        names: list[str] = [one.name for one in fields(self)] if is_dataclass(self) else []
        return {self._shown_names.get(name, name): getattr(self, name) for name in names}

    def __call__(self, X: Any, Z: Any = None) -> Floats:
        """The matrix of kernel values between the rows of X and of Z (of X where Z is not given)."""
        X = core_ready(_rows(X))
        Z = X if Z is None else core_ready(_rows(Z))
        if X.shape[1] != Z.shape[1]:
            raise KernelError(f"Expected X and Z with the same number of features, got {X.shape[1]} and {Z.shape[1]}.")
        return self.resolve(X).matrix(X, Z)

    def __add__(self, other: Kernel | float) -> Sum:
        from mercer.kernels.algebra import Sum, as_kernel

        return Sum(self, as_kernel(other))

    def __radd__(self, other: Kernel | float) -> Sum:
        from mercer.kernels.algebra import Sum, as_kernel

        return Sum(as_kernel(other), self)

    def __mul__(self, other: Kernel | float) -> Kernel:
        from mercer.kernels.algebra import Product, Scaled, as_kernel

        if isinstance(other, Real) and not isinstance(other, bool):
            return Scaled(float(other), self)
        return Product(self, as_kernel(other))

    def __rmul__(self, other: Kernel | float) -> Kernel:
        return self * other

    def __truediv__(self, divisor: float) -> Kernel:
        from mercer.kernels.algebra import Scaled

        factor = 1.0 / given if (given := finite_number(divisor)) > 0 else math.inf
        if math.isinf(factor):
            raise ParameterError(
                f"Expected to divide {self} by a finite number > 0, got {divisor!r}: else it is no kernel."
            )
        return Scaled(factor, self)

    def __pow__(self, power: int) -> Kernel:
        from mercer.kernels.algebra import power_of

        return power_of(self, power)


def _rows(X: Any) -> Any:
    """X as a matrix of numbers that are all finite."""
    matrix: Any = X if is_sparse(X) else np.asarray(X)
    if matrix.ndim != 2:
        raise KernelError(f"Expected a matrix with one row a point, got {matrix.ndim} dimensions.")
    values = matrix.data if is_sparse(X) else matrix
    if values.dtype.kind not in "fiub":
        raise KernelError(f"Expected a matrix of numbers, got dtype {values.dtype}.")
    if not np.all(np.isfinite(values)):
        raise KernelError("Expected finite values, got NaN or infinity. Impute or remove these rows.")
    return matrix


def no_finite_map(kernel: Kernel) -> KernelError:
    """The error for a kernel that is no sum of finitely many monomials."""
    return KernelError(
        f"{kernel!r} has no finite feature map: expected a linear, a constant or a polynomial kernel with coef0 ≥ 0, "
        "RBF cut at a degree, or sums, products and multiples of these. Use the kernel in SVC, which needs no map."
    )


def number(gamma: Gamma) -> float:
    """gamma as a number; "scale" and "auto" need data first."""
    return _unresolved(gamma) if isinstance(gamma, str) else float(gamma)


def _unresolved(gamma: str) -> float:
    raise ParameterError(f"Expected gamma to be a number here, got {gamma!r}. Call resolve(X) to take it from data.")


def times_gamma(gamma: Gamma, values: Floats) -> Floats:
    """gamma · values, with 0 · ∞ = 0."""
    return np.zeros_like(values) if gamma == 0 else np.asarray(number(gamma) * values)


def squared_norms(X: Any) -> Floats:
    """xᵀx of every row, in float64."""
    if is_sparse(X):
        return core.squared_norms(as_core_data(core_ready(X)), 1)
    return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))


def _variance(X: Any) -> float:
    """X.var() in float64, which NumPy takes longer for than a small fit can spare."""
    centred = np.subtract(X, X.sum(dtype=np.float64) / X.size, dtype=np.float64)
    return float(np.multiply(centred, centred, out=centred).sum() / X.size)


def gamma_value(gamma: Gamma, X: Any) -> float:
    """The number behind gamma: "scale" is 1 / (d · variance of all entries), "auto" is 1 / d."""
    if not isinstance(gamma, str):
        return float(gamma)
    d = int(X.shape[1])
    if gamma == "auto":
        return 1.0 / float(d)
    with np.errstate(over="ignore"):
        if is_sparse(X):
            size = X.shape[0] * d
            mean = X.data.sum(dtype=np.float64) / size
            variance = np.square(X.data, dtype=np.float64).sum() / size - mean**2
            if variance <= _SQUARE_ROUNDING * mean**2:
                variance = 0.0
        else:
            variance = _variance(X)
    if variance == 0:
        return 1.0
    scale, largest = 1.0 / (d * float(variance)), sys.float_info.max
    if scale == 0:
        # The first sentence is scikit-learn's, which people match.
        raise KernelError(
            "The dual coefficients or intercepts are not finite. The input data may contain large values and need to "
            f"be preprocessed: gamma='scale' expects features whose variance float64 holds, got {variance:g}. Scale "
            "the features, for instance with StandardScaler."
        )
    if scale > largest:
        warn_user(
            NumericsWarning(
                f"gamma='scale' is {largest:g} because the variance of X is {variance:g}, at the end of "
                "what numbers can tell. Scale the features, for instance with StandardScaler."
            )
        )
    return min(scale, largest)
