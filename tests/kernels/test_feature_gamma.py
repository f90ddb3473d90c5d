"""A gamma for each feature: the kernel on rescaled features, as a value like any other."""

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
from mercer import RBF, KernelError, Laplacian, Linear, ParameterError
from mercer._runtime import core
from mercer.data import as_core_data

KINDS = [RBF, Laplacian]
GAMMAS = (0.5, 2.0, 0.0, 0.1, 1.0)

# Rows are scaled before or after they are rounded.
ROUNDING = 1e-13


@pytest.fixture
def X(random):
    return random.normal(size=(60, 5))


@pytest.fixture
def y(X):
    return (X[:, 0] + X[:, 3] > 0).astype(int)


def scales(kind):
    return np.sqrt(GAMMAS) if kind is RBF else np.asarray(GAMMAS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [list, tuple, np.asarray, lambda g: np.asarray(g, dtype=np.float32) * 1])
def test_feature_gamma_is_kept_as_a_tuple_of_numbers(kind, given):
    kernel = kind(gamma=given((0.5, 2.0, 0.25)))
    assert kernel.gamma == (0.5, 2.0, 0.25)
    assert all(type(gamma) is float for gamma in kernel.gamma)
    assert kernel == kind(gamma=(0.5, 2.0, 0.25))
    assert hash(kernel) == hash(kind(gamma=[0.5, 2.0, 0.25]))
    assert repr(kernel) == f"{kind.__name__}(gamma=(0.5, 2.0, 0.25))"
    assert kernel.get_params() == {"gamma": (0.5, 2.0, 0.25)}
    assert kernel.with_params(gamma=[1.0]) == kind(gamma=(1.0,))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "gamma", [[], [-1.0], [1.0, np.nan], [np.inf], ["a"], [[1.0, 2.0]], np.ones((2, 2)), np.array(1.0), [None], b"1"]
)
def test_feature_gamma_that_is_no_list_of_numbers_is_refused(kind, gamma):
    with pytest.raises(ParameterError, match=f"{kind.__name__}: expected gamma"):
        kind(gamma=gamma)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_feature_gamma_is_the_kernel_on_scaled_features(kind, layout, X):
    expected = kind(1.0)(layout(X * scales(kind)))
    np.testing.assert_allclose(kind(GAMMAS)(layout(X)), expected, rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize("kind", KINDS)
def test_feature_gamma_of_equal_numbers_is_that_number(kind, X):
    np.testing.assert_allclose(kind([0.3] * 5)(X), kind(0.3)(X), rtol=ROUNDING)


@pytest.mark.parametrize("kind", KINDS)
def test_feature_gamma_of_zero_leaves_a_feature_out(kind, X):
    changed = X.copy()
    changed[:, 2] *= 1e6
    np.testing.assert_array_equal(kind(GAMMAS)(changed), kind(GAMMAS)(X))
    np.testing.assert_array_equal(kind([0.0] * 5)(X), 1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_feature_gamma_machine_is_the_machine_on_scaled_features(kind, layout, X, y):
    model = mercer.SVC(kernel=kind(GAMMAS), C=10, tol=1e-8).fit(layout(X), y)
    on_scaled = mercer.SVC(kernel=kind(1.0), C=10, tol=1e-8).fit(layout(X * scales(kind)), y)
    assert model.status_ is mercer.Status.SOLVED
    assert mercer.certify(model, layout(X), y).holds(1e-8)
    np.testing.assert_allclose(
        model.decision_function(layout(X)), on_scaled.decision_function(layout(X * scales(kind))), atol=1e-6
    )


@pytest.mark.parametrize("kernel", [RBF((1.0, 2.0)), 2 * Laplacian([1.0, 2.0]), RBF([1.0, 2.0]) + Linear()])
def test_feature_gamma_of_another_length_is_refused(kernel, X, y):
    with pytest.raises(KernelError, match="one number for each of the 5 features of X, got 2"):
        kernel(X)
    with pytest.raises(KernelError, match="one number for each of the 5 features of X, got 2"):
        mercer.SVC(kernel=kernel).fit(X, y)


@pytest.mark.parametrize("kind", KINDS)
def test_feature_gamma_rounds_as_the_kernel_on_scaled_features(kind, X):
    far = 1e4 * X
    for layout in (np.asarray, sp.csr_matrix):
        expected = kind(1.0).rounding(layout(far * scales(kind)))
        np.testing.assert_allclose(kind(GAMMAS).rounding(layout(far)), expected, rtol=ROUNDING)


def test_feature_gamma_of_rbf_has_a_map_with_its_remainder(X):
    kernel = RBF(np.multiply(0.1, GAMMAS))
    mapped = kernel.feature_map(5, degree=6)
    features = mapped.transform(X)
    assert features.shape[1] == mapped.n_features_out_ == 210  # monomials up to the sixth degree in four features
    missed = np.abs(kernel(X) - features @ features.T)
    assert missed.max() <= mapped.error_bound(X).max() + ROUNDING
    np.testing.assert_allclose(np.diagonal(missed), mapped.error_bound(X), atol=ROUNDING)
    joined = (kernel * RBF(0.05)).feature_map(5, degree=6)
    features = joined.transform(X)
    assert np.abs((kernel * RBF(0.05))(X) - features @ features.T).max() <= joined.error_bound(X).max() + ROUNDING


def test_feature_gamma_is_told_in_the_names_of_features():
    names = RBF([0.5, 0.0, 0.25]).feature_map(3, degree=1).get_feature_names_out()
    assert list(names) == ["exp(-0.5x0²-0.25x2²)", "exp(-0.5x0²-0.25x2²) x0", "√0.5 exp(-0.5x0²-0.25x2²) x2"]


@pytest.mark.parametrize("prepared", [core.Prepared32, core.Prepared64])
def test_prepared_rows_serve_other_kernels(prepared, X, random):
    rows = np.arange(len(X))
    coef = random.normal(size=len(X))
    first = prepared(RBF(1.0).lower(), as_core_data(X))
    for kernel in (RBF(1.0), RBF(1e-3), 3 * RBF(40.0), Laplacian(0.5), RBF(1e20), RBF(GAMMAS), Linear()):
        (found,) = first.with_kernel(kernel.lower()).expand([rows], [rows], [coef], 1)
        rounding = 1e-4 if prepared is core.Prepared32 else 1e-11
        np.testing.assert_allclose(found, kernel(X) @ coef, atol=rounding * max(1, np.abs(kernel(X)).max()))


def test_leaf_of_unknown_name_or_parameters_is_refused():
    with pytest.raises(ValueError, match=r"expected one of the leaves .*rbf.*, got gauss"):
        core.Kernel.leaf("gauss")
    with pytest.raises(ValueError, match=r"expected the parameters of rbf to be among .gamma., got coef0"):
        core.Kernel.leaf("rbf", coef0=1.0)
    with pytest.raises(ValueError, match="expected gamma to be a number"):
        core.Kernel.leaf("rbf", gamma="scale")
    with pytest.raises(ValueError, match="weights for 2 features, the data have 5"):
        core.Centres64(core.Kernel.leaf("rbf", gamma=[1.0, 2.0]), as_core_data(np.ones((3, 5))))
