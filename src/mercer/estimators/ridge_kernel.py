"""The kernel that the parameters of kernel ridge regression mean, as scikit-learn reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mercer.errors import ParameterError
from mercer.kernels import CallableKernel, Kernel, kernel_from_name
from mercer.typing import Floats

__all__ = ["PairwiseFunction", "ridge_kernel"]

_NAMES = {"polynomial": "poly"}
# Kernels that are scikit-learn's alone, and whether they have a gamma.
_ITS_OWN = {"additive_chi2": False, "chi2": True, "cosine": False}


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
    return kernel_from_name(name, "auto" if gamma is None else gamma, degree, coef0, owner=owner, also=tuple(_ITS_OWN))
