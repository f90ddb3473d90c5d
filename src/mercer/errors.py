"""What Mercer raises: each error says what was expected, what came, and what to do."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.certificates.separation import InseparabilityProof
    from mercer.unsolved import UnsolvedWarning as UnsolvedWarning

__all__ = [
    "MercerError",
    "InputError",
    "ModelFileError",
    "SparseMatrixError",
    "ParameterError",
    "KernelError",
    "NotSeparableError",
    "MissingPackageError",
    "TimeLimitError",
    "UnsolvedWarning",
    "NumericsWarning",
    "kernel_overflow",
    "missing_package",
    "warn_user",
]

# Code between the user's line and a warning: Mercer itself, and who calls fit on the user's behalf.
_BETWEEN = {"mercer", "sklearn", "joblib"}


class MercerError(Exception):
    """The root of every error that Mercer raises on purpose."""


class InputError(MercerError, ValueError):
    """Data, targets or weights are not what the machine needs."""


class ModelFileError(InputError):
    """A model cannot be written to a file, or a file does not hold a model that can be read."""


class SparseMatrixError(InputError, TypeError):
    """A sparse matrix came where only a dense one will do."""


class ParameterError(MercerError, ValueError, TypeError):
    """A parameter of an estimator or a kernel has a value it cannot have."""


class KernelError(MercerError, ValueError):
    """A kernel gave values of a wrong shape, not finite, or too large."""


class NotSeparableError(MercerError, ValueError):
    """No hyperplane separates the classes, so the hard margin has no solution; `proof` shows it."""

    def __init__(self, message: str, proof: InseparabilityProof) -> None:
        super().__init__(message)
        self.proof = proof

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.proof)


class MissingPackageError(MercerError, ImportError):
    """A package that is not installed is needed, one that comes with an extra of Mercer's."""


class TimeLimitError(MercerError, TimeoutError):
    """A call whose answer cannot be had by halves reached its time limit."""


class NumericsWarning(UserWarning):
    """The numbers at hand make a result less meaningful than it looks."""


def kernel_overflow(kernel: object) -> KernelError:
    """The error for kernel values, or sums of them, that float64 cannot hold."""
    return KernelError(
        f"The values of {kernel} overflow on these data: expected finite kernel values. Scale the features, for "
        "instance with StandardScaler and as they were scaled in training, or lower the degree."
    )


def missing_package(asker: str, package: str, extra: str) -> MissingPackageError:
    """The error for a package that comes with an extra and is not there."""
    return MissingPackageError(
        f"{asker}: expected the package {package}, which is not installed. Install it: pip install mercer[{extra}]",
        name=package,
    )


def warn_user(warning: Warning) -> None:
    """Warns at the line of the user's that led here, however many calls lie between."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level)


def __getattr__(name: str) -> Any:
    # One of scikit-learn's warnings, which takes longer to import than a small file is predicted.
    if name != "UnsolvedWarning":
        raise AttributeError(f"module 'mercer.errors' has no attribute {name!r}")
    from mercer.unsolved import UnsolvedWarning

    globals()[name] = UnsolvedWarning
    return UnsolvedWarning
