"""Parameters of a kernel by their names within an estimator, such as kernel__gamma."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator

from mercer.errors import ParameterError
from mercer.kernels.base import Kernel

__all__ = ["WithKernel"]

_PREFIX = "kernel__"


class WithKernel(BaseEstimator):  # type: ignore[misc]
    """An estimator with a parameter `kernel`.

    scikit-learn sets nested parameters in place. Kernels are values that others may hold as well, so here the estimator
    gets a new one.
    """

    kernel: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        is_named = isinstance(self.kernel, str) and self.kernel == "precomputed"
        pairwise = is_named or (isinstance(self.kernel, Kernel) and self.kernel.is_pairwise)
        tags.input_tags.sparse = not pairwise
        tags.input_tags.pairwise = pairwise
        return tags

    def set_params(self, **params: Any) -> Self:
        """Sets parameters; those of a kernel object by names such as kernel__gamma.

        Returns
        -------
        self
        """
        nested = {name.removeprefix(_PREFIX): params.pop(name) for name in list(params) if name.startswith(_PREFIX)}
        if nested:
            kernel = params.get("kernel", self.kernel)
            if isinstance(kernel, Kernel):
                params["kernel"] = kernel.with_params(**nested)
            elif hasattr(kernel, "set_params"):
                params |= {_PREFIX + name: value for name, value in nested.items()}
            else:
                raise ParameterError(
                    f"{_PREFIX}{next(iter(nested))}: expected kernel to be an object with parameters, such as "
                    f"RBF(1.0), got {kernel!r}. Set kernel to one, or set the estimator's own gamma, degree or coef0."
                )
        return super().set_params(**params)  # type: ignore[no-any-return]
