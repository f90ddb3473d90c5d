"""Regression, ν-classification and one class at the edge of what their parameters and data allow: a proved answer, an
honest status or a clear error, in bounded time."""

import re
import time
import warnings

import numpy as np
import pytest
import sklearn.svm
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import SVR as Svr
from mercer import MercerError, NumericsWarning, NuSVC, NuSVR, OneClassSVM, Status, UnsolvedWarning
from tests.reference import problems as twin

# Far more than any of these fits takes; a hang or a crawl is what it is against.
SECONDS = 10
N = 60


def rows(n=N, seed=3):
    return np.random.default_rng(seed).normal(size=(n, 3))


def targets(n=N, seed=3):
    rng = np.random.default_rng(seed + 1)
    return np.sin(2 * rows(n, seed)[:, 0]) + 0.2 * rng.normal(size=n)


def signs(n=N, seed=3):
    """As many rows of the one class as of the other."""
    y = targets(n, seed)
    return np.where(y > np.median(y), 1, -1)


def fit(model, X, y=None, v=None):
    """The model, if it is proved or says that it is not; the error, if it is one of Mercer's. All else fails."""
    model.set_params(time_limit=SECONDS / 2)
    began, refusal = time.perf_counter(), None
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            model.fit(X, y, sample_weight=v)
        except MercerError as error:
            refusal = error
    assert time.perf_counter() - began < SECONDS
    if refusal is not None:
        assert len(str(refusal)) > 20
        return refusal
    kinds = {warning.category for warning in seen}
    assert kinds <= {UnsolvedWarning, NumericsWarning}, kinds
    assert (UnsolvedWarning not in kinds) == model.status_.is_within_tolerance
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.intercept_).all()
    assert np.isfinite(model.dual_coef_).all()
    assert model.certificate_.relative_gap != 0 or model.certificate_.gap == 0, "no number is no gap"
    if model.status_.is_within_tolerance:
        assert model.certificate_.holds(model.tol)
        assert mercer.certify(model, X, y, sample_weight=v).holds(model.tol)
    return model


def solved(model, X, y=None, v=None):
    model = fit(model, X, y, v)
    assert not isinstance(model, MercerError), model
    assert model.status_ is Status.SOLVED
    return model


def coefficients(model, n):
    full = np.zeros(n)
    full[model.support_] = model.dual_coef_[0]
    return full


