"""Machines of every kernel as ONNX graphs: onnxruntime finds the values that Mercer finds."""

import numpy as np
import pytest

from mercer import RBF, Laplacian, Linear, Matern, Periodic, Polynomial, Precomputed, RationalQuadratic
from mercer.errors import KernelError
from mercer.io.onnx_graph import to_onnx
from mercer.io.onnx_kernels import EXPORTED
from mercer.kernels import CallableKernel
from mercer.kernels.catalogue import KERNELS
from mercer.machines import SeveralMachine
from tests.contracts.kernel_registry import ENTRIES, named, squared_product
from tests.reference.onnx_runs import run

# Sums of kernel values, relative to those of their sizes: rounding, and of large distances what centring leaves of it.
ROUNDING = 1e-11


def machine_of(kernel, vectors, random):
    """Two functions on these support vectors."""
    return SeveralMachine(
        kernel=kernel.resolve(vectors),
        n_features=vectors.shape[1],
        support=np.arange(len(vectors), dtype=np.int32),
        support_vectors=vectors,
        n_support=np.array([len(vectors)], dtype=np.int32),
        dual_coef=random.normal(size=(2, len(vectors))),
        intercept=np.array([0.5, -2.0]),
    )


def disagreement(kernel, vectors, queries, random):
    """The largest difference between onnxruntime and Mercer, and that relative to the terms that are summed."""
    machine = machine_of(kernel, vectors, random)
    found = run(to_onnx(machine), {"X": queries})["variable"]
    expected = machine.values(queries, None)
    size = np.abs(machine.kernel.matrix(queries, vectors)) @ np.abs(machine.dual_coef.T) + 1
    assert found.shape == expected.shape
    assert found.dtype == np.float64
    return np.abs(found - expected).max(), (np.abs(found - expected) / size).max()


def rows(random, offset):
    """Support vectors, and new rows of which some are equal to them."""
    vectors = offset + random.normal(size=(40, 5))
    return vectors, np.concatenate([vectors[:10], offset + random.normal(size=(30, 5))])


FORMULAS = [entry for entry in ENTRIES if "callable" not in entry.name]


@pytest.mark.parametrize("entry", FORMULAS, ids=named)
def test_values_are_those_of_the_machine(entry, random):
    largest, relative = disagreement(entry.kernel, *rows(random, 0.0), random)
    assert largest < 1e-6
    assert relative < ROUNDING


@pytest.mark.parametrize("entry", FORMULAS, ids=named)
def test_rows_far_from_the_origin_are_told_apart_as_well(entry, random):
    _, relative = disagreement(entry.kernel, *rows(random, 1000.0), random)
    assert relative < ROUNDING


OF_DISTANCE = [
    RBF(0.3),
    RBF([0.3, 2.0, 0.0, 1.0, 0.5]),
    Laplacian(0.2),
    Matern(0.3, nu=0.5),
    Matern(0.3, nu=2.5),
    RationalQuadratic(0.3, 1e7),
    Periodic(0.01, 2.0),
]


@pytest.mark.parametrize("kernel", OF_DISTANCE, ids=str)
def test_clusters_far_from_each_other_are_told_apart_within(kernel, random):
    """Around any centre the norms of these rows are 1e12 times their distances: differences of norms are noise."""
    centres = np.array([-1e6, 1e6])[random.integers(0, 2, 40)][:, None]
    vectors = centres + random.normal(size=(40, 5))
    queries = np.concatenate([vectors, centres + random.normal(size=(40, 5))])
    assert disagreement(kernel, vectors, queries, random)[0] < 1e-6


@pytest.mark.parametrize("kernel", [*OF_DISTANCE, Matern(0.3, nu=1.5)], ids=str)
def test_rows_without_end_from_all_vectors_have_finite_values(kernel, random):
    vectors, _ = rows(random, 0.0)
    queries = np.full((1, 5), 1e160)
    found = run(to_onnx(machine_of(kernel, vectors, random)), {"X": queries})["variable"]
    assert np.all(np.isfinite(found))


@pytest.mark.parametrize("features", [1, 2])
@pytest.mark.parametrize("count", [1, 30])
def test_factors_are_not_rounded_to_float32(features, count, random):
    """onnxruntime would make factors of products of matrices part of the product, and has them in float32 there."""
    vectors, queries = random.normal(size=(count, features)), random.normal(size=(20, features))
    flat = Polynomial(1, 0.1, 0.0)
    scaled = [0.1 * (0.7 * Linear()), 0.1 * RBF([0.1] * features), 0.1 * (0.7 * Laplacian(0.3))]
    for kernel in (*scaled, sum(scaled[1:], scaled[0]), flat, 0.1 * flat, 0.1 * flat + RBF(0.1), scaled[0] * flat):
        assert disagreement(kernel, vectors, queries, random)[1] < 1e-14


def test_one_support_vector_is_enough(random):
    assert disagreement(RBF(0.3) + Linear(), random.normal(size=(1, 3)), random.normal(size=(4, 3)), random)[0] < 1e-14


@pytest.mark.parametrize("opset", [13, 17, 19, 21])
def test_operators_are_those_of_the_opset(opset, random):
    vectors, queries = rows(random, 0.0)
    machine = machine_of(RBF(0.3) * Laplacian(0.1) + RationalQuadratic(0.2) + Periodic(2.0), vectors, random)
    model = to_onnx(machine, opset=opset)
    assert [(one.domain, one.version) for one in model.opset_import] == [("", opset)]
    assert {node.domain for node in model.graph.node} == {""}
    np.testing.assert_allclose(run(model, {"X": queries})["variable"], machine.values(queries, None), atol=1e-12)


def test_every_kernel_is_exported_or_has_no_formula():
    assert set(KERNELS) - set(EXPORTED) == {Precomputed, CallableKernel}


@pytest.mark.parametrize(
    "kernel", [CallableKernel(squared_product), RBF(0.3) + CallableKernel(squared_product)], ids=["alone", "in a sum"]
)
def test_a_kernel_without_a_formula_is_refused(kernel, random):
    machine = machine_of(kernel, random.normal(size=(4, 3)), random)
    with pytest.raises(KernelError, match=r"expected a kernel that is a formula .*RBF"):
        to_onnx(machine)
