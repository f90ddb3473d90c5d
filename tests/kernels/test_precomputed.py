"""A matrix of kernel values, of a kernel that nobody names or of one that is known."""

import numpy as np
import pytest

from mercer import RBF, SVC, Linear, ParameterError, Precomputed, Sigmoid
from mercer.kernels import kernel_from_dict


@pytest.mark.parametrize(
    ("kernel", "definite"), [(Precomputed(), None), (Precomputed(RBF(0.5)), True), (Precomputed(Sigmoid(0.1)), False)]
)
def test_matrix_has_the_facts_of_its_kernel(kernel, definite):
    assert kernel.is_definite is definite
    assert kernel_from_dict(kernel.to_dict()) == kernel


def test_certificate_of_a_known_matrix_bounds_the_gap_and_the_machine_is_the_same():
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    K = RBF(0.5)(X)
    unknown, known = (SVC(kernel=kernel).fit(K, y) for kernel in ("precomputed", Precomputed(RBF(0.5))))
    assert unknown.certificate_.convex is None
    assert known.certificate_.convex is True
    assert "X holds kernel values" in known.plan_
    np.testing.assert_allclose(known.decision_function(K), unknown.decision_function(K), atol=1e-3)
    np.testing.assert_allclose(
        known.decision_function(K), SVC(kernel=RBF(0.5)).fit(X, y).decision_function(X), atol=1e-2
    )


@pytest.mark.parametrize("wrong", [3, "rbf", Precomputed(), Precomputed])
def test_what_is_no_kernel_of_features_is_refused(wrong):
    with pytest.raises(ParameterError, match=r"Precomputed: expected the kernel whose values X holds"):
        Precomputed(wrong)


def test_it_reads_as_it_is_written():
    assert repr(Precomputed()) == "Precomputed()"
    assert repr(Precomputed(Linear())) == "Precomputed(Linear())"