# name: (estimator, rows, targets, weights)
CASES = {
    "nu tiny, NuSVC": (NuSVC(nu=1e-6), rows(), signs(), None),
    "nu tiny, NuSVR": (NuSVR(nu=1e-6), rows(), targets(), None),
    "nu tiny, one class": (OneClassSVM(nu=1e-6), rows(), None, None),
    "nu next to nothing, NuSVC": (NuSVC(nu=1e-300), rows(), signs(), None),
    "nu next to nothing, NuSVR": (NuSVR(nu=1e-300), rows(), targets(), None),
    "nu next to nothing, one class": (OneClassSVM(nu=1e-300), rows(), None, None),
    "nu one, NuSVC": (NuSVC(nu=1), rows(), signs(), None),
    "nu one, NuSVR": (NuSVR(nu=1), rows(), targets(), None),
    "nu one, NuSVR, odd": (NuSVR(nu=1), rows(61), targets(61), None),
    "nu one, NuSVR, odd, linear": (NuSVR(nu=1, kernel="linear", C=1e3), rows(61), targets(61), None),
    "nu one, one class": (OneClassSVM(nu=1), rows(), None, None),
    "nu one, one class, odd weights": (OneClassSVM(nu=1), rows(), None, np.linspace(0.1, 7, N)),
    "nu just below one, NuSVC": (NuSVC(nu=1 - 1e-12), rows(), signs(), None),
    "nu just below one, one class": (OneClassSVM(nu=1 - 1e-12), rows(), None, None),
    "epsilon zero": (Svr(epsilon=0), rows(), targets(), None),
    "epsilon zero, large C": (Svr(epsilon=0, C=1e6), rows(), targets(), None),
    "epsilon huge": (Svr(epsilon=1e300), rows(), targets(), None),
    "epsilon the smallest": (Svr(epsilon=5e-324), rows(), targets(), None),
    "constant targets, SVR": (Svr(), rows(), np.full(N, 3.5), None),
    "constant targets, SVR, epsilon zero": (Svr(epsilon=0), rows(), np.full(N, 3.5), None),
    "constant targets, NuSVR": (NuSVR(), rows(), np.full(N, 3.5), None),
    "constant targets, NuSVR, nu one": (NuSVR(nu=1), rows(), np.full(N, -3.5), None),
    "all targets zero, SVR": (Svr(epsilon=0), rows(), np.zeros(N), None),
    "all targets zero, NuSVR": (NuSVR(), rows(), np.zeros(N), None),
    "huge targets, SVR": (Svr(), rows(), 1e12 * targets(), None),
    "huge targets, SVR, huge C": (Svr(C=1e12, epsilon=1e10), rows(), 1e12 * targets(), None),
    "huge targets, NuSVR": (NuSVR(), rows(), 1e12 * targets(), None),
    "huge targets, NuSVR, huge C": (NuSVR(C=1e12), rows(), 1e12 * targets(), None),
    "targets far from zero, SVR": (Svr(), rows(), 1e12 + targets(), None),
    "targets far from zero, NuSVR": (NuSVR(), rows(), 1e12 + targets(), None),
    "targets near the largest number, SVR": (Svr(), rows(), 1e307 * targets(), None),
    "targets near the largest number, NuSVR": (NuSVR(), rows(), 1e307 * targets(), None),
    "tiny targets, SVR": (Svr(), rows(), 1e-12 * targets(), None),
    "tiny targets, NuSVR": (NuSVR(), rows(), 1e-12 * targets(), None),
    "tiny targets and tolerance, SVR": (Svr(epsilon=1e-13, tol=1e-15, C=1e-11), rows(), 1e-12 * targets(), None),
    "tiny targets and tolerance, NuSVR": (NuSVR(tol=1e-15, C=1e-11), rows(), 1e-12 * targets(), None),
    "denormal targets, SVR": (Svr(epsilon=0), rows(), 5e-324 * np.sign(targets()), None),
    "denormal targets, NuSVR": (NuSVR(), rows(), 5e-324 * np.sign(targets()), None),
    "C tiny, SVR": (Svr(C=1e-10), rows(), targets(), None),
    "C tiny, NuSVR": (NuSVR(C=1e-10), rows(), targets(), None),
    "C next to nothing, SVR": (Svr(C=1e-300), rows(), targets(), None),
    "C next to nothing, NuSVR": (NuSVR(C=1e-300), rows(), targets(), None),
    "the smallest C, SVR": (Svr(C=5e-324), rows(), targets(), None),
    "the smallest C, NuSVR": (NuSVR(C=5e-324), rows(), targets(), None),
    "C huge, SVR": (Svr(C=1e10), rows(), targets(), None),
    "C huge, NuSVR": (NuSVR(C=1e10), rows(), targets(), None),
    "C huge, SVR, linear": (Svr(C=1e10, kernel="linear"), rows(), targets(), None),
    "C huge, NuSVR, linear": (NuSVR(C=1e10, kernel="linear"), rows(), targets(), None),
    "C next to infinity, SVR": (Svr(C=1e300), rows(), targets(), None),
    "C next to infinity, NuSVR": (NuSVR(C=1e300), rows(), targets(), None),
    "one row, SVR": (Svr(gamma=1), rows(1), np.array([2.0]), None),
    "one row, NuSVR": (NuSVR(gamma=1), rows(1), np.array([2.0]), None),
    "one row, one class": (OneClassSVM(gamma=1), rows(1), None, None),
    "one row, one class, nu one": (OneClassSVM(gamma=1, nu=1), rows(1), None, None),
    "two rows, SVR": (Svr(), rows(2), np.array([2.0, -1.0]), None),
    "two rows, NuSVR": (NuSVR(), rows(2), np.array([2.0, -1.0]), None),
    "two rows, NuSVC": (NuSVC(), rows(2), np.array([1, -1]), None),
    "two rows, one class": (OneClassSVM(), rows(2), None, None),
    "two rows, one of weight zero, SVR": (Svr(gamma=1), rows(2), np.array([2.0, -1.0]), np.array([1.0, 0.0])),
    "two rows, one of weight zero, one class": (OneClassSVM(gamma=1), rows(2), None, np.array([1.0, 0.0])),
    "equal rows, SVR": (Svr(), np.ones((N, 2)), targets(), None),
    "equal rows, NuSVR": (NuSVR(), np.ones((N, 2)), targets(), None),
    "equal rows, one class": (OneClassSVM(), np.ones((N, 2)), None, None),
    "equal rows, one class, linear": (OneClassSVM(kernel="linear"), np.ones((N, 2)), None, None),
    "equal rows, NuSVC": (NuSVC(), np.ones((N, 2)), signs(), None),
    "rows of zeros, one class, linear": (OneClassSVM(kernel="linear"), np.zeros((N, 2)), None, None),
    "rows of zeros, SVR, linear": (Svr(kernel="linear"), np.zeros((N, 2)), targets(), None),
    "duplicates, one class": (OneClassSVM(), np.repeat(rows(20), 3, axis=0), None, None),
    "duplicates of unlike targets, SVR": (Svr(C=1e6), np.tile(rows(30), (2, 1)), targets(60), None),
    "duplicates of unlike targets, NuSVR": (NuSVR(C=1e6), np.tile(rows(30), (2, 1)), targets(60), None),
    "rows around the origin, one class, linear": (OneClassSVM(kernel="linear"), np.r_[rows(), -rows()], None, None),
    "rows around the origin, one class, nu tiny": (
        OneClassSVM(kernel="linear", nu=1e-6),
        np.r_[rows(), -rows()],
        None,
        None,
    ),
    "rows of both classes, NuSVC": (NuSVC(), np.tile(rows(30), (2, 1)), np.repeat([1, -1], 30), None),
    "rows of both classes, NuSVC, linear": (
        NuSVC(kernel="linear", nu=0.2),
        np.tile(rows(30), (2, 1)),
        np.repeat([1, -1], 30),
        None,
    ),
    "rows of both classes, NuSVC, nu one": (NuSVC(nu=1), np.tile(rows(30), (2, 1)), np.repeat([1, -1], 30), None),
    "rows of both classes, NuSVC, weighted": (
        NuSVC(),
        np.tile(rows(30), (2, 1)),
        np.repeat([1, -1], 30),
        np.repeat([1.0, 2.0], 30),
    ),
    "inseparable, NuSVC, linear": (NuSVC(kernel="linear", nu=0.1), rows(), signs(seed=8), None),
    "tiny weights, SVR": (Svr(), rows(), targets(), np.full(N, 1e-300)),
    "tiny weights, NuSVR": (NuSVR(), rows(), targets(), np.full(N, 1e-300)),
    "tiny weights, one class": (OneClassSVM(), rows(), None, np.full(N, 1e-300)),
    "tiny weights, NuSVC": (NuSVC(), rows(), signs(), np.full(N, 1e-300)),
    "huge weights, SVR": (Svr(), rows(), targets(), np.full(N, 1e300)),
    "huge weights, NuSVR": (NuSVR(), rows(), targets(), np.full(N, 1e300)),
    "huge weights, one class": (OneClassSVM(), rows(), None, np.full(N, 1e300)),
    "huge weights, NuSVC": (NuSVC(), rows(), signs(), np.full(N, 1e300)),
    "weights that overflow, one class": (OneClassSVM(), rows(), None, np.full(N, 1e308)),
    "weights far apart, SVR": (Svr(), rows(), targets(), np.logspace(-8, 8, N)),
    "weights far apart, NuSVR": (NuSVR(), rows(), targets(), np.logspace(-8, 8, N)),
    "weights far apart, one class": (OneClassSVM(), rows(), None, np.logspace(-8, 8, N)),
    "weights far apart, NuSVC": (NuSVC(nu=0.01), rows(), signs(), np.logspace(-8, 8, N)),
    "indefinite, SVR": (Svr(kernel="sigmoid", gamma=1.0, coef0=-1.0), rows(), targets(), None),
    "indefinite, NuSVR": (NuSVR(kernel="sigmoid", gamma=1.0, coef0=-1.0), rows(), targets(), None),
    "indefinite, one class": (OneClassSVM(kernel="sigmoid", gamma=1.0, coef0=-1.0), rows(), None, None),
    "indefinite, NuSVC": (NuSVC(kernel="sigmoid", gamma=1.0, coef0=-1.0), rows(), signs(), None),
    "a matrix of zeros, SVR": (Svr(kernel="precomputed"), np.zeros((N, N)), targets(), None),
    "a matrix of zeros, NuSVR": (NuSVR(kernel="precomputed"), np.zeros((N, N)), targets(), None),
    "a matrix of zeros, one class": (OneClassSVM(kernel="precomputed"), np.zeros((N, N)), None, None),
    "a matrix of zeros, NuSVC": (NuSVC(kernel="precomputed"), np.zeros((N, N)), signs(), None),
    "gamma huge, SVR": (Svr(gamma=1e300), rows(), targets(), None),
    "gamma huge, one class": (OneClassSVM(gamma=1e300), rows(), None, None),
    "gamma huge, NuSVC": (NuSVC(gamma=1e300), rows(), signs(), None),
    "gamma zero, SVR": (Svr(gamma=0), rows(), targets(), None),
    "gamma zero, NuSVR": (NuSVR(gamma=0), rows(), targets(), None),
    "gamma zero, one class": (OneClassSVM(gamma=0), rows(), None, None),
    "gamma zero, NuSVC": (NuSVC(gamma=0), rows(), signs(), None),
    "large rows, SVR, linear": (Svr(kernel="linear"), 1e30 * rows(), targets(), None),
    "large rows, one class, linear": (OneClassSVM(kernel="linear"), 1e30 * (rows() + 5), None, None),
    "large rows, NuSVC, linear": (NuSVC(kernel="linear", nu=0.8), 1e30 * rows(), signs(), None),
    "tiny rows, one class, linear": (OneClassSVM(kernel="linear"), 1e-30 * (rows() + 5), None, None),
    "tiny rows, NuSVC, linear": (NuSVC(kernel="linear", nu=0.8), 1e-30 * rows(), signs(), None),
    "a tolerance below rounding, SVR": (Svr(tol=1e-17, C=100), rows(), targets(), None),
    "a tolerance below rounding, NuSVR": (NuSVR(tol=1e-17, C=100), rows(), targets(), None),
    "a tolerance below rounding, one class": (OneClassSVM(tol=1e-17), rows(), None, None),
    "a tolerance below rounding, NuSVC": (NuSVC(tol=1e-17), rows(), signs(), None),
}

