"""Kernels as plain dicts, and back."""

import json

import numpy as np
import pytest

from mercer import (
    RBF,
    CallableKernel,
    Constant,
    KernelError,
    Laplacian,
    Linear,
    ParameterError,
    Polynomial,
    Precomputed,
)
from mercer.kernels import kernel_from_dict
from tests.contracts.kernel_registry import ENTRIES, NAMED_GAMMA, PerFeature

X = np.zeros((2, 6))


def is_plain(kernel):
    return "CallableKernel" not in repr(kernel)


KERNELS = [entry.kernel.resolve(X) for entry in ENTRIES if is_plain(entry.kernel)]
KERNELS += [*NAMED_GAMMA, Precomputed(), RBF(np.float32(0.5)), Polynomial(np.int64(2), np.float64(1), 0)]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_kernel_comes_back_from_its_dict_through_json(kernel):
    back = kernel_from_dict(json.loads(json.dumps(kernel.to_dict())))
    assert back == kernel
    assert back.to_dict() == kernel.to_dict()


def test_dict_of_a_kernel_reads_as_its_formula():
    assert (2 * RBF([0.5, 1.0]) + Polynomial(2) * Constant(3.0)).to_dict() == {
        "kernel": "sum",
        "left": {"kernel": "scaled", "factor": 2.0, "of": {"kernel": "rbf", "gamma": [0.5, 1.0]}},
        "right": {
            "kernel": "product",
            "left": {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0},
            "right": {"kernel": "constant", "value": 3.0},
        },
    }
    assert Laplacian().to_dict() == {"kernel": "laplacian", "gamma": "scale"}
    assert Precomputed().to_dict() == {"kernel": "precomputed", "of": None}


@pytest.mark.parametrize(
    "kernel",
    [CallableKernel(np.dot), 2 * CallableKernel(np.dot), Linear() + CallableKernel(np.dot), PerFeature(RBF, (1.0,))],
)
def test_kernel_written_in_python_has_no_dict(kernel):
    with pytest.raises(KernelError, match="no plain form"):
        kernel.to_dict()


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        (None, "as a dict"),
        ("rbf", "as a dict"),
        ({}, "'kernel' of"),
        ({"kernel": "gauss"}, "one of linear, poly, rbf"),
        ({"kernel": ["rbf"]}, "one of linear, poly, rbf"),
        ({"kernel": "callable"}, "one of linear, poly, rbf"),
        ({"kernel": "rbf"}, r"fields \['gamma'\]"),
        ({"kernel": "rbf", "gamma": 1.0, "coef0": 0.0}, r"fields \['gamma'\]"),
        ({"kernel": "rbf", "gamma": -1.0}, "gamma"),
        ({"kernel": "rbf", "gamma": {"kernel": "linear"}}, "gamma"),
        ({"kernel": "poly", "degree": 1.5, "gamma": 1.0, "coef0": 0.0}, "degree"),
        ({"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": "0"}, "coef0"),
        ({"kernel": "constant", "value": True}, "value"),
        ({"kernel": "scaled", "factor": 0, "of": {"kernel": "linear"}}, "factor"),
        ({"kernel": "scaled", "factor": 1, "of": "linear"}, "expected kernels"),
        (
            {"kernel": "sum", "left": {"kernel": "linear"}, "right": {"kernel": "precomputed", "of": None}},
            "precomputed matrix",
        ),
        ({"kernel": "sum", "left": {"kernel": "linear"}, "right": {"kernel": "rbf"}}, "fields"),
    ],
)
def test_dict_that_is_no_kernel_is_refused(plain, said):
    with pytest.raises(ParameterError, match=said):
        kernel_from_dict(plain)
