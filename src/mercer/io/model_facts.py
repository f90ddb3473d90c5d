"""Facts about kernels, machines and calibrations."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.calibration import Calibration
from mercer.data import is_sparse
from mercer.errors import KernelError
from mercer.io.facts import Fact, Sizes
from mercer.kernels import Kernel
from mercer.machines import Machine
from mercer.machines.kernel import is_resolved

__all__ = ["ANY_KERNEL", "CALIBRATION", "KERNEL", "KERNEL_OF_EITHER", "machine"]


def _is_kernel_of_features(value: Any, sizes: Sizes) -> bool:
    if not isinstance(value, Kernel):
        return False
    try:
        return "d" not in sizes or is_resolved(value, sizes["d"])
    except KernelError:
        return False


KERNEL = Fact("a kernel whose parameters are numbers, as many as there are features", _is_kernel_of_features)
#: One whose parameters may still follow from rows.
ANY_KERNEL = Fact("a kernel", lambda value, sizes: isinstance(value, Kernel))
KERNEL_OF_EITHER = Fact(
    "a kernel of Mercer's or scikit-learn's",
    lambda value, sizes: (
        _is_kernel_of_features(value, sizes) or type(value).__module__ == "sklearn.gaussian_process.kernels"
    ),
)


def machine(*kinds: str) -> Fact:
    """A machine of some kinds, whose features, functions and classes are those of the estimator."""

    def holds(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, Machine) or value.kind not in kinds or not sizes.agree("d", int(value.n_features)):
            return False
        if not _is_laid_out(getattr(value, "support_vectors", None)):
            return False
        classes = getattr(value, "classes", None)
        return sizes.agree("functions", len(value.intercept)) and (
            classes is None or (len(classes) > 1 and sizes.agree("classes", len(classes)))
        )

    return Fact(f"a machine of a kind among {kinds}", holds)


def _is_laid_out(vectors: Any) -> bool:
    """Whether rows are as the core takes them: dense in C order, or CSR with each column once and in order."""
    if is_sparse(vectors):
        return bool(vectors.format == "csr" and vectors.has_canonical_format)
    return vectors is None or bool(vectors.flags.c_contiguous)


def _is_calibration(value: Any, sizes: Sizes) -> bool:
    return (
        isinstance(value, Calibration)
        and isinstance(value.against_rest, (bool, np.bool_))
        and sizes.agree("classes", value.classes)
        and sizes.agree("functions", value.functions)
    )


CALIBRATION = Fact("a calibration of as many classes and functions as the machine has", _is_calibration)