# What is no harder than any other problem of its kind must be solved, and not only end honestly.
EASY = [
    "nu tiny, NuSVR",
    "nu tiny, one class",
    "nu one, NuSVR",
    "nu one, NuSVR, odd",
    "nu one, one class",
    "nu one, one class, odd weights",
    "epsilon zero",
    "epsilon huge",
    "epsilon the smallest",
    "constant targets, SVR",
    "constant targets, SVR, epsilon zero",
    "constant targets, NuSVR",
    "all targets zero, SVR",
    "all targets zero, NuSVR",
    "tiny targets, SVR",
    "tiny targets, NuSVR",
    "tiny targets and tolerance, SVR",
    "tiny targets and tolerance, NuSVR",
    "C tiny, SVR",
    "C tiny, NuSVR",
    "one row, SVR",
    "one row, NuSVR",
    "one row, one class",
    "two rows, SVR",
    "two rows, NuSVR",
    "two rows, NuSVC",
    "two rows, one class",
    "equal rows, SVR",
    "equal rows, NuSVR",
    "equal rows, one class",
    "duplicates, one class",
    "gamma huge, one class",
    "gamma zero, SVR",
    "gamma zero, one class",
]


@pytest.mark.parametrize("name", CASES)
def test_extreme_case_ends_with_a_proof_an_honest_status_or_a_clear_error(name):
    model, X, y, v = CASES[name]
    fit(model, X, y, v)


