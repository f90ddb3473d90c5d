"""SciPy's BLAS on parts of a matrix, in their place: its wrappers for Python copy whatever is not contiguous.

Matrices are in rows (C order). BLAS reads columns, so that it sees each of them transposed. NumPy has a BLAS of its
own, whose threads go on in a busy loop after a product: where both take turns, each waits for the other, and all
products belong here.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import cython_blas

from mercer.typing import Floats

__all__ = ["add_product", "add_symmetric_product", "product", "product_of_transposed", "symmetric_times"]


@cache
def _routine(name: str) -> Any:
    """A routine of Fortran's, all of whose arguments are pointers."""
    capsule = cython_blas.__pyx_capi__[name]
    get_name, get_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature = get_name(capsule)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (signature.count(b",") + 1))(get_pointer(capsule, signature))


def _call(name: str, *arguments: Any) -> None:
    """Strings, whole numbers, numbers and matrices with the width of a row, as Fortran takes them."""
    given: list[Any] = []
    for argument in arguments:
        if isinstance(argument, str):
            given.append(ctypes.c_char(argument.encode()))
        elif isinstance(argument, int):
            given.append(ctypes.c_int(argument))
        elif isinstance(argument, float):
            given.append(ctypes.c_double(argument))
        else:
            row = argument.strides[0] // argument.itemsize
            if argument.dtype != np.float64 or argument.strides[1] != argument.itemsize or row < argument.shape[1]:
                raise ValueError("expected a matrix of float64 in rows")
            given += [argument, ctypes.c_int(row)]
    pointers = [one.ctypes.data_as(ctypes.c_void_p) if hasattr(one, "ctypes") else ctypes.byref(one) for one in given]
    _routine(name)(*[ctypes.cast(pointer, ctypes.c_void_p) for pointer in pointers])


def add_product(C: Floats, A: Floats, B: Floats, factor: float = 1.0) -> None:
    """C += factor A B."""
    (rows, inner), columns = A.shape, B.shape[1]
    _call("dgemm", "N", "N", columns, rows, inner, factor, B, A, 1.0, C)


def product(A: Floats, B: Floats) -> Floats:
    """A B."""
    C = np.empty((len(A), B.shape[1]))
    _call("dgemm", "N", "N", B.shape[1], len(A), A.shape[1], 1.0, B, A, 0.0, C)
    return C


def product_of_transposed(A: Floats, B: Floats) -> Floats:
    """Aᵀ B."""
    C = np.empty((A.shape[1], B.shape[1]))
    _call("dgemm", "N", "T", B.shape[1], A.shape[1], len(A), 1.0, B, A, 0.0, C)
    return C


def symmetric_times(A: Floats, B: Floats) -> Floats:
    """A B of a symmetric A, of which what is below the diagonal is read."""
    product = np.empty_like(B, order="C")
    _call("dsymm", "R", "U", B.shape[1], len(B), 1.0, A, B, 0.0, product)
    return product


def add_symmetric_product(A: Floats, B: Floats, C: Floats, factor: float = 1.0) -> None:
    """A += factor (B Cᵀ + C Bᵀ), below the diagonal and on it."""
    _call("dsyr2k", "U", "T", len(A), B.shape[1], factor, B, C, 1.0, A)
