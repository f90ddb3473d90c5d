"""Small ill-conditioned problems on which the sums of float64 cancel to nothing: solved all the same, and quickly.

They are judged by optimality conditions in sixty digits, by scikit-learn, by Clarabel and by closed forms.
"""

import warnings
from contextlib import contextmanager
from decimal import Decimal
from time import perf_counter

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from mercer import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM, Status
from tests.reference import decimals, liblinear
from tests.reference.linear import machine_of
from tests.reference.qp import solve_svc_dual

# Far more than any of these takes; a hang or a crawl is what it is against.
SECONDS = 10
# A multiplier this near to its bound, relative to it, rests there.
AT_BOUND = 1e-11
# What rounding may add to a violation beside the tolerance.
SLACK = 1.02


@contextmanager
def bounded_time():
    began = perf_counter()
    yield
    assert perf_counter() - began < SECONDS


def solved(model, X, y=None):
    with bounded_time():
        model.fit(X, y)
    assert model.status_ is Status.SOLVED
    return model


def at_rows(model, n):
    """Coefficients of the only function at all rows, and what float64 leaves of them."""
    high = np.zeros(n)
    high[model.support_] = model.dual_coef_[0]
    return high, model._machine.low_at_rows(0, n)


def gamma_of(model, X):
    return 1 / (X.shape[1] * X.var()) if model.gamma == "scale" else model.gamma


def decimal_products(model, X):
    """K (high + low) of a model with one function, in sixty digits."""
    K = decimals.matrix(model.kernel, X, gamma=gamma_of(model, X), coef0=model.coef0, degree=model.degree)
    high, low = at_rows(model, len(X))
    return K, decimals.products(K, high, low)


def limits_on_the_offset(gains_up, gains_low):
    """How far the largest lower limit is above the least upper one."""
    return max(gains_up, default=-np.inf) - min(gains_low, default=np.inf)


def violation(model, X, slope, lower, upper, epsilon=0.0):
    """m(c) − M(c) of problems with one sum, as LIBSVM stops by it; ε is the price of a coefficient's size."""
    _, products = decimal_products(model, X)
    c = at_rows(model, len(X))[0]
    gains = decimals.rounded(Decimal(float(s)) - p for s, p in zip(slope, products, strict=True))
    can_grow, can_fall = c < upper * (1 - AT_BOUND), c > lower * (1 - AT_BOUND)
    up = gains + np.where(c < 0, epsilon, -epsilon)
    low = gains + np.where(c > 0, -epsilon, epsilon)
    return limits_on_the_offset(up[can_grow], low[can_fall])


def svc_violation(model, X, y):
    t = np.where(y == model.classes_[1], 1.0, -1.0)
    return violation(model, X, t, np.where(t < 0, -model.C, 0.0), np.where(t > 0, model.C, 0.0))


# ---------------------------------------------------------------- the grid of scikit-learn's example


GRID = [(C, gamma) for C in np.logspace(-2, 10, 13) for gamma in np.logspace(-9, 3, 13)]


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_every_cell_of_the_grid_is_solved(load):
    X, y = load(return_X_y=True)
    X = scale(X)
    with bounded_time():
        statuses = [SVC(C=C, gamma=gamma).fit(X, y).status_ for C, gamma in GRID]
    assert set(statuses) == {Status.SOLVED}


@pytest.mark.parametrize(("C", "gamma"), [(1e7, 1e-9), (1e10, 1e-9), (1e10, 1e-4), (1e4, 1e-6), (1e10, 10.0)])
def test_cells_of_the_grid_are_optimal_in_sixty_digits(C, gamma):
    X, y = load_iris(return_X_y=True)
    rows = y > 0  # the two classes that overlap
    X, y = scale(X)[rows], y[rows]
    model = solved(SVC(C=C, gamma=gamma), X, y)
    assert svc_violation(model, X, y) <= SLACK * model.tol
    high, low = at_rows(model, len(X))
    assert abs(float(decimals.total(high, low))) <= 1e-12 * np.abs(high).sum()


@pytest.mark.parametrize(("C", "gamma"), [(1e3, 1e-3), (1e5, 1e-2), (1e2, 1e-5)])
def test_cells_that_scikit_learn_solves_have_its_objective(C, gamma):
    X, y = load_iris(return_X_y=True)
    rows = y > 0
    X, y = scale(X)[rows], y[rows]
    ours = solved(SVC(C=C, gamma=gamma, tol=1e-6), X, y)
    theirs = sklearn.svm.SVC(C=C, gamma=gamma, tol=1e-8).fit(X, y)
    objectives = []
    for model in (ours, theirs):
        c = np.zeros(len(X))
        c[model.support_] = model.dual_coef_[0]
        K = decimals.matrix("rbf", X, gamma=gamma)
        half_norm = sum(a * b for a, b in zip(decimals.exact(c), decimals.products(K, c), strict=True)) / 2
        objectives.append(float(decimals.total(np.abs(c)) - half_norm))
    assert objectives[0] >= objectives[1] * (1 - 1e-7)


