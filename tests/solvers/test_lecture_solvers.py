"""The solvers of the lectures agree with each other, with the fast one and with Clarabel; the certificate judges."""

import warnings

import numpy as np
import pytest

from mercer import RBF, SVC, Linear, NotSeparableError, Polynomial, Status, UnsolvedWarning
from mercer.errors import InputError, KernelError, ParameterError
from mercer.solvers import METHODS, CoordinateAscent, HingeSgd, SmoSketch
from tests.reference.qp import solve_svc_dual

EXACT = ("active-set", "qp-dual", "qp-bidual", "qp-primal")
# Rounding of sums over some dozens of rows.
EXACTLY = 1e-8


def separable():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(15, 2)) + 2, rng.normal(size=(15, 2)) - 2])
    return X, np.repeat([1, -1], 15)


def overlapping():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    return X, np.where(X[:, 0] + rng.normal(size=40) > 0, 1, -1)


def with_duplicates():
    X, y = overlapping()
    return np.vstack([X[:20], X[:20], X[:5]]), np.concatenate([y[:20], y[:20], -y[:5]])


def degenerate():
    """Three points in two dimensions on a line with their classes, so that G has rank two."""
    return np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 0.0], [-2.0, 0.0], [1.0, 0.0]]), np.array([1, 1, -1, -1, 1])


def one_free():
    """Bounds so small that all but few multipliers are at them."""
    X, y = overlapping()
    return X[:9], y[:9]


def none_free():
    """As many of each class: with a tiny C all multipliers are at their bound."""
    X, y = separable()
    return X, y


CASES = {
    "separable": (separable, 1.0),
    "overlapping": (overlapping, 1.0),
    "duplicates": (with_duplicates, 2.0),
    "degenerate": (degenerate, 10.0),
    "one free": (one_free, 0.05),
    "none free": (none_free, 1e-4),
    "large C": (overlapping, 20.0),
}
KERNELS = {"linear": Linear(), "quadratic": Polynomial(2, 0.5, 1.0), "rbf": RBF(0.5)}


@pytest.fixture(params=CASES)
def case(request):
    make, C = CASES[request.param]
    return *make(), C


@pytest.fixture(params=KERNELS)
def kernel(request):
    return KERNELS[request.param]


def optimum(kernel, X, y, C):
    return solve_svc_dual(kernel(X), y.astype(float), np.full(len(y), C))


@pytest.mark.parametrize("solver", EXACT)
def test_exact_solver_reaches_the_optimum_to_rounding(solver, case, kernel):
    X, y, C = case
    if solver == "qp-primal" and isinstance(kernel, RBF):
        pytest.skip("has no finite map")
    model = SVC(C=C, kernel=kernel, solver=solver, tol=1e-8).fit(X, y)
    best = optimum(kernel, X, y, C)
    assert model.status_ is Status.SOLVED
    assert model.certificate_.relative_gap <= EXACTLY
    assert model.certificate_.violation <= EXACTLY
    assert model.certificate_.dual == pytest.approx(best.value, rel=EXACTLY)
    assert model.n_iter_.sum() > 0


@pytest.mark.parametrize("rows", [6, 10, 20])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_active_set_solves_random_problems_with_singular_kernels(kernel, rows):
    for seed in range(20):
        random = np.random.RandomState(seed)
        X, y = random.randn(rows, 2), np.r_[0, 1, random.randint(0, 2, rows - 2)]
        model = SVC(kernel=kernel, solver="active-set", trace=True).fit(X, y)
        assert model.status_ is Status.SOLVED
        assert np.all(np.diff([step.dual for step in model.trace_]) >= -1e-9)
        assert np.abs(model.dual_coef_).min() > 1e-12


