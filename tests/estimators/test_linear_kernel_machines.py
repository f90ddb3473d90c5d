"""SVC, SVR, NuSVC, NuSVR and OneClassSVM with the linear kernel on rows enough to be solved through their weights: the
machines of scikit-learn, of a callable and of a precomputed matrix."""

import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits

import mercer
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM, Status, UnsolvedWarning

TOL = 1e-6
# Two machines within tol of their optimality conditions, in decision values.
TWO_FITS = 1e-4
# What a deadline may be missed by on a shared machine.
OVERSHOOT = 2.0
N, D = 700, 6

MACHINES = {
    "SVC": SVC(kernel="linear", tol=TOL),
    "SVR": SVR(kernel="linear", tol=TOL, epsilon=0.2),
    "NuSVC": NuSVC(kernel="linear", tol=TOL, nu=0.7),
    "NuSVR": NuSVR(kernel="linear", tol=TOL, nu=0.4),
    "OneClassSVM": OneClassSVM(kernel="linear", tol=TOL, nu=0.3),
}
FORMS = {"dense": np.asarray, "sparse": sp.csr_matrix}


@pytest.fixture(params=MACHINES)
def model(request):
    return clone(MACHINES[request.param])


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D)) + 0.5
    return X, X[:, 0] + 0.7 * rng.normal(size=N)


def targets(model, y):
    return (y > 0.5).astype(int) if isinstance(model, (SVC, NuSVC)) else y


def values(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def weights_of(n):
    weights = np.random.default_rng(3).uniform(0.5, 2.0, n)
    weights[::13] = 0
    return weights


def scikit_learns(model):
    twin = getattr(sklearn.svm, type(model).__name__)()
    known = set(twin.get_params()) - {"probability"}  # of which scikit-learn warns
    shared = {name: value for name, value in model.get_params().items() if name in known}
    return twin.set_params(**shared | {"cache_size": 200, "tol": 1e-8})


def full(model, n):
    """Coefficients with an entry for each training row."""
    dual_coef = model.dual_coef_.toarray() if sp.issparse(model.dual_coef_) else model.dual_coef_
    out = np.zeros((dual_coef.shape[0], n))
    out[:, model.support_] = dual_coef
    return out


def weights_matrix(model):
    return model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_


def test_many_rows_of_few_features_go_through_their_weights(model, points):
    X, y = points[0], targets(model, points[1])
    assert "weights" in clone(model).fit(X, y).plan_
    assert "Kernel values" in clone(model).set_params(kernel="rbf").fit(X, y).plan_


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_machine_is_scikit_learns(model, points, form, weighted):
    X, y = FORMS[form](points[0]), targets(model, points[1])
    v = weights_of(N) if weighted else None
    if weighted and isinstance(model, NuSVC):
        v = np.where(v > 0, v, 0.5)
    model.fit(X, y, sample_weight=v)
    theirs = scikit_learns(model).fit(X, y, sample_weight=v)
    assert model.status_ is Status.SOLVED
    assert model.certificate_.holds(TOL)
    assert mercer.certify(model, X, y, sample_weight=v).holds(TOL)
    scale = np.abs(values(theirs, X)).max()
    if isinstance(model, NuSVC):
        scale *= 10  # the machine, and so its error, was divided by ρ
    np.testing.assert_allclose(values(model, X), values(theirs, X), atol=TWO_FITS * scale)
    np.testing.assert_allclose(weights_matrix(model), weights_matrix(theirs), atol=TWO_FITS * scale)
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, atol=TWO_FITS * scale)
    if v is None:
        # Rows in general position: every multiplier strictly within its bounds is determined.
        size = np.abs(theirs.dual_coef_).max()
        np.testing.assert_allclose(full(model, N), full(theirs, N), atol=1e-2 * size)
        difference = np.abs(np.asarray(model.n_support_) - theirs.n_support_)
        assert np.all(difference <= 2)  # a multiplier next to zero may be on either side of it