@pytest.mark.parametrize("name", EASY)
def test_extreme_case_that_is_easy_is_solved(name):
    model, X, y, v = CASES[name]
    solved(model, X, y, v)


def never(A, B):
    raise AssertionError("a kernel value was computed before the parameters were checked")


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("classes", [2, 3])
def test_infeasible_nu_names_the_largest_feasible_one_before_any_kernel_value(classes, weighted):
    X = rows()
    y = np.repeat(np.arange(classes), [5, 55] if classes == 2 else [5, 20, 35])
    v = np.linspace(0.5, 1.7, N) if weighted else None
    weight = np.bincount(y, weights=v)
    # Twice the lighter class's share, of the pair where it is least.
    largest = min(
        2 * min(weight[i], weight[j]) / (weight[i] + weight[j]) for i in range(classes) for j in range(i + 1, classes)
    )
    for nu in (largest * 1.01, 0.9, 1):
        with pytest.raises(ValueError, match="nu") as caught:
            NuSVC(nu=nu, kernel=never).fit(X, y, sample_weight=v)
        assert isinstance(caught.value, MercerError)
    told = [float(number) for number in re.findall(r"\d+\.\d+(?:e-?\d+)?", str(caught.value))]
    near = [number for number in told if number == pytest.approx(largest, rel=1e-3)]
    assert near, f"no {largest} in: {caught.value}"
    solved(NuSVC(nu=near[0], gamma=0.5), X, y, v)


@pytest.mark.parametrize("n", [3, 7, 30])
def test_largest_feasible_nu_is_solved_exactly(n):
    """Every row of the lighter class is at its bound: nothing but rounding decides whether that is feasible."""
    X, y = rows(), np.where(np.arange(N) < n, 1, -1)
    model = solved(NuSVC(nu=2 * n / N, gamma=0.5, tol=1e-6), X, y)
    c, _ = twin.nu_svc_before_division(coefficients(model, N), np.ones(N), 2 * n / N)
    np.testing.assert_allclose(c[:n], 1, rtol=1e-9)
    best = twin.solve_nu_svc_dual(rbf_kernel(X, gamma=0.5), y.astype(float), np.ones(N), 2 * n / N)
    assert model.certificate_.dual == pytest.approx(best.value, rel=1e-5)