def test_solvers_agree_where_the_machine_is_unique(kernel):
    X, y = overlapping()
    models = [
        SVC(C=1.0, kernel=kernel, solver=solver, tol=1e-8).fit(X, y)
        for solver in ("auto", *EXACT)
        if not (solver == "qp-primal" and isinstance(kernel, RBF))
    ]
    first = models[1]
    for model in models:
        np.testing.assert_allclose(model.decision_function(X), first.decision_function(X), atol=1e-6)
        np.testing.assert_allclose(model.intercept_, first.intercept_, atol=1e-6)
        np.testing.assert_array_equal(model.support_, first.support_)


@pytest.mark.parametrize("tol", [1e-2, 1e-3])
def test_smo_sketch_reaches_its_tolerance(case, kernel, tol):
    X, y, C = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)  # random partners may miss the ones that help
        model = SVC(C=C, kernel=kernel, solver=SmoSketch(50), tol=tol, random_state=0, max_iter=30_000).fit(X, y)
    best = optimum(kernel, X, y, C).value
    assert model.certificate_.dual <= best * (1 + EXACTLY)
    assert model.certificate_.primal >= best * (1 - EXACTLY)
    assert model.certificate_.primal <= best + 2 * tol * C * len(y)
    if model.certificate_.holds(tol):
        assert model.status_ is Status.SOLVED
    else:
        assert model.status_ is not Status.SOLVED


@pytest.mark.parametrize("order", ["cyclic", "greedy"])
def test_coordinate_ascent_solves_the_dual_without_intercept(case, kernel, order):
    X, y, C = case
    model = SVC(C=C, kernel=kernel, solver=CoordinateAscent(order), tol=1e-6, max_iter=2_000_000).fit(X, y)
    assert model.intercept_ == 0
    assert model.status_ is Status.SOLVED
    t, K = y.astype(float), kernel(X)
    # A constant added to the kernel of a machine without intercept regularises it away; Clarabel solves the box alone.
    assert model.certificate_.dual == pytest.approx(box_optimum(K, t, C), rel=1e-4)
    assert model.certificate_.relative_gap <= 1e-3


def box_optimum(K, t, C):
    import clarabel
    import scipy.sparse as sp

    n, Q = len(t), np.outer(t, t) * K
    A = sp.vstack([-sp.eye(n), sp.eye(n)]).tocsc()
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(2 * n)]
    bounds = np.concatenate([np.zeros(n), np.full(n, C)])
    return -clarabel.DefaultSolver(sp.triu(Q).tocsc(), -np.ones(n), A, bounds, cones, settings).solve().obj_val


def test_sgd_comes_near_and_says_that_it_proves_nothing():
    X, y = overlapping()
    with pytest.warns(UnsolvedWarning, match="passes"):
        model = SVC(C=0.5, kernel="linear", solver=HingeSgd(passes=1000), random_state=0).fit(X, y)
    assert model.status_ is Status.PASSES_DONE
    best = optimum(Linear(), X, y, 0.5).value
    assert best * (1 - EXACTLY) <= model.certificate_.primal <= (1 + 1e-3) * best


@pytest.mark.parametrize("solver", [*EXACT, SmoSketch(200)], ids=[*EXACT, "smo-sketch"])
def test_hard_margin_is_the_largest(solver):
    X, y = separable()
    model = SVC(C=np.inf, kernel="linear", solver=solver, tol=1e-5, random_state=0).fit(X, y)
    fast = SVC(C=np.inf, kernel="linear", tol=1e-8).fit(X, y)
    assert model.certificate_.margin == pytest.approx(fast.certificate_.margin, rel=1e-4)
    np.testing.assert_allclose(model.coef_, fast.coef_, atol=1e-3)
    # The lectures' rule: b puts the boundary half-way between the nearest rows of the classes.
    scores = (X @ model.coef_.T).ravel()
    halfway = -(scores[y < 0].max() + scores[y > 0].min()) / 2
    assert model.intercept_[0] == pytest.approx(halfway, abs=1e-3)


@pytest.mark.parametrize("solver", [*EXACT, "smo-sketch"])
def test_data_without_a_margin_end_in_an_error_with_its_proof(solver):
    X, y = overlapping()
    with pytest.raises(NotSeparableError, match="no such hyperplane") as caught:
        SVC(C=np.inf, kernel="linear", solver=solver, random_state=0).fit(X, y)
    assert caught.value.proof.multipliers.sum() == pytest.approx(1)