# ---------------------------------------------------------------- rows far from the origin


def far_rows(seed, offset):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 5)) + offset, rng.integers(0, 2, 20)
    y[:2] = 0, 1
    return X, y


@pytest.mark.parametrize("offset", [1e3, 1e4, 1e5, 1e6])
def test_linear_kernel_far_from_the_origin_has_the_optimum_of_the_centred_rows(offset):
    for seed in range(20):
        X, y = far_rows(seed, offset)
        model = solved(SVC(kernel="linear"), X, y)
        if seed < 5:
            assert svc_violation(model, X, y) <= SLACK * model.tol
        near = X - offset  # of numbers that are so near to each other, nothing is rounded
        best = solve_svc_dual(near @ near.T, np.where(y == 1, 1.0, -1.0), np.ones(len(y)))
        size = np.abs(at_rows(model, len(X))[0]).sum() + best.alpha.sum()
        # A violation of tol moves the objective by no more than that for each unit of the coefficients.
        assert model.certificate_.dual == pytest.approx(best.value, abs=model.tol * size)


@pytest.mark.parametrize("offset", [1e4, 1e5, pytest.param(1e6, marks=pytest.mark.slow)])
def test_polynomials_far_from_the_origin_are_solved(offset):
    for seed in range(20):
        X, y = far_rows(seed, offset)
        model = solved(SVC(kernel="poly"), X, y)
        if seed < 5:
            # The certificate may excuse a violation that float64 cannot tell from none at such values.
            certificate = model.certificate_
            assert svc_violation(model, X, y) <= SLACK * max(model.tol, certificate.violation)
            assert certificate.holds(model.tol)


# ---------------------------------------------------------------- regression


def noise(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 50))
    return rng.normal(size=(n, int(rng.integers(1, 6)))), rng.normal(size=n)


def nu_svr_objectives(model, X, y):
    """The primal of the machine with its tube, and the dual of its coefficients, in sixty digits."""
    _, products = decimal_products(model, X)
    high, low = at_rows(model, len(X))
    with decimals.localcontext(prec=decimals.DIGITS):
        c = [a + b for a, b in zip(decimals.exact(high), decimals.exact(low), strict=True)]
        half_norm = sum(a * b for a, b in zip(c, products, strict=True)) / 2
        C, nu, b, epsilon = (Decimal(float(x)) for x in (model.C, model.nu, model.intercept_[0], model.epsilon_))
        errors = [abs(t - f - b) for t, f in zip(decimals.exact(y), products, strict=True)]
        losses = sum((max(e - epsilon, Decimal(0)) for e in errors), Decimal(0))
        primal = half_norm + C * (nu * epsilon * len(y) + losses)
        dual = sum(t * a for t, a in zip(decimals.exact(y), c, strict=True)) - half_norm
        size, balance = sum(map(abs, c)), abs(sum(c))
        assert size <= C * nu * len(y) * (1 + Decimal("1e-9"))
        assert balance <= Decimal("1e-12") * (size + 1)
    return primal, dual, float(size)


@pytest.mark.parametrize("C", [1e5, 1e8, 1e12])
@pytest.mark.parametrize("nu", [1e-9, 1e-3, 0.1, 0.5, 0.9, 1.0])
def test_nu_regression_is_solved_for_every_nu_and_large_C(nu, C):
    for seed in range(2):
        X, y = noise(seed)
        model = solved(NuSVR(nu=nu, C=C), X, y)
        primal, dual, size = nu_svr_objectives(model, X, y)
        # Each row is off by no more than tol, and pays no more than C for it.
        assert Decimal("-1e-9") * abs(primal) <= primal - dual <= Decimal(3 * model.tol * (size + C * len(y)))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("C", [1e8, 1e10, 1e12])
def test_regression_without_a_tube_is_solved_for_huge_C(C, kernel):
    for seed in range(4):
        X, y = noise(seed)
        model = solved(SVR(epsilon=0, C=C, kernel=kernel), X, y)
        assert violation(model, X, y, -C, C) <= SLACK * model.tol


