"""The kernel that the parameters of kernel ridge regression mean, as scikit-learn reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.data import asymmetry
from mercer.errors import KernelError, ParameterError
from mercer.kernels import CallableKernel, Kernel, ValuesFrom, kernel_from_name
from mercer.typing import Floats

__all__ = ["PairwiseFunction", "check_symmetry", "ridge_kernel"]

_NAMES = {"polynomial": "poly"}
# Kernels that are scikit-learn's alone, and whether they have a gamma.
_ITS_OWN = {"additive_chi2": False, "chi2": True, "cosine": False}
# Rows that a function is asked for both ways round.
_PROBES = 3


@dataclass(frozen=True)
class PairwiseFunction:
    """Values between all rows of two matrices, by scikit-learn: of its own kernels, or of a function of two rows."""

    metric: Any
    params: dict[str, Any] = field(default_factory=dict)

    def __call__(self, X: Any, Z: Any) -> Floats:
        from sklearn.metrics.pairwise import pairwise_kernels  # takes long to import

        return pairwise_kernels(X, Z, metric=self.metric, **self.params)  # type: ignore[no-any-return]

    @property
    def __name__(self) -> str:
        return str(getattr(self.metric, "__name__", self.metric))


def check_symmetry(kernel: Kernel, X: Any) -> None:
    """Raises for a function that is not symmetric on some rows: scikit-learn asks it for each pair of all rows once."""
    if kernel.values_from is not ValuesFrom.PYTHON:
        return
    some = X[:_PROBES]
    worst = asymmetry(kernel.matrix(some, some.copy()))
    if worst > 0:
        raise KernelError(
            f"kernel: expected a symmetric function, got values that differ by {worst:.3g} if its arguments change "
            "places. Use (k(x, z) + k(z, x)) / 2 if that is what you mean."
        )


def ridge_kernel(kernel: Any, gamma: Any, degree: Any, coef0: Any, params: Any, owner: str) -> Kernel:
    """The kernel of these parameters; `params` go to a function of two rows, and to nothing else."""
    is_function = callable(kernel) and not isinstance(kernel, Kernel)
    if params is not None and not is_function:
        raise ParameterError(f"kernel_params: expected None unless kernel is a function of two rows, got {params!r}.")
    if is_function:
        return CallableKernel(PairwiseFunction(kernel, dict(params or {})))
    if isinstance(kernel, str) and kernel in _ITS_OWN:
        given = {"gamma": gamma} if gamma is not None and _ITS_OWN[kernel] else {}
        return CallableKernel(PairwiseFunction(kernel, given))
    name = _NAMES.get(kernel, kernel) if isinstance(kernel, str) else kernel
    if isinstance(kernel, str) and np.ndim(gamma) == 1:  # one for each feature
        of_name = kernel_from_name(name, "auto", degree, coef0, owner=owner, also=tuple(_ITS_OWN))
        return of_name.with_params(gamma=gamma) if "gamma" in of_name.get_params() else of_name
    return kernel_from_name(name, "auto" if gamma is None else gamma, degree, coef0, owner=owner, also=tuple(_ITS_OWN))