@pytest.mark.parametrize("solver", [*EXACT, "coordinate-ascent", "sgd"])
def test_indefinite_kernel_is_refused_by_solvers_that_need_a_definite_one(solver):
    X, y = overlapping()
    expected = ParameterError if solver == "qp-primal" else KernelError
    with pytest.raises(expected, match=r"expects .* got"):
        SVC(kernel="sigmoid", gamma=2.0, coef0=-1.0, solver=solver).fit(X, y)


def test_smo_sketch_finds_a_stationary_point_of_an_indefinite_kernel_or_says_that_it_does_not():
    X, y = overlapping()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        model = SVC(kernel="sigmoid", gamma=2.0, coef0=-1.0, solver="smo-sketch", random_state=0, max_iter=5000).fit(
            X, y
        )
    assert (model.status_ is Status.STATIONARY) == model.certificate_.holds(1e-3)


@pytest.mark.parametrize("solver", METHODS)
def test_several_classes_and_weights_are_those_of_the_fast_solver(solver):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(45, 2)) + 3 * np.eye(3)[np.repeat([0, 1, 2], 15)][:, :2]
    y, weights = np.repeat([0, 1, 2], 15), rng.uniform(0.5, 2, 45)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        model = SVC(kernel="linear", solver=solver, random_state=1, tol=1e-4).fit(X, y, weights)
    fast = SVC(kernel="linear", tol=1e-6).fit(X, y, weights)
    assert model.decision_function(X).shape == (45, 3)
    if solver != "coordinate-ascent":
        assert np.mean(model.predict(X) == fast.predict(X)) > 0.9
    if solver in EXACT:
        np.testing.assert_allclose(model.decision_function(X), fast.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("solver", METHODS)
def test_limits_are_kept_and_told(solver):
    X, y = overlapping()
    for limit, status in (({"time_limit": 1e-9}, Status.TIME_LIMIT), ({"max_iter": 1}, Status.ITERATION_LIMIT)):
        with pytest.warns(UnsolvedWarning):
            model = SVC(C=10.0, kernel="linear", solver=solver, random_state=0, **limit).fit(X, y)
        assert model.status_ is status


def test_what_the_solvers_cannot_do_is_an_error():
    X, y = overlapping()
    with pytest.raises(ParameterError, match="solver: expected"):
        SVC(solver="smo").fit(X, y)
    for solver in ("sgd", "coordinate-ascent"):
        with pytest.raises(ParameterError, match="finite C"):
            SVC(C=np.inf, solver=solver).fit(X, y)
    with pytest.raises(ParameterError, match="feature map"):
        SVC(solver="qp-primal").fit(X, y)
    with pytest.raises(InputError, match="up to 4000 rows"):
        SVC(solver="active-set").fit(np.random.default_rng(0).normal(size=(4001, 1)), np.arange(4001) % 2)
    with pytest.raises(ParameterError, match="order"):
        CoordinateAscent("random")
    for passes in (0, 2.5, True, "many"):
        with pytest.raises(ParameterError, match="passes: expected"):
            HingeSgd(passes=passes)
        with pytest.raises(ParameterError, match="passes_without_a_changing: expected"):
            SmoSketch(passes)


@pytest.mark.parametrize("solver", EXACT)
def test_large_finite_price_is_no_hard_margin(solver):
    X, y = overlapping()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        model = SVC(C=1e7, kernel="linear", solver=solver).fit(X, y)
    assert model.status_ is not Status.NO_MARGIN
    assert model.certificate_.relative_gap < 1e-6


def test_rows_that_are_all_equal_are_solved_along_straight_lines():
    model = SVC(kernel="linear", solver="smo-sketch", random_state=0).fit(np.ones((8, 2)), np.arange(8) % 2)
    assert model.status_ is Status.SOLVED
    assert model.certificate_.dual == pytest.approx(8)
