"""Machines whose sums cancel to less than float64 tells of them: evaluated in twice the precision, whatever becomes of
them."""

import pickle
from dataclasses import replace
from decimal import Decimal, localcontext
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

from mercer import SVC, SVR, InputError, NuSVC, NuSVR, OneClassSVM, Status, certify
from tests.reference import decimals

# A sum is rounded once, and once more with its intercept.
ROUNDINGS = 2 * np.finfo(np.float64).eps
# Of terms in twice the precision, with a margin for their number.
ROUNDINGS_OF_TERMS = 1e-30
ADVICE = "again instead of changing"


def rows(offset):
    X, y = load_iris(return_X_y=True)
    return scale(X)[::5] + offset, y[::5]


def polynomial(degree):
    return {"kernel": "poly", "degree": degree, "gamma": 1.0}


# name: (estimator, where the rows lie)
MACHINES = {
    "SVC, all pairs": (SVC(decision_function_shape="ovo", **polynomial(3)), 1e5),
    "SVC, one against the rest": (SVC(multi_class="ovr", **polynomial(2)), 1e6),
    "SVC, linear": (SVC(kernel="linear", C=10.0, decision_function_shape="ovo"), 1e7),
    "NuSVC": (NuSVC(nu=0.3, decision_function_shape="ovo", **polynomial(2)), 1e5),
    "SVR": (SVR(C=1e4, **polynomial(2)), 5e4),
    "SVR, rbf": (SVR(C=1e12, epsilon=0.0, gamma=1e-9), 0.0),
    "NuSVR": (NuSVR(C=100.0, **polynomial(2)), 1e5),
    "OneClassSVM": (OneClassSVM(nu=0.3, **polynomial(2)), 1e5),
}
# Those that float64 cannot hold the coefficients of.
BEYOND = {"SVC, one against the rest", "NuSVC", "SVR", "NuSVR"}
BY_NAME = pytest.mark.parametrize("name", MACHINES)


def data(name):
    model, offset = MACHINES[name]
    X, labels = rows(offset)
    if isinstance(model, SVR | NuSVR):
        return X, labels + 0.1 * (X[:, 0] - offset)
    return X, None if isinstance(model, OneClassSVM) else labels


@cache
def fitted(name, sparse=False):
    X, y = data(name)
    return clone(MACHINES[name][0]).fit(sp.csr_matrix(X) if sparse else X, y)


def queries(name):
    X, _ = data(name)
    return X[:6] + np.random.default_rng(1).normal(size=(6, X.shape[1]))


def values(model, X):
    """The functions at the rows, one column each."""
    found = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
    return found.reshape(X.shape[0], -1)


def decimal_values(model, X):
    """The same from dual_coef_ and what is kept of it beside, in sixty digits; and how far off float64 may be."""
    machine = model._machine
    vectors = machine.support_vectors.toarray() if sp.issparse(machine.support_vectors) else machine.support_vectors
    name = model.kernel
    K = decimals.matrix(name, X, vectors, gamma=1.0 if name == "linear" else model.gamma, degree=model.degree)
    found, terms = [], []
    with localcontext(prec=decimals.DIGITS):
        for function, intercept in enumerate(machine.intercept.tolist()):
            c = [Decimal(0)] * len(vectors)
            positions, coef = machine.coef_of(function)
            for position, value in zip(positions.tolist(), coef.tolist(), strict=True):
                c[position] += Decimal(value)
            if machine.low is not None:
                c = [a + Decimal(b) for a, b in zip(c, machine.low[function].tolist(), strict=True)]
            sums = [sum((a * k for a, k in zip(c, row, strict=True)), Decimal(0)) for row in K]
            found.append([float(total + Decimal(intercept)) for total in sums])
            terms.append([float(sum(abs(a * k) for a, k in zip(c, row, strict=True))) for row in K])
    wanted, terms = np.array(found).T, np.array(terms).T
    size = np.abs(wanted) + np.abs(machine.intercept)
    if name == "linear":
        # It goes through the weights, and these through products with the rows in float64.
        weights = model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_
        size = size + np.abs(X) @ np.abs(weights.T) * X.shape[1]
    return wanted, ROUNDINGS * size + ROUNDINGS_OF_TERMS * terms


@BY_NAME
def test_machines_are_solved_and_precise(name):
    model = fitted(name)
    assert model.status_ is Status.SOLVED
    assert model._machine.is_precise
    low = model._machine.low
    assert (low is not None and low.any()) == (name in BEYOND)
    if low is not None:
        assert low.shape == (len(model._machine.intercept), len(model.support_))


@BY_NAME
def test_predictions_are_those_of_sixty_digits(name):
    model, X = fitted(name), queries(name)
    wanted, rounding = decimal_values(model, X)
    assert np.all(np.abs(values(model, X) - wanted) <= rounding)


