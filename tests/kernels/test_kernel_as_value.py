"""Kernels are values: frozen, hashable, picklable, shown as they are written, and refused with a reason."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
import mercer.kernels
from mercer import RBF, Constant, KernelError, Laplacian, Linear, MercerError, ParameterError, Polynomial, Sigmoid
from mercer.kernels import CallableKernel, Scaled, Sum


def dot(X, Z):
    return X @ Z.T


VALUES = [
    (Linear(), "Linear()"),
    (Polynomial(), "Polynomial(degree=3, gamma=1.0, coef0=1.0)"),
    (Polynomial.general(2.0, 1.0, 3), "Polynomial(degree=3, gamma=0.5, coef0=1.0)"),
    (RBF(0.1), "RBF(gamma=0.1)"),
    (RBF(), "RBF(gamma='scale')"),
    (Laplacian("auto"), "Laplacian(gamma='auto')"),
    (Sigmoid(0.1, 1.0), "Sigmoid(gamma=0.1, coef0=1.0)"),
    (Constant(2.0), "Constant(value=2.0)"),
    (RBF(0.1) + Linear(), "Sum(left=RBF(gamma=0.1), right=Linear())"),
    (RBF(0.1) * Linear(), "Product(left=RBF(gamma=0.1), right=Linear())"),
    (2.0 * Linear(), "Scaled(factor=2.0, kernel=Linear())"),
]


@pytest.mark.parametrize(("kernel", "text"), VALUES)
def test_kernel_is_shown_as_it_is_written(kernel, text):
    names = vars(mercer.kernels)
    assert repr(kernel) == text
    assert eval(repr(kernel), dict(names)) == kernel


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in VALUES] + [CallableKernel(dot)])
def test_kernel_is_equal_by_value_hashable_and_picklable(kernel):
    copy = pickle.loads(pickle.dumps(kernel))
    assert copy == kernel
    assert {kernel: 1}[copy] == 1


@pytest.mark.parametrize(
    ("kernel", "name"),
    [(RBF(0.1), "gamma"), (Polynomial(), "degree"), (Constant(1.0), "value"), (RBF(0.1) + Linear(), "left")],
)
def test_kernel_is_frozen(kernel, name):
    with pytest.raises(FrozenInstanceError):
        setattr(kernel, name, 2.0)


def test_kernels_of_other_parameters_differ():
    assert len({RBF(0.1), RBF(0.2), RBF(), Laplacian(0.1), Linear(), Polynomial(2), Polynomial(3)}) == 7


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RBF(-1.0), "RBF.*gamma.*-1.0"),
        (lambda: RBF("large"), "RBF.*gamma.*'scale', 'auto'.*'large'"),
        (lambda: RBF(np.nan), "RBF.*gamma.*nan"),
        (lambda: RBF(np.inf), "RBF.*gamma.*inf"),
        (lambda: RBF(None), "RBF.*gamma.*None"),
        (lambda: RBF(True), "RBF.*gamma.*True"),
        (lambda: Laplacian(-0.1), "Laplacian.*gamma.*-0.1"),
        (lambda: Sigmoid("big"), "Sigmoid.*gamma.*'big'"),
        (lambda: Sigmoid(1.0, np.nan), "Sigmoid.*coef0.*nan"),
        (lambda: Polynomial(2.5), "Polynomial.*degree.*2.5"),
        (lambda: Polynomial(-1), "Polynomial.*degree.*-1"),
        (lambda: Polynomial("3"), "Polynomial.*degree.*'3'"),
        (lambda: Polynomial(2, coef0="1"), "Polynomial.*coef0.*'1'"),
        (lambda: Polynomial(2, gamma=-1.0), "Polynomial.*gamma.*-1.0"),
        (lambda: Polynomial.general(0.0, 1.0, 2), "alpha.*0.0"),
        (lambda: Polynomial.general(-2.0, 1.0, 2), "alpha.*-2.0"),
        (lambda: Constant(-1.0), "Constant.*value.*-1.0"),
        (lambda: Scaled(2.0, "rbf"), "Scaled.*kernel.*str"),
        (lambda: Sum(Linear(), "rbf"), "Sum.*kernels.*str"),
        (lambda: CallableKernel("rbf"), "CallableKernel.*callable"),
    ],
)
def test_wrong_parameter_is_refused_with_its_name_and_value(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_parameter_error_is_also_what_scikit_learn_users_expect():
    assert issubclass(ParameterError, ValueError)
    assert issubclass(ParameterError, MercerError)


@pytest.mark.parametrize("kernel", ["gaussian", 3, None])
def test_svc_refuses_what_is_no_kernel(kernel):
    with pytest.raises(ParameterError, match=r"kernel.*expected"):
        mercer.SVC(kernel=kernel).fit([[0.0], [1.0]], [0, 1])


def test_callable_kernel_sees_the_rows_as_given(random):
    X, Z = random.normal(size=(4, 3)), random.normal(size=(2, 3))
    np.testing.assert_array_equal(CallableKernel(dot)(X, Z), dot(X, Z))
    np.testing.assert_allclose(CallableKernel(dot)(sp.csr_matrix(X), sp.csr_matrix(Z)), dot(X, Z))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda X, Z: (X @ Z.T)[:1], r"shape \(3, 3\).*\(1, 3\)"),
        (lambda X, Z: 1.0, r"shape \(3, 3\)"),
        (lambda X, Z: np.full((len(X), len(Z)), np.nan), "finite"),
        (lambda X, Z: [["a"] * len(Z)] * len(X), "numbers"),
        (lambda X, Z: None, "numbers|finite|shape"),
    ],
)
def test_callable_kernel_that_misbehaves_is_named(function, message):
    with pytest.raises(KernelError, match=message):
        CallableKernel(function)(np.eye(3))
