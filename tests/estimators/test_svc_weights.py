"""Weights mean what they say: zero is absence, k is k copies, classes count as scikit-learn counts them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_moons
from sklearn.svm import SVC as SklearnSVC

import mercer

TOL = 1e-8
# The same optimum reached along another path: a few times tol.
VALUES = 1e-6
VALUES_OF_SCIKIT_LEARN = 1e-5
GAMMA = 0.6


def two_classes():
    X, y = make_moons(90, noise=0.3, random_state=6)
    return np.vstack([X[y == 0], X[y == 1][:20]]), np.concatenate([np.zeros(45, int), np.ones(20, int)])


def three_classes():
    X, y = load_iris(return_X_y=True)
    keep = np.flatnonzero((np.arange(150) % 3 > 0) | (y == 1))
    return X[keep], y[keep]


DATA = pytest.mark.parametrize("data", [two_classes, three_classes])
LAYOUT = pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])


def svc(**parameters):
    return mercer.SVC(**{"gamma": GAMMA, "tol": TOL, "decision_function_shape": "ovo", **parameters})


def counts(n):
    return np.random.default_rng(1).integers(0, 4, size=n)


def assert_same_values(model, other, X, atol=VALUES):
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), atol=atol)


@DATA
@LAYOUT
def test_weight_zero_is_absence(data, layout):
    X, y = data()
    weights = np.where(np.arange(len(y)) % 4 == 0, 0.0, 1.0)
    present = weights > 0
    weighted = svc().fit(layout(X), y, sample_weight=weights)
    absent = svc().fit(layout(X[present]), y[present])
    assert_same_values(weighted, absent, X)
    assert np.all(present[weighted.support_])
    np.testing.assert_array_equal(weighted.support_, np.flatnonzero(present)[absent.support_])
    difference = weighted.dual_coef_ - absent.dual_coef_
    assert np.abs(difference).max() <= 1e-5
    assert weighted.certificate_.rows == absent.certificate_.rows


@DATA
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_weight_k_is_k_copies(data, kernel):
    X, y = data()
    k = counts(len(y))
    weighted = svc(kernel=kernel, tol=0.1 * TOL).fit(X, y, sample_weight=k)
    copied = svc(kernel=kernel, tol=0.1 * TOL).fit(np.repeat(X, k, axis=0), np.repeat(y, k))
    assert weighted.certificate_.dual == pytest.approx(copied.certificate_.dual, rel=1e-8)
    assert weighted.certificate_.primal == pytest.approx(copied.certificate_.primal, rel=1e-8)
    assert_same_values(weighted, copied, X, atol=1e-5)


@DATA
def test_weights_of_one_change_nothing(data):
    X, y = data()
    plain, ones = svc().fit(X, y), svc().fit(X, y, sample_weight=np.ones(len(y)))
    np.testing.assert_array_equal(plain.dual_coef_, ones.dual_coef_)
    np.testing.assert_array_equal(plain.intercept_, ones.intercept_)


@DATA
@pytest.mark.parametrize("factor", [0.1, 7.0])
def test_weights_are_factors_of_C(data, factor):
    X, y = data()
    weighted = svc(C=2.0).fit(X, y, sample_weight=np.full(len(y), factor))
    assert_same_values(weighted, svc(C=2.0 * factor).fit(X, y), X)


@DATA
@LAYOUT
def test_sample_weight_agrees_with_scikit_learns(data, layout):
    X, y = data()
    weights = np.random.default_rng(2).uniform(0.1, 4, size=len(y))
    ours = svc().fit(layout(X), y, sample_weight=weights)
    theirs = SklearnSVC(gamma=GAMMA, tol=TOL, decision_function_shape="ovo").fit(layout(X), y, sample_weight=weights)
    assert_same_values(ours, theirs, layout(X), atol=VALUES_OF_SCIKIT_LEARN)
    assert np.all(np.abs(ours.dual_coef_) <= weights[ours.support_] * (1 + 1e-12))


@DATA
@pytest.mark.parametrize("class_weight", [{0: 3.0, 1: 0.5}, {1: 4.0}, "balanced"])
def test_class_weight_agrees_with_scikit_learns(data, class_weight):
    X, y = data()
    ours = svc(class_weight=class_weight).fit(X, y)
    theirs = SklearnSVC(gamma=GAMMA, tol=TOL, class_weight=class_weight, decision_function_shape="ovo").fit(X, y)
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
    assert_same_values(ours, theirs, X, atol=VALUES_OF_SCIKIT_LEARN)
    assert np.abs(ours.decision_function(X) - svc().fit(X, y).decision_function(X)).max() > 1e-2


def test_class_weight_takes_string_labels():
    X, y = two_classes()
    labels = np.array(["cat", "dog"])[y]
    ours = svc(class_weight={"dog": 5.0}).fit(X, labels)
    assert_same_values(ours, svc(class_weight={1: 5.0}).fit(X, y), X)


@DATA
def test_class_weight_is_a_weight_of_each_row(data):
    X, y = data()
    per_class = {0: 0.3, 1: 2.0}
    rows = np.array([per_class.get(label, 1.0) for label in y])
    assert_same_values(svc(class_weight=per_class).fit(X, y), svc().fit(X, y, sample_weight=rows), X)


@DATA
def test_class_and_sample_weights_multiply(data):
    X, y = data()
    per_class = {0: 0.3, 1: 2.0}
    weights = np.random.default_rng(3).uniform(0.2, 3, size=len(y))
    ours = svc(class_weight=per_class).fit(X, y, sample_weight=weights)
    rows = weights * np.array([per_class.get(label, 1.0) for label in y])
    assert_same_values(ours, svc().fit(X, y, sample_weight=rows), X)
    theirs = SklearnSVC(gamma=GAMMA, tol=TOL, class_weight=per_class, decision_function_shape="ovo")
    assert_same_values(ours, theirs.fit(X, y, sample_weight=weights), X, atol=VALUES_OF_SCIKIT_LEARN)


@DATA
def test_balanced_counts_weighted_rows_as_copies(data):
    """scikit-learn balances the rows unweighted; here weight k stays the same as k copies."""
    X, y = data()
    k = counts(len(y))
    weighted = svc(class_weight="balanced").fit(X, y, sample_weight=k)
    copied = svc(class_weight="balanced").fit(np.repeat(X, k, axis=0), np.repeat(y, k))
    np.testing.assert_allclose(weighted.class_weight_, copied.class_weight_)
    assert_same_values(weighted, copied, X, atol=1e-5)


def test_balanced_classes_weigh_the_same():
    X, y = two_classes()
    model = svc(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(model.class_weight_ * np.bincount(y), len(y) / 2)


def test_class_of_weight_zero_rows_only_is_refused():
    X, y = two_classes()
    with pytest.raises(ValueError, match="positive weight"):
        svc().fit(X, y, sample_weight=(y == 0).astype(float))


def test_hard_margin_ignores_positive_weights():
    """C = inf times any weight is inf; weight zero still leaves a row out."""
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0], [-1.5]]), [0, 0, 1, 1, 1]
    model = mercer.SVC(kernel="linear", C=np.inf, tol=TOL).fit(X, y, sample_weight=[0.1, 3.0, 1.0, 9.0, 0.0])
    np.testing.assert_allclose(model.coef_, [[1.0]], rtol=1e-6)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-6)