@pytest.mark.parametrize("C", [1e8, 1e12])
def test_regression_that_no_row_limits_interpolates(C):
    """With as many bumps as rows, nothing is left over: Σ_j c_j k(x_j, x_i) + b = y_i with Σ c = 0."""
    X, y = np.linspace(0, 3, 8)[:, None], np.sin(np.arange(8.0))
    model = solved(SVR(epsilon=0, C=C, kernel="rbf", gamma=4.0), X, y)
    K = np.exp(-4 * (X - X.T) ** 2)
    found = np.linalg.solve(np.block([[K, np.ones((8, 1))], [np.ones((1, 8)), 0.0]]), np.append(y, 0.0))
    np.testing.assert_allclose(model.predict(X), y, atol=2 * model.tol)
    np.testing.assert_allclose(at_rows(model, 8)[0], found[:8], rtol=0.05, atol=0.05)


@pytest.mark.parametrize(("kernel", "value"), [("rbf", 1.0), ("linear", 25.0), ("poly", 25.0**3)])
@pytest.mark.parametrize("nu", [1e-9, 0.5, 1.0])
def test_one_class_of_a_single_row_has_its_closed_form(nu, kernel, value):
    """One coefficient, ν, and ρ = ν k(x, x)."""
    x = np.array([[3.0, 4.0]])
    model = solved(OneClassSVM(nu=nu, kernel=kernel, gamma=1.0), x)
    assert at_rows(model, 1)[0][0] == pytest.approx(nu, rel=1e-12)
    assert model.offset_[0] == pytest.approx(nu * value, rel=1e-9)
    assert model.decision_function(x)[0] == pytest.approx(0, abs=1e-9 * nu * value)


# ---------------------------------------------------------------- linear machines

INTERCEPTS = [{}, {"regularize_intercept": False}, {"intercept_scaling": 1e4}, {"fit_intercept": False}]
CLASSIFIERS = [{"loss": "hinge"}, {"loss": "squared_hinge"}]
REGRESSORS = [{"loss": "epsilon_insensitive"}, {"loss": "squared_epsilon_insensitive"}]
PRICES = [1e-3, 1.0, 1e3, 1e7, 1e12]


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 151)), int(rng.integers(1, 31))
    X = rng.normal(size=(n, d))
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return X, y, rng.normal(size=n)


def is_no_worse(model, X, y):
    """No machine of a peer has a smaller objective by more than the gap that was allowed."""
    machine = machine_of(model, X, y)
    own = machine.primal(np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]) if model.fit_intercept else 0.0)
    kind = getattr(sklearn.svm, type(model).__name__)
    peers = []
    if getattr(model, "regularize_intercept", True):
        parameters = {k: v for k, v in model.get_params().items() if k in kind().get_params()}
        parameters |= {"tol": 1e-8, "max_iter": 2000, "dual": True}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = kind(**parameters).fit(X, y)
        peers.append((np.ravel(theirs.coef_), float(np.ravel(theirs.intercept_)[0])))
    if 1e-2 <= model.C <= 1e3:  # beyond, Clarabel ends without an answer
        optimum = machine.optimum()
        peers.append((optimum.weights, optimum.intercept))
    for weights, intercept in peers:
        assert own <= machine.primal(weights, intercept) * (1 + 2 * model.tol) + 1e-12
    # A dual point bounds all of them from below.
    assert model.certificate_.primal == pytest.approx(own, rel=1e-3 * model.tol, abs=1e-9 * model.C)
    return own


@pytest.mark.parametrize("intercept", INTERCEPTS, ids=str)
@pytest.mark.parametrize("C", PRICES)
@pytest.mark.parametrize("machine", CLASSIFIERS + REGRESSORS, ids=lambda one: one["loss"])
def test_linear_machines_are_solved_for_every_price(machine, C, intercept):
    for seed in range(2):
        X, signs, y = drawn(seed)
        kind, target = (LinearSVC, signs) if machine in CLASSIFIERS else (LinearSVR, y)
        model = solved(kind(C=C, **machine, **intercept), X, target)
        is_no_worse(model, X, target)


@pytest.mark.parametrize("intercept", INTERCEPTS, ids=str)
@pytest.mark.parametrize("C", PRICES)
def test_absolute_weights_are_solved_for_every_price(C, intercept):
    for seed in range(2):
        X, y, _ = drawn(seed)
        model = solved(LinearSVC(penalty="l1", C=C, **intercept), X, y)
        signs, bounds = np.where(y == 1, 1.0, -1.0), np.full(len(y), C)
        has_offset, free = model.fit_intercept, not model.regularize_intercept
        offset = 0.0 if not has_offset else 1.0 if free else model.intercept_scaling
        w = np.ravel(model.coef_)
        w = np.append(w, model.intercept_[0] / offset) if has_offset else w
        own = liblinear.lasso_primal(X, signs, bounds, w, offset, free and has_offset)
        assert own == pytest.approx(model.certificate_.primal, rel=1e-6)
        if not free and model.intercept_scaling == 1:
            theirs = liblinear.lasso(X, y, C, intercept=has_offset)
            assert own <= liblinear.lasso_primal(X, signs, bounds, theirs, offset) * (1 + 2 * model.tol)
        # Without weights, and an intercept that suits the classes, everything else is dearer.
        assert own <= C * len(y) * (1 + 1e-12)


