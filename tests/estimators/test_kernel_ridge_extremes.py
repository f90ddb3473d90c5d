"""Kernel ridge regression at its limits: a right answer or a clear error, whatever comes."""

import copy
import pickle
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF as TheirRBF
from sklearn.kernel_ridge import KernelRidge as Theirs

from mercer import (
    RBF,
    InputError,
    KernelError,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    Laplacian,
    NumericsWarning,
    Nystroem,
    ParameterError,
    Polynomial,
    Sigmoid,
    Status,
    UnsolvedWarning,
    certify,
)
from mercer.kernels import CallableKernel

ALL = [
    KernelRidge(0.1, kernel="rbf", gamma=0.5),
    KernelRidge(0.1, kernel="rbf", gamma=0.5, fit_intercept=True),
    KernelRidge(0.1, kernel="rbf", gamma=0.5, solver="cg", tol=1e-10),
    KernelRidgeCV(kernel="rbf", gamma=0.5),
    KernelRidgeClassifier(0.1, gamma=0.5),
]
REGRESSORS = ALL[:4]
EACH = pytest.mark.parametrize("model", ALL, ids=repr)
EACH_REGRESSOR = pytest.mark.parametrize("model", REGRESSORS, ids=repr)


@pytest.fixture
def data(random):
    X = random.normal(size=(30, 3))
    y = np.sin(X[:, 0]) + 0.1 * random.normal(size=30)
    return X, y


def values(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def targets(model, y):
    return (y > 0).astype(int) if isinstance(model, KernelRidgeClassifier) else y


# ---------------------------------------------------------------- targets and weights of any size


@EACH_REGRESSOR
@pytest.mark.parametrize("size", [1e12, 1e-12, 1e140, 1e-140])
def test_targets_of_any_size_give_the_same_machine_in_their_units(model, size, data):
    X, y = data
    expected = clone(model).fit(X, y).predict(X)
    np.testing.assert_allclose(clone(model).fit(X, size * y).predict(X) / size, expected, rtol=1e-9)


@EACH_REGRESSOR
@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_targets_whose_squares_are_no_numbers_are_refused(model, size, data):
    X, y = data
    with pytest.raises(InputError, match="squares float64 holds"):
        clone(model).fit(X, size * y)


@EACH_REGRESSOR
def test_weights_whose_products_with_targets_are_no_numbers_are_refused(model, data):
    X, y = data
    with pytest.raises(InputError, match="squares float64 holds"):
        clone(model).fit(X, y, np.full(30, 5e-324))


@EACH_REGRESSOR
@pytest.mark.parametrize("value", [0.1, 1e12 + 0.3, 0.0])
def test_constant_targets_have_an_answer(model, value, data):
    model = clone(model).fit(data[0], np.full(30, value))
    found = model.predict(data[0])
    assert np.all(np.isfinite(found))
    assert model.status_ is Status.SOLVED
    if model.fit_intercept:
        np.testing.assert_allclose(found, value, rtol=1e-12)


@EACH
def test_complex_weights_are_refused(model, data):
    X, y = data
    with pytest.raises(InputError, match="complex"):
        clone(model).fit(X, targets(model, y), np.ones(30) + 1j)


@EACH
def test_sparse_targets_are_refused(model, data):
    X, y = data
    with pytest.raises(InputError, match="y: expected a dense array"):
        clone(model).fit(X, sp.csr_matrix(y[:, None]))


# ---------------------------------------------------------------- features of any size


@EACH
def test_offsets_of_features_change_little(model, data):
    X, y = data
    expected = values(clone(model).fit(X, targets(model, y)), X)
    moved = X + 1e8  # of which float64 holds some 1e-8
    found = values(clone(model).fit(moved, targets(model, y)), moved)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("model", "size"),
    [(KernelRidge(0.1), 1e160), (KernelRidge(0.1, kernel="rbf", gamma=1.0, solver="cg"), 1e200)],
    ids=["linear", "cg"],
)
def test_features_under_which_values_overflow_are_refused(model, size, data):
    X, y = data
    with pytest.raises(KernelError, match="overflow on these data"):
        model.fit(size * X, y)