@pytest.mark.parametrize("nu", [1e-6, 1e-3, 0.02, 1.0])
def test_nu_at_its_ends_gives_the_optimum_of_one_class(nu):
    X = rows()
    model = solved(OneClassSVM(nu=nu, gamma=0.5, tol=1e-6), X)
    best = twin.solve_one_class_dual(rbf_kernel(X, gamma=0.5), np.ones(N), min(nu, 1 - 1e-9))
    # In units of ν² the objective is of size one, and Clarabel's gap is absolute: hence nu of 1e-6 by its mean only.
    if nu >= 1e-3:
        assert model.certificate_.dual == pytest.approx(best.value, rel=1e-4)
    assert model.dual_coef_.sum() == pytest.approx(nu * N, rel=1e-9)


def test_tiny_nu_gives_the_hard_margin():
    """Unless the fit says that it did not get there; tol is in the units of the machine too, whose margin is at one."""
    X, y = rows(), signs()
    model = fit(NuSVC(nu=1e-6, gamma=0.5, tol=1e-3), X, y)
    expected = mercer.SVC(C=np.inf, gamma=0.5, tol=1e-6).fit(X, y).decision_function(X)
    if not isinstance(model, MercerError) and model.status_ is Status.SOLVED:
        # Values of two machines differ by a few times what is violated.
        np.testing.assert_allclose(model.decision_function(X), expected, rtol=0, atol=20 * model.tol)


def in_own_units(model, X):
    if isinstance(model, OneClassSVM):
        return model.decision_function(X) / model.offset_
    return model.decision_function(X) if isinstance(model, NuSVC) else model.predict(X)


@pytest.mark.parametrize("factor", [1e-300, 1e-6, 1e6, 1e100])
@pytest.mark.parametrize("model", [NuSVC(nu=0.4), OneClassSVM(nu=0.4), NuSVR(nu=0.4)], ids=str)
def test_weights_that_all_grow_alike_give_the_same_machine(model, factor):
    """Unless the fit says that it did not get there. In NuSVR C makes up for them; one class grows with them."""
    X, y = rows(), signs() if isinstance(model, NuSVC) else targets()
    own = {"gamma": 0.5, "tol": 1e-3}
    plain = solved(model.set_params(**own), X, y)
    other = type(model)(**plain.get_params())
    if isinstance(model, NuSVR):
        other.set_params(C=plain.C / factor)
    other = fit(other, X, y, np.full(N, factor))
    assert not isinstance(other, MercerError), other
    if other.status_ is Status.SOLVED:
        # Values of two machines at tol = 1e-3 differ by a few times that.
        np.testing.assert_allclose(in_own_units(other, X), in_own_units(plain, X), rtol=0, atol=20e-3)


def test_nu_one_gives_every_row_of_one_class_its_weight():
    v = np.linspace(0.1, 7, N)
    model = solved(OneClassSVM(nu=1, gamma=0.5), rows(), None, v)
    np.testing.assert_allclose(coefficients(model, N), v, rtol=1e-12)


def test_nu_one_gives_every_row_of_two_classes_its_weight():
    X, y = rows(), signs()
    model = fit(NuSVC(nu=1, gamma=0.5), X, y)
    assert not isinstance(model, MercerError)
    c = coefficients(model, N)
    np.testing.assert_allclose(c / np.abs(c).max(), y, rtol=1e-9)


@pytest.mark.parametrize("n", [60, 61])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_nu_svr_with_nu_one_is_the_median_regression(n, kernel):
    X, y = rows(n), targets(n)
    model = solved(NuSVR(nu=1, kernel=kernel, C=2, gamma=0.5, tol=1e-6), X, y)
    flat = solved(Svr(epsilon=0, kernel=kernel, C=2, gamma=0.5, tol=1e-6), X, y)
    assert model.epsilon_ == pytest.approx(0, abs=1e-6)
    assert model.certificate_.dual == pytest.approx(flat.certificate_.dual, rel=1e-8)
    # Where the median is between two rows the intercept is not unique: values are compared without it.
    mine, other = model.predict(X) - model.intercept_, flat.predict(X) - flat.intercept_
    np.testing.assert_allclose(mine, other, atol=1e-4)


def test_epsilon_zero_gives_the_optimum():
    X, y = rows(), targets()
    model = solved(Svr(epsilon=0, gamma=0.5, C=3, tol=1e-8), X, y)
    best = twin.solve_svr_dual(rbf_kernel(X, gamma=0.5), y, np.ones(N), 3, 0)
    assert model.certificate_.dual == pytest.approx(best.value, rel=1e-7)


