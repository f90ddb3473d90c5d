"""The same machine, whichever way the values of few rows come: dense, sparse, a matrix or a function."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_wine, make_moons
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.preprocessing import scale

import mercer
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM

# Few rows are solved further than tol: rounding of kernel values may change the steps, but hardly where they end.
SOLVED_FURTHER = 1e-6

MODELS = [SVC(), SVC(C=30.0), NuSVC(nu=0.4), SVR(), NuSVR(), OneClassSVM(nu=0.3)]
MODEL = pytest.mark.parametrize("model", MODELS, ids=str)


def data():
    """Rows that do not tie: then rounding decides nothing."""
    random = np.random.default_rng(8)
    X = random.normal(size=(90, 5))
    return X, np.digitize(X[:, 0] + X[:, 1] ** 2 + 0.3 * random.normal(size=90), [0.3, 1.5])


def assert_same(one, other, atol):
    np.testing.assert_array_equal(one.support_, other.support_)
    coef = [m.dual_coef_.toarray() if sp.issparse(m.dual_coef_) else m.dual_coef_ for m in (one, other)]
    np.testing.assert_allclose(*coef, atol=atol)
    np.testing.assert_allclose(one.intercept_, other.intercept_, atol=atol)


@MODEL
@pytest.mark.filterwarnings("ignore::mercer.NumericsWarning", "ignore::mercer.UnsolvedWarning")  # of "sigmoid"
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid", "laplacian"])
def test_few_sparse_rows_are_dense_ones_bit_by_bit(model, kernel):
    X, y = data()
    model = model.set_params(kernel=kernel, gamma=0.02)
    dense, sparse = (
        mercer.__dict__[type(model).__name__](**model.get_params()).fit(form(X), y)
        for form in (np.asarray, sp.csr_matrix)
    )
    assert_same(dense, sparse, atol=0)
    assert sp.issparse(sparse.support_vectors_)
    assert sp.issparse(sparse.dual_coef_)
    ask = "decision_function" if hasattr(model, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(sparse, ask)(sp.csr_matrix(X)), getattr(dense, ask)(X), atol=1e-12)


@pytest.mark.parametrize("form", ["matrix", "function"])
@pytest.mark.parametrize(
    ("model", "kernel"),
    [
        (SVC(), "rbf"),
        (SVC(), "linear"),
        (SVC(C=0.1), "poly"),
        (NuSVC(nu=0.4), "rbf"),
        (SVR(), "rbf"),
        (NuSVR(), "rbf"),
        (OneClassSVM(nu=0.3), "rbf"),
    ],
    ids=str,
)
def test_few_rows_of_a_matrix_or_a_function_are_the_machine_of_the_built_in_kernel(model, kernel, form):
    X, y = data()

    def function(first, second):
        if kernel == "poly":
            return polynomial_kernel(first, second, degree=3, gamma=0.3, coef0=0)
        return first @ second.T if kernel == "linear" else rbf_kernel(first, second, gamma=0.3)

    kind = type(model)
    parameters = {**model.get_params(), "gamma": 0.3}
    built_in = kind(**{**parameters, "kernel": kernel}).fit(X, y)
    if form == "matrix":
        other = kind(**{**parameters, "kernel": "precomputed"}).fit(function(X, X), y)
    else:
        other = kind(**{**parameters, "kernel": function}).fit(X, y)
    assert_same(built_in, other, atol=SOLVED_FURTHER)


@pytest.mark.parametrize("random_state", [None, 0, 42])
def test_steps_are_libsvms_where_rows_tie(random_state):
    X = np.array([[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]], dtype=float)
    y = [1, 1, 1, 2, 2, 2]
    ours, theirs = (
        module.SVC(kernel="linear", random_state=random_state).fit(X, y) for module in (mercer, sklearn.svm)
    )
    np.testing.assert_array_equal(ours.dual_coef_, theirs.dual_coef_)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    assert ours.n_iter_ == theirs.n_iter_ == 3


@pytest.mark.parametrize(
    "load", [lambda: load_wine(return_X_y=True), lambda: make_moons(100, noise=0.3, random_state=1)]
)
def test_few_rows_in_another_order_are_the_same_machine_beyond_tol(load):
    X, y = load()
    X, y = scale(X)[:110], y[:110]
    order = np.random.default_rng(0).permutation(len(y))
    first, second = SVC(gamma=0.1).fit(X, y), SVC(gamma=0.1).fit(X[order], y[order])
    np.testing.assert_allclose(second.decision_function(X), first.decision_function(X), atol=1e-5)


def test_larger_sparse_rows_stay_sparse_and_agree_to_the_tolerance():
    X = sp.random(400, 3000, density=0.01, random_state=0, format="csr")
    y = (np.asarray(X[:, :1500].sum(axis=1)).ravel() > np.asarray(X[:, 1500:].sum(axis=1)).ravel()).astype(int)
    sparse, dense = SVC(tol=1e-6).fit(X, y), SVC(tol=1e-6).fit(X.toarray(), y)
    np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X.toarray()), atol=1e-4)
    assert "sparse data" in sparse.plan_
    assert "sparse data" not in dense.plan_