@pytest.mark.parametrize("C", [1e-4, 1e-2, 10.0, 1e4])
@pytest.mark.parametrize("kind", [SVC, SVR, NuSVR])
def test_machine_is_scikit_learns_for_every_C(points, kind, C):
    model = kind(kernel="linear", tol=1e-4, C=C)
    X, y = points[0], targets(model, points[1])
    model.fit(X, y)
    assert model.status_ is Status.SOLVED
    assert model.certificate_.holds(1e-4)
    theirs = scikit_learns(model).set_params(tol=1e-4, max_iter=50_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where LIBSVM crawls, the bounds of the certificate say the rest
        theirs.fit(X, y)
    judged = mercer.certify(theirs, X, y)
    assert model.certificate_.dual <= judged.primal * (1 + 1e-9)
    assert judged.dual <= model.certificate_.primal * (1 + 1e-9)
    if theirs.fit_status_ == 0:
        np.testing.assert_allclose(values(model, X), values(theirs, X), atol=1e-2 * np.abs(values(theirs, X)).max())


@pytest.mark.parametrize("way", ["callable", "precomputed", "float32", "sparse"])
def test_every_way_to_the_linear_kernel_is_the_same_machine(model, points, way):
    X, y = points[0], targets(model, points[1])
    other = clone(model)
    plain = values(model.fit(X, y), X)
    if way == "precomputed":
        K = X @ X.T
        found = values(other.set_params(kernel="precomputed").fit(K, y), K)
    elif way == "callable":
        found = values(other.set_params(kernel=lambda A, B: A @ B.T).fit(X, y), X)
    else:
        found = values(other.fit(X.astype(np.float32) if way == "float32" else sp.csr_matrix(X), y), X)
    assert other.status_ is Status.SOLVED
    np.testing.assert_allclose(found, plain, atol=(1e-3 if way == "float32" else TWO_FITS) * np.abs(plain).max())


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_several_classes_are_scikit_learns(form, kind, multi_class):
    X, y = load_digits(n_class=3, return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.repeat(X[:, 18:46:4] / 16, 4, axis=0)  # seven pixels, so that classes overlap
    X, y = X + 0.2 * rng.normal(size=X.shape), np.repeat(y, 4)
    parameters = {"C": 1.0} if kind is SVC else {"nu": 0.5}
    model = kind(kernel="linear", tol=TOL, multi_class=multi_class, **parameters).fit(FORMS[form](X), y)
    assert model.status_ is Status.SOLVED
    assert mercer.certify(model, FORMS[form](X), y).holds(TOL)
    assert weights_matrix(model).shape == (3, X.shape[1])
    if multi_class == "ovo":
        theirs = scikit_learns(model).fit(X, y)
        np.testing.assert_allclose(weights_matrix(model), theirs.coef_, atol=1e-3 * np.abs(theirs.coef_).max())
        assert np.mean(model.predict(X) == theirs.predict(X)) > 0.999


def test_real_rows_are_scikit_learns(model):
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.std(axis=0)  # not centred: one class is told from the origin
    y = targets(model, y) if isinstance(model, (SVC, NuSVC)) else X[:, 0] + 0.1 * X[:, 1] ** 2
    rows = X[:, 1:]
    if isinstance(model, NuSVC):
        model.set_params(nu=0.2)
    model.fit(rows, y)
    theirs = scikit_learns(model).set_params(tol=1e-5).fit(rows, y)
    assert model.status_ is Status.SOLVED
    assert mercer.certify(model, rows, y).holds(TOL)
    scale = np.abs(values(theirs, rows)).max()
    np.testing.assert_allclose(values(model, rows), values(theirs, rows), atol=1e-2 * scale)


def test_the_same_fit_twice_gives_the_same_bits(model, points):
    X, y = points[0], targets(model, points[1])
    one, two = (clone(model).set_params(random_state=4).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    np.testing.assert_array_equal(one.intercept_, two.intercept_)


def test_another_number_of_threads_gives_the_same_machine(model, points):
    X, y = points[0], targets(model, points[1])
    one, two = (values(clone(model).set_params(n_jobs=threads).fit(X, y), X) for threads in (1, 2))
    np.testing.assert_allclose(one, two, atol=TWO_FITS * np.abs(one).max())


def test_warm_start_is_solved_and_agrees(model, points):
    X, y = points[0], targets(model, points[1])
    warm = clone(model).set_params(warm_start=True, tol=1e-3).fit(X, y).set_params(tol=TOL).fit(X, y)
    assert warm.status_ is Status.SOLVED
    cold = values(model.fit(X, y), X)
    np.testing.assert_allclose(values(warm, X), cold, atol=TWO_FITS * np.abs(cold).max())


@pytest.mark.parametrize("limit", [{"time_limit": 1e-9}, {"max_iter": 1}, {"max_iter": 0}], ids=str)
def test_limits_leave_a_usable_machine(model, points, limit):
    X, y = points[0], targets(model, points[1])
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.set_params(**limit, tol=1e-9).fit(X, y)
    assert time.perf_counter() - began < OVERSHOOT
    assert any(issubclass(warning.category, UnsolvedWarning) for warning in seen) == (
        model.status_ is not Status.SOLVED
    )
    assert np.isfinite(values(model, X)).all()


DEGENERATE = {
    "a column twice": lambda X: np.c_[X, X],
    "a constant column": lambda X: np.c_[X, np.full(len(X), 5.0)],
    "one feature": lambda X: X[:, :1],
    "rows four times": lambda X: np.tile(X[: len(X) // 4], (4, 1)),
    "rows that are zero": lambda X: np.where(np.arange(len(X))[:, None] % 3 == 0, 0.0, X),
    "columns from 1e-4 to 1e4": lambda X: X * np.logspace(-4, 4, X.shape[1]),
    "empty sparse rows": lambda X: sp.csr_matrix(np.where(np.arange(len(X))[:, None] % 3 == 0, 0.0, X)),
}


@pytest.mark.parametrize("rows", DEGENERATE)
def test_degenerate_rows_are_solved_or_said_not_to_be(model, points, rows):
    X, y = DEGENERATE[rows](points[0]), targets(model, points[1])
    model.set_params(tol=1e-3, time_limit=5.0)
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert time.perf_counter() - began < 5.0 + OVERSHOOT
    unsolved = any(issubclass(warning.category, UnsolvedWarning) for warning in seen)
    assert unsolved == (model.status_ is not Status.SOLVED)
    assert np.isfinite(values(model, X)).all()
    if not unsolved:
        assert mercer.certify(model, X, y).holds(1e-3)
    assert not unsolved or "1e4" in rows