def test_gamma_may_be_given_for_each_feature(data):
    X, y = data
    gammas = [0.1, 0.2, 0.3]
    for name, kind in (("rbf", RBF), ("laplacian", Laplacian)):
        found = KernelRidge(0.1, kernel=name, gamma=gammas).fit(X, y)
        assert found.kernel_ == kind(gammas)
        np.testing.assert_array_equal(found.predict(X), KernelRidge(0.1, kernel=kind(gammas)).fit(X, y).predict(X))
    # A kernel without a gamma takes no notice of it, as of a number.
    assert KernelRidge(gamma=gammas).fit(X, y).predict(X) == pytest.approx(KernelRidge().fit(X, y).predict(X))
    with pytest.raises(KernelError, match="one number for each of the 3 features"):
        KernelRidge(kernel="rbf", gamma=[0.1, 0.2]).fit(X, y)
    with pytest.raises(ParameterError, match="expected gamma to be"):
        KernelRidge(kernel="poly", gamma=gammas).fit(X, y)


# ---------------------------------------------------------------- systems without a solution


def test_least_norm_is_that_of_the_pseudo_inverse(data):
    X, y = data
    X[10:20] = X[:10]
    with pytest.warns(NumericsWarning, match="least norm"):
        model = KernelRidge(0.0, kernel="rbf", gamma=0.5).fit(X, y)
    expected = np.linalg.pinv(RBF(0.5)(X), rcond=1e-12, hermitian=True) @ y
    np.testing.assert_allclose(model.predict(X), RBF(0.5)(X) @ expected, atol=1e-6)


def test_conjugate_gradients_want_alpha(data):
    with pytest.raises(InputError, match=r"alpha: expected a number > 0 for conjugate gradients"):
        KernelRidge(0.0, kernel="rbf", solver="cg").fit(*data)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("alpha", [1e-20, 1e-300])
def test_conjugate_gradients_that_are_stuck_end_and_say_so(alpha, fit_intercept, data):
    X, y = data
    X[10:20] = X[:10]  # with other targets, so that there is no solution to speak of
    with pytest.warns(UnsolvedWarning, match="Stalled"):
        model = KernelRidge(alpha, kernel="rbf", gamma=0.5, solver="cg", fit_intercept=fit_intercept).fit(X, y)
    assert np.all(np.isfinite(model.predict(X)))
    assert model.certificate_.residual <= 1 + 1e-12  # no worse than nothing


def test_conjugate_gradients_end_where_weights_overflow(data):
    X, y = data
    with pytest.warns(UnsolvedWarning, match="Stalled"):
        KernelRidge(0.1, kernel="rbf", gamma=0.5, solver="cg").fit(X, y, np.full(30, 1e300))


@pytest.mark.parametrize("kernel", [Sigmoid(1.0, -1.0), Polynomial(2, 1.0, -1.0)])
def test_indefinite_kernel_is_solved_and_certified_as_that(kernel, data):
    X, y = data
    model = KernelRidge(0.1, kernel=kernel).fit(X, y)
    assert model.status_ is Status.STATIONARY
    np.testing.assert_allclose(model.dual_coef_, np.linalg.solve(kernel(X) + 0.1 * np.eye(30), y), rtol=1e-6)
    with pytest.warns(UnsolvedWarning, match="only solver='cholesky'"):
        KernelRidge(0.1, kernel=kernel, solver="cg").fit(X, y)
    with pytest.raises(InputError, match="positive definite"):
        model.left_out_predict()


def test_rounding_that_leaves_much_is_told(data):
    X, y = data
    X[15:] = X[:15] + 1e-7
    with pytest.warns(UnsolvedWarning, match="and rounding at most"):
        KernelRidge(1e-18, kernel="rbf", gamma=1e-3, solver="cg").fit(X, y)