def classes_of(seed, n=45, d=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.arange(n) % 3


UNSCALED = {
    "plain": lambda X: X,
    "far away": lambda X: X + 1e3,
    "scales": lambda X: X * 10.0 ** np.linspace(-2, 2, X.shape[1]),
}


@pytest.mark.parametrize("rows", UNSCALED)
@pytest.mark.parametrize("C", [*(pytest.param(C, marks=pytest.mark.slow) for C in (1e-3, 1.0, 1e4)), 1e7])
def test_all_classes_at_once_are_solved_on_unscaled_rows_for_every_price(C, rows):
    X, y = classes_of(3)
    X = UNSCALED[rows](X)
    model = solved(LinearSVC(multi_class="crammer_singer", C=C), X, y)
    W, bounds = np.hstack([model.coef_, model.intercept_[:, None]]), np.full(len(y), C)
    own = liblinear.crammer_singer_objectives(X, y, bounds, W)
    # Columns a thousand from the origin leave float64 so much of a loss.
    assert own == pytest.approx(model.certificate_.primal, rel=1e-5)
    theirs = liblinear.crammer_singer(X, y, C) if rows != "far away" and C <= 1 else np.zeros_like(W)
    assert own <= liblinear.crammer_singer_objectives(X, y, bounds, theirs) * (1 + 2 * model.tol)


# ---------------------------------------------------------------- a gap that cannot be reached


def uneasy(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 60)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d))
    y = rng.normal(size=n) if seed % 2 else X[:, 0] + 0.1 * rng.normal(size=n)
    X = X + 1e3 if seed % 5 == 0 else X
    nu = float(rng.choice([1e-9, 1e-3, 0.1, 0.5, 0.9, 1.0]))
    return (
        X,
        y,
        {"nu": nu, "C": float(10.0 ** rng.uniform(-2, 10)), "kernel": str(rng.choice(["rbf", "linear", "poly"]))},
    )


@pytest.mark.filterwarnings("ignore::mercer.UnsolvedWarning")
@pytest.mark.parametrize("gap_tol", [1e-12, 1e-15])
@pytest.mark.parametrize("seed", [2, 5, 8, 14, 22, 24, 27, 34, 43, 46, 48, 51])
def test_nu_regression_with_a_gap_that_is_hard_to_reach_is_no_worse_than_without(seed, gap_tol):
    X, y, parameters = uneasy(seed)
    plain, model = NuSVR(**parameters).fit(X, y), NuSVR(**parameters, gap_tol=gap_tol).fit(X, y)
    own, other = model.certificate_, plain.certificate_
    assert own.primal <= other.primal + 1e-9 * max(1.0, abs(other.primal))
    assert own.violation <= max(other.violation, plain.tol)
    assert model.epsilon_ >= 0
    primal, dual, _ = nu_svr_objectives(model, X, y)
    # Values and intercept are off by their rounding, for which every row pays.
    size = own.accuracy + 1e-15 * (abs(model.intercept_[0]) + np.abs(y).max())
    rounding = parameters["C"] * len(y) * size
    assert float(primal) == pytest.approx(own.primal, rel=1e-11, abs=rounding)
    if model.status_ is Status.SOLVED:
        assert own.relative_gap <= gap_tol
        assert abs(float(primal - dual)) <= 1e-11 * float(primal) + rounding


@pytest.mark.filterwarnings("ignore::mercer.UnsolvedWarning", "ignore::mercer.NumericsWarning")
@pytest.mark.parametrize("kind", [SVC, SVR, NuSVC, OneClassSVM])
def test_other_machines_with_a_gap_that_is_hard_to_reach_are_no_worse_than_without(kind):
    for seed in range(8):
        X, y, parameters = uneasy(seed)
        labels = (y > np.median(y)).astype(int)
        kernel, nu = parameters["kernel"], {"nu": 0.3}
        own = nu if kind in (NuSVC, OneClassSVM) else {"C": parameters["C"]}
        target = {SVC: labels, NuSVC: labels, SVR: y, OneClassSVM: None}[kind]
        plain = kind(kernel=kernel, **own).fit(X, target)
        model = kind(kernel=kernel, gap_tol=1e-12, **own).fit(X, target)
        size = max(1.0, abs(plain.certificate_.primal))
        assert model.certificate_.primal <= plain.certificate_.primal + 1e-9 * size
        assert model.certificate_.violation <= max(plain.certificate_.violation, plain.tol)