@pytest.mark.parametrize("shift", [0.0, 100.0, -1e6])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_epsilon_beyond_the_range_of_the_targets_gives_a_constant_within_reach(kernel, shift):
    X, y = rows(), targets() + shift
    epsilon = 0.6 * np.ptp(y)
    model = solved(Svr(epsilon=epsilon, kernel=kernel), X, y)
    assert model.support_.size == 0
    assert model.dual_coef_.shape == (1, 0)
    predicted = model.predict(rows(seed=9))
    assert np.ptp(predicted) == 0
    # Rounding of targets of 1e6 is far below.
    assert y.max() - epsilon - 1e-9 <= predicted[0] <= y.min() + epsilon + 1e-9
    assert model.certificate_.primal == pytest.approx(0, abs=1e-7)
    assert model.certificate_.dual == 0


@pytest.mark.parametrize("model", [Svr(epsilon=0.1), Svr(epsilon=0), NuSVR(), NuSVR(nu=1), NuSVR(nu=1e-6)], ids=str)
@pytest.mark.parametrize("value", [0.0, 3.5, -1e9])
def test_constant_targets_are_predicted(model, value):
    X, y = rows(), np.full(N, value)
    model = solved(model, X, y)
    # tol is about the training rows; elsewhere the function may be a few times as far off.
    allowed = getattr(model, "epsilon", 0) + 2 * model.tol
    np.testing.assert_allclose(model.predict(X), value, rtol=0, atol=allowed)
    np.testing.assert_allclose(model.predict(rows(seed=9)), value, rtol=0, atol=allowed + 10 * model.tol)


@pytest.mark.parametrize("model", [Svr(epsilon=0.1, C=2), NuSVR(C=2, nu=0.3)], ids=str)
@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e3, 1e12])
def test_scaled_targets_give_the_scaled_function(model, scale):
    """With C, ε and tol in the same units the problem is the same one."""
    X, y = rows(), targets()
    plain = solved(model.set_params(tol=1e-6, gamma=0.5), X, y).predict(X)
    scaled = type(model)(**{**model.get_params(), "C": 2 * scale, "tol": 1e-6 * scale})
    if isinstance(model, Svr):
        scaled.set_params(epsilon=0.1 * scale)
    predicted = solved(scaled, X, scale * y).predict(X)
    # Two machines at tol = 1e-6.
    np.testing.assert_allclose(predicted / scale, plain, rtol=0, atol=1e-5)


@pytest.mark.parametrize("model", [Svr(C=1e-9, epsilon=0.01), NuSVR(C=1e-9)], ids=str)
def test_tiny_C_leaves_only_a_constant(model):
    predicted = solved(model, rows(), targets()).predict(rows(seed=9))
    assert np.ptp(predicted) < 1e-6
    assert np.abs(predicted[0] - np.median(targets())) < 0.5


def test_huge_C_goes_through_the_tube_of_every_row():
    X, y = rows(), targets()
    model = solved(Svr(C=1e8, epsilon=0.05, gamma=2.0), X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=0, atol=0.05 + 2e-3)


def test_infinite_C_of_nu_regression_is_refused():
    with pytest.raises(mercer.ParameterError, match="C"):
        NuSVR(C=np.inf).fit(rows(), targets())