# ---------------------------------------------------------------- functions as kernels


def minus(x, z):
    return x[0] - z[1]


def product(x, z):
    return x[0] * z[1]


@pytest.mark.parametrize("function", [minus, product])
@pytest.mark.parametrize("kind", [KernelRidge, KernelRidgeCV, KernelRidgeClassifier])
def test_function_that_is_not_symmetric_is_refused(kind, function, data):
    X, y = data
    with pytest.raises(KernelError, match="symmetric"):
        kind(kernel=function).fit(X, y > 0)
    matrix = CallableKernel(lambda A, B: np.array([[function(a, b) for b in B] for a in A]))
    with pytest.raises(KernelError, match="symmetric"):
        kind(kernel=matrix).fit(X, y > 0)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda x, z: np.nan, "finite kernel values"),
        (lambda x, z: None, "finite kernel values"),
        (lambda x, z: x, "expected it to return kernel values"),
        (lambda x, z: 1j, "expected it to return kernel values"),
        (lambda x, z: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_function_that_returns_no_number_is_refused(function, told, data):
    X, y = data
    for model in (KernelRidge(kernel=function), KernelRidgeCV(kernel=function), Nystroem(function, n_components=3)):
        with pytest.raises(KernelError, match=told):
            model.fit(X, y)


def test_kernel_of_scikit_learns_gaussian_processes_is_taken_as_there(data):
    X, y = data
    expected = Theirs(alpha=0.1, kernel=TheirRBF(1.5)).fit(X, y).predict(X)
    np.testing.assert_allclose(KernelRidge(0.1, kernel=TheirRBF(1.5)).fit(X, y).predict(X), expected, rtol=1e-9)


# ---------------------------------------------------------------- what happens to a fitted machine


@EACH
def test_parameters_set_after_a_fit_do_not_change_it(model, data):
    X, y = data
    left_out = "left_out_decision_function" if isinstance(model, KernelRidgeClassifier) else "left_out_predict"
    model = clone(model).fit(X, targets(model, y))
    before, before_left_out = values(model, X), getattr(model, left_out)()
    proof = certify(model, X, targets(model, y))
    model.set_params(kernel="linear", gamma=9.0, fit_intercept=not model.fit_intercept)
    np.testing.assert_array_equal(values(model, X), before)
    np.testing.assert_array_equal(getattr(model, left_out)(), before_left_out)
    assert certify(model, X, targets(model, y)) == proof


@EACH
def test_copies_are_the_same_machine(model, data):
    X, y = data
    model = clone(model).fit(X, targets(model, y))
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(values(again, X), values(model, X))


@EACH
def test_fits_in_several_threads_are_the_same(model, data):
    X, y = data
    expected = values(clone(model).fit(X, targets(model, y)), X)
    found = [None] * 4

    def fit(place):
        found[place] = values(clone(model).fit(X, targets(model, y)), X)

    threads = [threading.Thread(target=fit, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in found:
        np.testing.assert_allclose(one, expected, rtol=1e-9)


@pytest.mark.parametrize("kind", [KernelRidge, KernelRidgeCV, KernelRidgeClassifier, Nystroem])
def test_kernel_values_of_other_rows_are_refused(kind, data):
    X, y = data
    K = RBF(0.5)(X)
    model = kind(kernel="precomputed").set_params(**({"n_components": 4} if kind is Nystroem else {})).fit(K, y > 0)
    ask = model.transform if kind is Nystroem else model.predict
    assert len(ask(K[:3])) == 3
    for wrong in (K[:3, :10], K[:3, :1], np.hstack([K[:3], K[:3]])):
        with pytest.raises(ValueError, match=r"features|shape"):
            ask(wrong)
    with pytest.raises(ValueError, match="square"):
        kind(kernel="precomputed").fit(K[:5], (y > 0)[:5])
    with pytest.raises(ValueError, match="symmetric"):
        kind(kernel="precomputed").fit(K + np.triu(K, 1), y > 0)
