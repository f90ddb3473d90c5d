"""LinearSVC with absolute prices of weights, and of all classes at once: LIBLINEAR's machines, with a certificate."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from mercer import SVC, Linear, LinearSVC, Status
from mercer.certificates import certify_crammer_singer, certify_linear
from mercer.errors import ParameterError
from mercer.problems import CrammerSingerProblem, Intercept, InterceptColumn, LinearProblem, Penalty
from mercer.rows import LinearRows
from tests.reference.datasets import load
from tests.reference.liblinear import crammer_singer_objectives, lasso_dual, lasso_primal

TOL = 1e-10
# Where both objectives are within TOL of the least, weights that are unique are within the root of that, about.
WEIGHTS = 1e-4
SUMMATION_ORDER = 1e-11
WAYS = ({"penalty": "l1"}, {"multi_class": "crammer_singer"})


def two_of_iris():
    X, y = datasets.load_iris(return_X_y=True)
    return X[y > 0], np.array(["", "b", "a"])[y[y > 0]]


def wine():
    X, y = datasets.load_wine(return_X_y=True)
    return scale(X), y


def digits():
    X, y = datasets.load_digits(n_class=4, return_X_y=True)
    return X[:200] / 16, y[:200]


def text():
    return load("sparse text")[:2]


DATA = {f.__name__: f for f in (two_of_iris, wine, digits, text)}


@pytest.fixture(params=WAYS, ids=["l1", "crammer_singer"])
def way(request):
    return request.param


def liblinear(X, y, weights=None, **parameters):
    parameters = {"dual": False, **parameters} if "penalty" in parameters else parameters
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)
        model = sklearn.svm.LinearSVC(tol=TOL, max_iter=200_000, random_state=0, **parameters)
        return model.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    "settings", [{}, {"class_weight": "balanced", "intercept_scaling": 3.0}, {"fit_intercept": False}]
)
@pytest.mark.parametrize("name", DATA)
def test_machine_is_that_of_liblinear(name, way, settings):
    X, y = DATA[name]()
    weights = np.random.default_rng(0).uniform(0.2, 2.0, X.shape[0])
    ours = LinearSVC(C=0.3, tol=TOL, **way, **settings).fit(X, y, weights)
    theirs = liblinear(X, y, weights, C=0.3, **way, **settings)
    assert ours.status_ is Status.SOLVED
    assert ours.coef_.shape == theirs.coef_.shape
    size = max(1.0, np.abs(theirs.coef_).max())
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=WEIGHTS * size)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=WEIGHTS * size)
    # Wrong classes of a row with a loss may be level at the optimum: any of them is the largest.
    values = np.sort(np.atleast_2d(theirs.decision_function(X).T).T, axis=1)
    clear = (values[:, -1] - values[:, -2] if values.shape[1] > 1 else np.abs(values[:, 0])) > WEIGHTS * size
    assert clear.mean() > 0.5
    np.testing.assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])


@pytest.mark.parametrize("name", DATA)
def test_forms_of_the_data_and_threads_change_nothing(name, way):
    X, y = DATA[name]()
    X = np.asarray(X.toarray() if sp.issparse(X) else X, np.float32)
    dense = LinearSVC(tol=TOL, **way).fit(X, y)
    for other in (sp.csr_matrix(X), X.astype(np.float64), sp.csc_matrix(X)):
        model = LinearSVC(tol=TOL, n_jobs=2, **way).fit(other, y)
        np.testing.assert_allclose(model.coef_, dense.coef_, atol=1e-3 * max(1.0, np.abs(dense.coef_).max()))
        assert model.certificate_.primal == pytest.approx(dense.certificate_.primal, rel=1e-6)


def test_many_weights_are_zero_and_stay_so_when_sparsified():
    X, y = wine()
    model = LinearSVC(penalty="l1", C=0.05).fit(X, y)
    assert np.mean(model.coef_ == 0) > 0.3
    values = model.decision_function(X)
    np.testing.assert_allclose(model.sparsify().decision_function(X), values)
    assert model.coef_.nnz == np.count_nonzero(model.densify().coef_)


def test_free_intercept_has_no_price():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    X = scale(X)
    one, moved = (LinearSVC(penalty="l1", C=0.1, tol=TOL, regularize_intercept=False).fit(X + by, y) for by in (0, 5))
    np.testing.assert_allclose(one.coef_, moved.coef_, atol=WEIGHTS)
    assert one.certificate_.primal == pytest.approx(moved.certificate_.primal, rel=1e-8)
    assert one.intercept_ == pytest.approx(moved.intercept_ + 5 * one.coef_.sum(), abs=1e-3)


def test_warm_start_takes_fewer_steps(way):
    X, y = digits()
    model = LinearSVC(C=1.0, tol=1e-8, warm_start=True, **way).fit(X, y)
    first = model.n_iter_
    assert model.fit(X, y).n_iter_ < 0.5 * first
    assert model.set_params(C=0.5).fit(X, y).status_ is Status.SOLVED
    alone = LinearSVC(C=0.5, tol=1e-8, **way).fit(X, y)
    assert model.certificate_.primal == pytest.approx(alone.certificate_.primal, rel=1e-7)


def test_stopped_fit_keeps_an_honest_gap(way):
    X, y = digits()
    with pytest.warns(UserWarning, match="gap"):
        model = LinearSVC(C=100.0, tol=1e-12, max_iter=1, **way).fit(X, y)
    assert model.status_ is Status.ITERATION_LIMIT
    assert model.certificate_.relative_gap > 1e-12
    best = LinearSVC(C=100.0, tol=1e-6, **way).fit(X, y).certificate_
    assert model.certificate_.primal >= best.dual
    assert model.certificate_.dual <= best.primal


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"penalty": "l1", "multi_class": "crammer_singer"}, "multi_class"),
        ({"penalty": "elasticnet"}, "penalty"),
        ({"multi_class": "ovo"}, "multi_class"),
        ({"penalty": "l1", "solver": "newton"}, "solver"),
        ({"multi_class": "crammer_singer", "solver": "newton"}, "solver"),
        ({"regularize_intercept": False, "solver": "coordinate-descent"}, "solver"),
        ({"multi_class": "crammer_singer", "regularize_intercept": False}, "regularize_intercept"),
    ],
)
def test_what_does_not_go_together_is_named(given, named):
    X, y = wine()
    with pytest.raises(ParameterError, match=f"^{named}: .*expect.*got"):
        LinearSVC(**given).fit(X, y)


@pytest.mark.parametrize(
    "given",
    [
        {"penalty": "l1", "loss": "hinge"},
        {"penalty": "l1", "dual": True},
        {"penalty": "l1", "dual": np.True_},
        {"loss": "hinge", "dual": False},
    ],
    ids=str,
)
def test_what_scikit_learn_does_not_support_is_refused_in_its_words(given):
    X, y = wine()
    with pytest.raises(ParameterError, match=r"Unsupported set of arguments: .*, Parameters: penalty=.* Use"):
        LinearSVC(**given).fit(X, y)
    with pytest.raises(ValueError, match="Unsupported set of arguments"):
        sklearn.svm.LinearSVC(**given).fit(X, y)


@pytest.mark.parametrize("given", [{"multi_class": "crammer_singer", "dual": False}, {"dual": True}, {"dual": False}])
def test_the_formulation_that_is_named_changes_nothing(given):
    X, y = wine()
    plain = LinearSVC(**{name: value for name, value in given.items() if name != "dual"}).fit(X, y)
    np.testing.assert_array_equal(LinearSVC(**given).fit(X, y).coef_, plain.coef_)


def test_crammer_singer_of_two_classes_is_solved_on_any_scale():
    X, y = two_of_iris()
    X = np.column_stack([X, np.full(len(y), 1e4)])
    model = LinearSVC(multi_class="crammer_singer", C=10.0).fit(X, y)
    hinge = LinearSVC(loss="hinge", C=20.0, tol=1e-8).fit(X, y)
    assert model.status_ is Status.SOLVED
    np.testing.assert_allclose(model.decision_function(X), hinge.decision_function(X), atol=0.05)


def test_sparse_weights_of_wide_text_are_found_through_columns():
    random = np.random.default_rng(0)
    X = sp.random(400, 2000, density=0.02, format="csr", random_state=random)
    y = (X @ random.normal(size=2000) > 0).astype(int)
    model = LinearSVC(penalty="l1", C=10.0, tol=1e-6).fit(X, y)
    assert model.status_ is Status.SOLVED
    theirs = liblinear(X, y, penalty="l1", C=10.0)

    def objective(one):
        losses = np.maximum(0, 1 - np.where(y, 1, -1) * one.decision_function(X)) ** 2
        return np.abs(one.coef_).sum() + abs(one.intercept_[0]) + 10 * losses.sum()

    assert objective(model) <= objective(theirs) * (1 + 1e-5)


def test_more_features_than_rows_and_a_free_intercept_are_no_trouble():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(100, 900)), np.arange(100) % 2
    model = LinearSVC(loss="hinge", regularize_intercept=False, tol=1e-8).fit(X, y)
    assert "conjugate" in model.plan_
    exact = SVC(kernel="linear", formulation="dual", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-5)


# ---------------------------------------------------------------- certificates


def lasso_point(free):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 7))
    y = np.where(X[:, 0] - X[:, 1] + rng.normal(size=60) > 0, 1.0, -1.0)
    bounds = rng.uniform(0.1, 1.0, 60)
    model = LinearSVC(penalty="l1", C=1.0, tol=1e-12, regularize_intercept=not free, intercept_scaling=2.0)
    model.fit(X, y, sample_weight=bounds)
    w = np.append(model.coef_[0], model.intercept_[0] / 2.0)
    coef = 2 * bounds * y * np.maximum(0, 1 - y * (X @ model.coef_[0] + model.intercept_[0]))
    if free:
        coef[y > 0] *= -coef[y < 0].sum() / coef[y > 0].sum()
    return X, y, bounds, w, coef


def lasso_certificate(X, y, bounds, w, coef, free):
    column = InterceptColumn(Intercept.FREE if free else Intercept.REGULARIZED, 2.0)
    posed = LinearProblem.of_signs(np.arange(len(y)), y, bounds, True, column, Penalty.ABSOLUTE)
    return certify_linear(posed, LinearRows(Linear(), X), w[:-1], 2.0 * w[-1], coef, threads=1)


@pytest.mark.parametrize("free", [False, True])
def test_lasso_certificate_has_the_values_of_the_formulas(free):
    X, y, bounds, w, coef = lasso_point(free)
    judged = lasso_certificate(X, y, bounds, 1.1 * w, 0.5 * coef, free)
    assert judged.primal == pytest.approx(lasso_primal(X, y, bounds, 1.1 * w, 2.0, free), rel=SUMMATION_ORDER)
    assert judged.dual == pytest.approx(lasso_dual(X, y, bounds, 0.5 * coef, 2.0, free), rel=SUMMATION_ORDER)


@pytest.mark.parametrize("free", [False, True])
def test_lasso_certificate_fails_where_something_is_disturbed(free):
    X, y, bounds, w, coef = lasso_point(free)
    assert lasso_certificate(X, y, bounds, w, coef, free).holds(np.inf, gap_tol=1e-5)
    for j in range(len(w)):
        moved = w.copy()
        moved[j] += 0.05
        assert not lasso_certificate(X, y, bounds, moved, coef, free).holds(np.inf, gap_tol=1e-5)
    longer = lasso_certificate(X, y, bounds, w, 2 * coef, free)  # not feasible: taken back to where it is
    assert longer.dual <= longer.primal
    assert lasso_certificate(X, y, bounds, np.zeros_like(w), coef, free).relative_gap > 0.01


def crammer_singer_certificate(X, y, bounds, W, alpha):
    column = InterceptColumn(Intercept.REGULARIZED, 2.0)
    posed = CrammerSingerProblem(np.arange(len(y)), y, 3, bounds, column)
    return certify_crammer_singer(posed, LinearRows(Linear(), X), W[:, :-1], 2.0 * W[:, -1], alpha, threads=1)


def test_crammer_singer_certificate_has_the_values_of_the_formulas_and_fails_where_disturbed():
    X, y = wine()
    bounds = np.random.default_rng(1).uniform(0.05, 0.2, len(y))
    model = LinearSVC(multi_class="crammer_singer", tol=1e-11, warm_start=True, intercept_scaling=2.0)
    model.fit(X, y, sample_weight=bounds)
    alpha = model._reached[1][0]
    W = np.hstack([model.coef_, model.intercept_[:, None] / 2])
    judged = crammer_singer_certificate(X, y, bounds, W, alpha)
    primal, dual = crammer_singer_objectives(X, y, bounds, W, alpha, 2.0)
    assert judged.primal == pytest.approx(primal, rel=SUMMATION_ORDER)
    assert judged.dual == pytest.approx(dual, rel=SUMMATION_ORDER)
    assert judged.holds(1e-3, gap_tol=1e-10)
    assert judged.primal == pytest.approx(model.certificate_.primal, rel=SUMMATION_ORDER)
    for m in range(3):
        moved = W.copy()
        moved[m, 0] += 0.01
        assert not crammer_singer_certificate(X, y, bounds, moved, alpha).holds(np.inf, gap_tol=1e-6)
    halved = crammer_singer_certificate(X, y, bounds, W, 0.5 * alpha)
    assert halved.primal == judged.primal
    assert halved.dual < judged.dual
