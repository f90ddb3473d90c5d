"""SVC finds the machine that scikit-learn finds, and shows it through the same attributes."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.svm import SVC as SklearnSVC

import mercer
from tests.reference.datasets import DATASETS, UNIQUE, load

TOL = 1e-6
# The dual value is quadratic in the distance from the optimum, so tol is far more than enough for this.
DUAL_AGREEMENT = 1e-6
# Decision values of two machines differ by a few times what each violates the optimality conditions.
VALUES_FROM_VIOLATION = 10.0
# Multipliers may differ by more than values where the Gram matrix is badly conditioned; relative to their bound.
MULTIPLIER_AGREEMENT = 1e-4

MULTICLASS = ["iris", "wine", "digits", "blobs", "poly", "sigmoid", "string labels"]


@pytest.fixture(scope="module")
def fitted():
    """Both models and their certificates, fitted once a dataset."""
    cache = {}

    def fit(name):
        if name not in cache:
            X, y, parameters = load(name)
            ours, theirs = (kind(tol=TOL, **parameters).fit(X, y) for kind in (mercer.SVC, SklearnSVC))
            proofs = mercer.certify(ours, X, y), mercer.certify(theirs, X, y)
            cache[name] = X, y, ours, theirs, proofs
        return cache[name]

    return fit


def value_tolerance(proofs):
    return VALUES_FROM_VIOLATION * sum(max(proof.violation, TOL) for proof in proofs)


def new_rows(X, ours):
    """Rows that were not trained on; kernel values of training rows where the kernel is precomputed."""
    if ours.kernel == "precomputed" or sp.issparse(X):
        return X[::2]
    return X + 0.3 * np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0)


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


def multipliers(model, n):
    """dual_coef_ with a column for each training row."""
    full = np.zeros((len(model.classes_) - 1, n))
    full[:, model.support_] = dense(model.dual_coef_)
    return full


@pytest.mark.parametrize("name", DATASETS)
def test_svc_is_proved_optimal(name, fitted):
    _, _, ours, _, (proof, _) = fitted(name)
    indefinite = ours.kernel == "sigmoid"
    assert ours.status_ is (mercer.Status.STATIONARY if indefinite else mercer.Status.SOLVED)
    assert proof.holds(TOL)
    assert proof.violation <= TOL + proof.accuracy


@pytest.mark.parametrize("name", DATASETS)
def test_dual_objective_agrees_with_scikit_learns(name, fitted):
    _, _, _, _, (ours, theirs) = fitted(name)
    if theirs.violation <= TOL + theirs.accuracy:
        assert ours.dual == pytest.approx(theirs.dual, rel=DUAL_AGREEMENT)
    else:
        assert ours.dual >= theirs.dual - DUAL_AGREEMENT * abs(theirs.dual)


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("name", DATASETS)
def test_decision_function_agrees_with_scikit_learns(name, shape, fitted):
    X, _, ours, theirs, proofs = fitted(name)
    for rows in (X, new_rows(X, ours)):
        ours.set_params(decision_function_shape=shape)
        theirs.set_params(decision_function_shape=shape)
        values, expected = ours.decision_function(rows), theirs.decision_function(rows)
        assert values.shape == expected.shape
        assert values.dtype == expected.dtype == np.float64
        np.testing.assert_allclose(values, expected, atol=value_tolerance(proofs))


@pytest.mark.parametrize("name", DATASETS)
def test_predictions_agree_with_scikit_learns(name, fitted):
    X, _, ours, theirs, proofs = fitted(name)
    ours.set_params(decision_function_shape="ovo")
    for rows in (X, new_rows(X, ours)):
        predicted, expected = ours.predict(rows), theirs.predict(rows)
        assert predicted.dtype == expected.dtype
        values = ours.decision_function(rows).reshape(len(predicted), -1)
        clear = np.abs(values).min(axis=1) > value_tolerance(proofs)
        assert clear.mean() > 0.95
        np.testing.assert_array_equal(predicted[clear], expected[clear])


@pytest.mark.parametrize("name", DATASETS)
def test_attributes_have_scikit_learns_shapes_and_types(name, fitted):
    X, _, ours, theirs, _ = fitted(name)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.support_.dtype == theirs.support_.dtype == np.int32
    assert ours.n_support_.dtype == theirs.n_support_.dtype == np.int32
    assert ours.dual_coef_.dtype == theirs.dual_coef_.dtype == np.float64
    assert ours.intercept_.dtype == theirs.intercept_.dtype == np.float64
    assert ours.intercept_.shape == theirs.intercept_.shape
    assert ours.n_support_.shape == theirs.n_support_.shape
    assert ours.dual_coef_.shape == (len(ours.classes_) - 1, len(ours.support_))
    assert ours.n_support_.sum() == len(ours.support_)
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.n_features_in_ == theirs.n_features_in_
    assert sp.issparse(ours.support_vectors_) == sp.issparse(theirs.support_vectors_)
    if ours.kernel == "precomputed":
        assert ours.support_vectors_.shape == theirs.support_vectors_.shape
    else:
        np.testing.assert_array_equal(dense(ours.support_vectors_), dense(X[ours.support_]))
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)


@pytest.mark.parametrize("name", DATASETS)
def test_support_is_grouped_by_class_in_ascending_order(name, fitted):
    _, y, ours, _, _ = fitted(name)
    codes = np.searchsorted(ours.classes_, np.asarray(y)[ours.support_])
    assert np.all(np.diff(codes) >= 0)
    for code in range(len(ours.classes_)):
        assert np.all(np.diff(ours.support_[codes == code]) > 0)
        assert np.sum(codes == code) == ours.n_support_[code]


@pytest.mark.parametrize("name", UNIQUE)
def test_support_and_multipliers_agree_with_scikit_learns(name, fitted):
    X, _, ours, theirs, proofs = fitted(name)
    bound = ours.C * ours.class_weight_.max()
    np.testing.assert_allclose(
        multipliers(ours, X.shape[0]), multipliers(theirs, X.shape[0]), atol=MULTIPLIER_AGREEMENT * bound
    )
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_array_equal(np.sign(ours.dual_coef_), np.sign(theirs.dual_coef_))
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=value_tolerance(proofs))


@pytest.mark.parametrize("name", ["linear", "sparse text"])
def test_coef_agrees_with_scikit_learns(name, fitted):
    _, _, ours, theirs, proofs = fitted(name)
    assert sp.issparse(ours.coef_) == sp.issparse(theirs.coef_)
    assert ours.coef_.shape == theirs.coef_.shape
    np.testing.assert_allclose(dense(ours.coef_), dense(theirs.coef_), atol=value_tolerance(proofs))


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_coef_of_several_classes_agrees_with_scikit_learns(layout):
    X, y, _ = load("wine")
    ours, theirs = (kind(kernel="linear", tol=TOL).fit(layout(X), y) for kind in (mercer.SVC, SklearnSVC))
    assert ours.coef_.shape == (3, X.shape[1])
    np.testing.assert_allclose(dense(ours.coef_), dense(theirs.coef_), atol=1e-5)
    values = ours.set_params(decision_function_shape="ovo").decision_function(X)
    np.testing.assert_allclose(X @ dense(ours.coef_).T + ours.intercept_, values, atol=1e-10)


def test_coef_exists_for_the_linear_kernel_only(fitted):
    _, _, ours, theirs, _ = fitted("moons")
    assert not hasattr(ours, "coef_")
    assert not hasattr(theirs, "coef_")


@pytest.mark.parametrize("name", MULTICLASS)
def test_break_ties_agrees_with_scikit_learns(name, fitted):
    X, _, ours, theirs, _ = fitted(name)
    for model in (ours, theirs):
        model.set_params(decision_function_shape="ovr", break_ties=True)
    rows = new_rows(X, ours)
    broken = ours.predict(rows), theirs.predict(rows)
    for model in (ours, theirs):
        model.set_params(break_ties=False)
    np.testing.assert_array_equal(*broken)


def test_break_ties_decides_by_the_values_where_votes_are_even():
    X, y = make_blobs(300, centers=6, cluster_std=3.0, random_state=1)
    grid = np.random.default_rng(2).uniform(X.min(), X.max(), size=(4000, 2))
    ours, theirs = (kind(gamma=0.05, tol=TOL).fit(X, y) for kind in (mercer.SVC, SklearnSVC))
    votes = ours.predict(grid)
    np.testing.assert_array_equal(votes, theirs.predict(grid))
    ours.set_params(break_ties=True)
    theirs.set_params(break_ties=True)
    broken = ours.predict(grid)
    np.testing.assert_array_equal(broken, theirs.predict(grid))
    assert np.any(broken != votes), "no tie among these rows: the test would prove nothing"


def test_binary_decision_is_positive_for_the_second_class():
    ours = mercer.SVC(kernel="linear").fit([[-1.0], [1.0]], ["no", "yes"])
    assert ours.decision_function([[2.0]])[0] > 0
    assert ours.predict([[2.0]])[0] == "yes"