def test_duplicates_of_one_class_are_weights():
    X = rows(20)
    repeated = solved(OneClassSVM(nu=0.3, gamma=0.5, tol=1e-8), np.repeat(X, 3, axis=0))
    weighted = solved(OneClassSVM(nu=0.3, gamma=0.5, tol=1e-8), X, None, np.full(20, 3.0))
    np.testing.assert_allclose(repeated.decision_function(X), weighted.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("nu", [1e-3, 0.5, 1.0])
def test_one_class_of_a_single_row_is_that_row(nu):
    X = rows(1)
    model = solved(OneClassSVM(nu=nu, gamma=1.0), X)
    assert coefficients(model, 1) == pytest.approx([nu])
    assert model.decision_function(X)[0] <= 1e-3
    assert model.decision_function(X + 1)[0] < model.decision_function(X)[0]
    assert model.predict(X + 5)[0] == -1


def test_one_class_of_two_rows_treats_them_alike():
    X = np.array([[0.0], [1.0]])
    model = solved(OneClassSVM(nu=0.5, gamma=1.0, tol=1e-9), X)
    np.testing.assert_allclose(coefficients(model, 2), 0.5, atol=1e-8)
    np.testing.assert_allclose(model.decision_function(X), 0, atol=1e-8)


@pytest.mark.parametrize("nu", [0.01, 0.5, 1.0])
def test_one_class_of_equal_rows_has_them_on_its_edge(nu):
    X = np.ones((N, 2))
    model = solved(OneClassSVM(nu=nu, gamma=1.0), X)
    assert model.dual_coef_.sum() == pytest.approx(nu * N)
    if nu < 1:
        np.testing.assert_allclose(model.decision_function(X), 0, atol=model.tol * nu * N)
    assert model.predict(X + 3)[0] == -1


@pytest.mark.parametrize("nu", [0.2, 0.5])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_classes_of_the_same_rows_are_no_machine_that_looks_sound(kernel, nu):
    """The only optimum is w = 0 with ρ = 0, by which nothing can be divided."""
    X, y = np.tile(rows(30), (2, 1)), np.repeat([1, -1], 30)
    result = fit(NuSVC(nu=nu, kernel=kernel), X, y)
    if isinstance(result, MercerError):
        assert "nu" in str(result) or "margin" in str(result) or "overlap" in str(result)
    else:
        with pytest.warns((UnsolvedWarning, NumericsWarning), match=r"margin|ρ"):
            result.fit(X, y)


@pytest.mark.parametrize(
    ("x", "y", "C", "nu"),
    [
        ([-1, 2, -1, 2], [1, -3, 0, -1], 1.0, 0.8),
        ([-1, -2, 3, -3, 0], [-2, 2, -3, -1, -1], 1.0, 0.5),
        ([0, -1, 0, 2, 3, -1], [-2, 0, 1, -2, -1, 3], 10.0, 0.9),
        ([1, 2, 0, 0, 2, 1], [2, 0, 0, -1, 2, 0], 10.0, 0.9),
    ],
)
def test_nu_svr_spends_no_more_than_nu_allows(x, y, C, nu):
    """A tube of no width is the answer only where Σ|c| is within C ν Σ v; here it would be beyond."""
    X, y, n = np.array(x, dtype=float)[:, None], np.array(y, dtype=float), len(x)
    model = solved(NuSVR(kernel="linear", C=C, nu=nu, tol=1e-6), X, y)
    best = twin.solve_nu_svr_dual(X @ X.T, y, np.ones(n), C, nu)
    assert np.abs(model.dual_coef_).sum() <= C * nu * n * (1 + 1e-9)
    assert model.certificate_.dual == pytest.approx(best.value, rel=1e-5)


def few_rows(seed):
    """Whole numbers, so that rows, targets and distances tie."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    X, y = rng.integers(-3, 4, size=(n, 2)).astype(float), rng.integers(-3, 4, n).astype(float)
    v = np.ones(n) if seed % 2 else rng.integers(0, 3, n).astype(float)
    v[0] = 1.0
    kernel, C, nu = rng.choice(["linear", "rbf"]), float(rng.choice([0.1, 1, 10])), float(rng.choice([0.3, 0.5, 0.9]))
    return X, y, v, str(kernel), C, nu


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("kind", [Svr, NuSVR, OneClassSVM, NuSVC])
def test_few_rows_of_whole_numbers_give_the_optimum(kind, seed):
    X, y, v, kernel, C, nu = few_rows(seed)
    t = np.where(np.arange(len(y)) % 2 == 0, 1.0, -1.0)
    K = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=0.3)
    model = kind(kernel=kernel, gamma=0.3, tol=1e-6)
    targets = t if kind is NuSVC else y
    model.set_params(**{name: value for name, value in (("C", C), ("nu", nu)) if name in model.get_params()})
    model = fit(model, X, targets, v)
    if isinstance(model, MercerError):
        assert kind is NuSVC
        assert re.search(r"nu is infeasible|margin ρ > 0|positive weights belong", str(model))
        return
    best = {
        Svr: lambda: twin.solve_svr_dual(K, y, v, C, 0.1),
        NuSVR: lambda: twin.solve_nu_svr_dual(K, y, v, C, nu),
        OneClassSVM: lambda: twin.solve_one_class_dual(K, v, nu),
        NuSVC: lambda: twin.solve_nu_svc_dual(K, t, v, nu),
    }[kind]().value
    assert model.status_ is Status.SOLVED
    # A violation of tol costs at most that much for each row, by its weight and C.
    price = v.sum() * (C if kind in (Svr, NuSVR) else 1.0)
    assert model.certificate_.dual == pytest.approx(best, rel=1e-6, abs=2e-6 * price + 1e-8)
    assert model.certificate_.primal == pytest.approx(best, rel=1e-6, abs=2e-6 * price + 1e-8)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("model", [Svr(), NuSVR()], ids=str)
def test_targets_that_are_not_finite_are_refused(model, bad):
    y = targets()
    y[7] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity|finite"):
        model.fit(rows(), y)


def test_labels_that_are_not_numbers_are_refused_by_nu_svc():
    y = signs().astype(float)
    y[7] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        NuSVC().fit(rows(), y)
    with pytest.raises(ValueError, match=r"class|label"):
        NuSVC().fit(rows(), targets())
    with pytest.raises(ValueError, match="class"):
        NuSVC().fit(rows(), np.ones(N))


@pytest.mark.parametrize("model", [Svr(), NuSVR()], ids=str)
@pytest.mark.parametrize(
    "y",
    [np.full(N, "text"), np.array(["1.x"] * N, dtype=object), np.array([{}] * N), targets() + 1j],
    ids=["strings", "objects", "dictionaries", "complex"],
)
def test_targets_that_are_no_numbers_are_refused(model, y):
    with pytest.raises((ValueError, TypeError), match=r"."):
        model.fit(rows(), y)


@pytest.mark.parametrize("model", [Svr(), NuSVR(), NuSVC()], ids=str)
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (signs()[:-1], "inconsistent"),
        (np.array([]), r"inconsistent|empty|0 sample|class"),
        (np.c_[signs(), signs()], r"1d|shape|column"),
        (None, "y"),
        (3.0, r"."),
    ],
    ids=["short", "empty", "two columns", "none", "a number"],
)
def test_targets_of_the_wrong_shape_are_refused(model, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(rows(), y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(N - 1), "sample_weight"),
        (np.zeros(N), "weight"),
        (-np.ones(N), "weight"),
        (np.full(N, np.nan), r"NaN|weight"),
        (np.full(N, np.inf), r"inf|weight"),
    ],
    ids=["short", "zero", "negative", "NaN", "infinite"],
)
@pytest.mark.parametrize("model", [Svr(), NuSVR(), NuSVC(), OneClassSVM()], ids=str)
def test_bad_weights_are_refused(model, weights, message):
    with pytest.raises(ValueError, match=message):
        model.fit(rows(), signs(), sample_weight=weights)


@pytest.mark.parametrize("model", [Svr(), NuSVR(), NuSVC(), OneClassSVM()], ids=str)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_rows_that_are_not_finite_are_refused(model, bad):
    X = rows()
    X[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.fit(X, signs())


@pytest.mark.parametrize("model", [Svr(), NuSVR(), NuSVC(), OneClassSVM()], ids=str)
def test_no_rows_are_refused(model):
    with pytest.raises(ValueError, match="0 sample"):
        model.fit(np.zeros((0, 3)), np.zeros(0))
    with pytest.raises(ValueError, match="0 feature"):
        model.fit(np.zeros((10, 0)), np.arange(10) % 2)


@pytest.mark.parametrize(("kind", "nu"), [("OneClassSVM", 0.6), ("NuSVC", 0.2), ("NuSVC", 0.05)])
def test_machine_next_to_zero_is_found_in_few_steps(kind, nu):
    # Linear around the origin: values are small differences of large sums, beyond the rounding of float32.
    rng = np.random.default_rng(1)
    X, weights = rng.standard_normal((3000, 10)), rng.uniform(0.1, 10, 3000)
    y = (X[:, 0] + 0.5 * rng.standard_normal(3000) > 0).astype(int)
    model = getattr(mercer, kind)(kernel="linear", nu=nu, time_limit=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericsWarning)
        model.fit(X, y, sample_weight=weights)
    assert model.status_ is Status.SOLVED
    assert np.sum(model.n_iter_) < 200_000


def test_tiny_nu_of_classes_that_share_their_rows_ends_soon_and_warns():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((3000, 5))
    y = (X[:, 0] + 0.5 * rng.standard_normal(3000) > 0).astype(int)
    X[1500:] = X[:1500]
    with pytest.warns(NumericsWarning, match="Raise nu"):
        model = NuSVC(nu=1e-4, gamma=0.5, time_limit=20).fit(X, y)
    assert model.status_ is Status.SOLVED


@pytest.mark.parametrize("library", [mercer, sklearn.svm])
def test_certify_knows_the_sum_of_nu_svr_where_one_row_outweighs_all(library):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 60)
    y = 10 * x + 0.1 * rng.standard_normal(60)
    weights = np.ones(60)
    x[0], y[0], weights[0] = -0.3, 0, 90
    fit = library.NuSVR(kernel="linear", nu=0.6).fit(x[:, None], y, weights)
    assert mercer.certify(fit, x[:, None], y, weights).holds(1e-3)
    other = library.NuSVR(kernel="linear", nu=0.7).fit(x[:, None], y, weights).set_params(nu=0.6)
    assert not mercer.certify(other, x[:, None], y, weights).holds(1e-3)


@pytest.mark.parametrize("limit", [{"time_limit": 1e-3}, {"max_iter": 5}, {"max_iter": 20_000}])
def test_stopped_nu_svr_is_no_worse_than_nothing(limit):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 6))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(2000)
    with pytest.warns(UnsolvedWarning):
        model = NuSVR(C=100, nu=0.95, gamma=0.5, **limit).fit(X, y, 10 ** rng.uniform(-2, 2, 2000))
    assert model.certificate_.dual >= 0
    assert model.status_ in (Status.TIME_LIMIT, Status.ITERATION_LIMIT)
