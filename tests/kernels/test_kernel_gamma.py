"""gamma as a name stands for the number that scikit-learn would use."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC as SklearnSVC

import mercer
from mercer import RBF, KernelError, Laplacian, NumericsWarning, Polynomial, Sigmoid
from tests.reference import kernels as twin

KINDS = [RBF, Laplacian, Polynomial, Sigmoid]

# A variance is a sum over all entries; ours and scikit-learn's add them in another order.
ROUNDING = 1e-12


@pytest.fixture
def X(random):
    return random.normal(size=(40, 6)) * 3 + 1


def scikit_learns_gamma(X, gamma):
    y = np.arange(X.shape[0]) % 2
    return SklearnSVC(gamma=gamma).fit(X, y)._gamma


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("gamma", ["scale", "auto", 0.25])
@pytest.mark.parametrize("kind", KINDS)
def test_gamma_equals_scikit_learns(kind, gamma, layout, X):
    X = layout(X)
    assert kind(gamma=gamma).resolve(X).gamma == pytest.approx(scikit_learns_gamma(X, gamma), rel=ROUNDING)


def test_gamma_scale_counts_the_zeros_of_sparse_data(X):
    X[X < 1] = 0
    assert RBF("scale").resolve(sp.csr_matrix(X)).gamma == pytest.approx(1 / (6 * X.var()), rel=ROUNDING)


def test_gamma_scale_of_float32_data_is_taken_in_float64(X):
    offset = (X + 100).astype(np.float32)
    assert RBF().resolve(offset).gamma == pytest.approx(1 / (6 * offset.astype(np.float64).var()), rel=ROUNDING)
    sparse = sp.csr_matrix(offset)
    assert RBF().resolve(sparse).gamma == pytest.approx(1 / (6 * offset.astype(np.float64).var()), rel=1e-8)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_gamma_scale_of_constant_data_is_one(layout):
    X = layout(np.full((4, 3), 2.0))
    assert RBF("scale").resolve(X).gamma == 1.0
    assert scikit_learns_gamma(X, "scale") == 1.0


def test_gamma_scale_of_a_variance_beyond_float64_is_refused():
    with pytest.raises(KernelError, match=r"not finite.*variance float64 holds, got inf"):
        RBF().resolve(np.array([[1e200], [-1e200]]))


def test_gamma_scale_that_overflows_warns():
    with pytest.warns(NumericsWarning, match="variance"):
        assert RBF().resolve(np.array([[1e-160], [-1e-160]])).gamma == np.finfo(np.float64).max


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly", "sigmoid"])
@pytest.mark.parametrize("gamma", ["scale", "auto", 0.02])
def test_svc_uses_the_gamma_of_its_training_rows(kernel, gamma, X):
    y = (X[:, 0] + X[:, 1] > 2).astype(int)
    number = {"scale": 1 / (6 * X.var()), "auto": 1 / 6}.get(gamma, gamma)
    model = mercer.SVC(kernel=kernel, gamma=gamma, degree=2, coef0=0.1).fit(X, y)
    formula = {
        "rbf": twin.rbf(number),
        "laplacian": twin.laplacian(number),
        "poly": twin.polynomial(2, number, 0.1),
        "sigmoid": twin.sigmoid(number, 0.1),
    }[kernel]
    new = X[:5] + 0.3
    expected = twin.gram(formula, new, model.support_vectors_) @ model.dual_coef_[0] + model.intercept_
    np.testing.assert_allclose(model.decision_function(new), expected, rtol=1e-10, atol=1e-10)