def test_float64_alone_would_predict_something_else():
    """What the precision is for."""
    name = "NuSVR"
    model, X = fitted(name), queries(name)
    plain = replace(model._machine, is_precise=False, low=None)
    wanted, _ = decimal_values(model, X)
    assert np.abs(plain.values(X, 1, np.float64) - wanted).max() > 1e3
    without_low = replace(model._machine, low=None)
    assert np.abs(without_low.values(X, 1, np.float64) - wanted).max() > 1e3


@BY_NAME
def test_pickles_predict_the_same(name):
    model, X = fitted(name), queries(name)
    again = pickle.loads(pickle.dumps(model))
    assert again._machine.is_precise
    np.testing.assert_array_equal(values(again, X), values(model, X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@BY_NAME
def test_clones_fit_the_same(name):
    model, X = fitted(name), queries(name)
    again = clone(model).fit(*data(name))
    np.testing.assert_array_equal(values(again, X), values(model, X))


@BY_NAME
def test_certificates_are_the_same_anew(name):
    model = fitted(name)
    own, again = model.certificate_, certify(model, *data(name))
    assert again.holds(model.tol)
    size = max(1.0, abs(own.primal))
    assert again.primal == pytest.approx(own.primal, abs=1e-9 * size)
    assert again.dual == pytest.approx(own.dual, abs=1e-9 * size)
    scale = max(own.scale, 1.0)
    assert again.violation == pytest.approx(own.violation, rel=1e-6, abs=0.02 * model.tol * scale)


@BY_NAME
def test_sparse_rows_make_the_same_machine(name):
    sparse, X = fitted(name, sparse=True), queries(name)
    assert sparse.status_ is Status.SOLVED
    assert sparse._machine.is_precise
    wanted, rounding = decimal_values(sparse, X)
    for layout in (np.asarray, sp.csr_matrix):
        assert np.all(np.abs(values(sparse, layout(X)) - wanted) <= rounding)


def test_weights_are_those_of_the_decision_function():
    model, X = fitted("SVC, linear"), queries("SVC, linear")
    machine = model._machine
    vectors = np.array([decimals.exact(row) for row in machine.support_vectors])
    with localcontext(prec=decimals.DIGITS):
        for function, weights in enumerate(model.coef_):
            positions, coef = machine.coef_of(function)
            wanted = sum(Decimal(c) * vectors[p] for p, c in zip(positions.tolist(), coef.tolist(), strict=True))
            # Rounded once, though terms are ten million times as large.
            np.testing.assert_allclose(weights, decimals.rounded(wanted), rtol=1e-15)
            exact = [
                sum(Decimal(w) * x for w, x in zip(weights.tolist(), decimals.exact(row), strict=True)) for row in X
            ]
            found = model.decision_function(X)[:, function] - model.intercept_[function]
            np.testing.assert_allclose(found, decimals.rounded(exact), rtol=0, atol=1e-15 * np.abs(X).max() * 20)


def test_coefficients_of_nu_classification_are_divided_with_all_their_digits():
    """Before the division by ρ their sizes add up to ν n of each pair, and those at their bound are one."""
    name = "NuSVC"
    model = fitted(name)
    machine, (_, y) = model._machine, data(name)
    for function, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        positions, coef = machine.coef_of(function)
        low = machine.low[function][positions]
        with localcontext(prec=decimals.DIGITS):
            rho = Decimal(float(np.ravel(model.rho_)[function]))
            sizes = [abs(Decimal(a) + Decimal(b)) * rho for a, b in zip(coef.tolist(), low.tolist(), strict=True)]
            total, from_one = sum(sizes), sorted(abs(size - 1) for size in sizes)
            assert from_one[3] <= Decimal("1e-30")  # some four of each pair
        count = np.count_nonzero((y == first) | (y == second))
        assert float(total) == pytest.approx(0.3 * count, rel=1e-9)


@pytest.mark.parametrize(
    "tampered",
    [
        lambda low: low[:, 1:],
        lambda low: low[0],
        lambda low: np.full_like(low, np.nan),
        lambda low: low.astype(np.float32),
        lambda low: low.tolist(),
    ],
    ids=["too few", "one dimension", "no numbers", "float32", "no array"],
)
@pytest.mark.parametrize("name", sorted(BEYOND))
def test_whoever_replaces_the_last_digits_by_what_does_not_fit_hears_of_it(name, tampered):
    model = pickle.loads(pickle.dumps(fitted(name)))
    object.__setattr__(model._machine, "low", tampered(model._machine.low))
    with pytest.raises(InputError, match=ADVICE):
        model.predict(queries(name))


def test_last_digits_without_the_precision_for_them_are_refused():
    model = pickle.loads(pickle.dumps(fitted("SVR")))
    object.__setattr__(model._machine, "is_precise", False)
    with pytest.raises(InputError, match=ADVICE):
        model.predict(queries("SVR"))


def test_last_digits_are_read_only():
    low = fitted("SVR")._machine.low
    with pytest.raises(ValueError, match="read-only"):
        low[0, 0] = 1.0
