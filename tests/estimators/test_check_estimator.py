"""scikit-learn's own contract for estimators, kept by SVC under every kind of kernel, and the same interface."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import RBF, SVC, Linear

# The check compares decision values to 1e-9, and two fits agree to their tolerance: at tol=1e-12 it must pass, with a
# gamma in numbers, since "scale" looks at all rows as scikit-learn's does.
WITHIN_TOLERANCE_ONLY = {
    f"check_sample_weight_equivalence_on_{kind}_data": "two fits agree to tol; exact at tol=1e-12"
    for kind in ("dense", "sparse")
}


def exempt(estimator):
    compares = estimator.tol > 1e-12 and estimator.kernel != "precomputed"
    return WITHIN_TOLERANCE_ONLY if compares else {}


# Some checks draw labels at random for rows far from the origin; a polynomial stalls there, and a warning is right.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning", "ignore::mercer.UnsolvedWarning")
@parametrize_with_checks(
    [
        SVC(),
        SVC(tol=1e-12, gamma=0.1),
        SVC(tol=1e-12, gamma=0.1, class_weight="balanced"),
        SVC(kernel="linear", tol=1e-12),
        SVC(kernel="poly"),
        SVC(kernel="sigmoid"),
        SVC(kernel="laplacian"),
        SVC(kernel="precomputed"),
        SVC(kernel=RBF(0.5) + Linear(), tol=1e-12),
        SVC(class_weight="balanced", n_jobs=1),
        SVC(warm_start=True, random_state=0),
        SVC(break_ties=True, gap_tol=1e-4),
    ],
    expected_failed_checks=exempt,
)
def test_estimator_keeps_scikit_learns_contract(estimator, check):
    check(estimator)


def test_every_parameter_of_scikit_learn_is_taken_with_its_default():
    ours, theirs = (inspect.signature(model).parameters for model in (SVC, sklearn.svm.SVC))
    # scikit-learn is removing probability; the budget of cache_size covers more than a cache.
    different = {"cache_size"}
    for name, parameter in theirs.items():
        if name == "probability":
            continue
        assert name in ours
        assert ours[name].kind is inspect.Parameter.KEYWORD_ONLY
        if name not in different:
            assert ours[name].default == parameter.default


@pytest.fixture(scope="module", params=[2, 4], ids=["two classes", "four classes"])
def labelled(request):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((160, 3))
    return X, np.array(["a", "b", "c", "d"])[rng.integers(0, request.param, 160)]


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "precomputed"])
def test_every_fitted_attribute_of_scikit_learn_exists_with_its_shape_and_kind(labelled, kernel):
    X, y = labelled
    X = X @ X.T if kernel == "precomputed" else X
    ours, theirs = SVC(kernel=kernel).fit(X, y), sklearn.svm.SVC(kernel=kernel).fit(X, y)
    for name in [name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")]:
        # scikit-learn keeps the sparseness of the last fit and the coefficients of a removed feature here.
        if name in ("probA_", "probB_"):
            continue
        mine, other = getattr(ours, name), getattr(theirs, name)
        if name in ("support_", "support_vectors_", "dual_coef_"):
            assert mine.ndim == other.ndim, name
            assert mine.dtype == other.dtype, name
        else:
            assert np.shape(mine) == np.shape(other), name
            assert np.asarray(mine).dtype.kind == np.asarray(other).dtype.kind, name


def test_attribute_of_the_wrong_kernel_is_absent_as_in_scikit_learn(labelled):
    X, y = labelled
    assert not hasattr(SVC().fit(X, y), "coef_")
    assert hasattr(SVC(kernel="linear").fit(X, y), "coef_")
    for name in ("support_", "coef_", "dual_coef_", "intercept_", "n_support_"):
        assert not hasattr(SVC(kernel="linear"), name)


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_decision_function_has_scikit_learns_shape_and_signs(labelled, shape):
    X, y = labelled
    ours = SVC(tol=1e-8, decision_function_shape=shape).fit(X, y).decision_function(X)
    theirs = sklearn.svm.SVC(tol=1e-8, decision_function_shape=shape).fit(X, y).decision_function(X)
    # Both are within tol of the optimum; the free support vectors fix the values up to that.
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_sparse_fit_gives_sparse_attributes_as_in_scikit_learn(labelled):
    X, y = labelled
    ours, theirs = (model(kernel="linear").fit(sp.csr_matrix(X), y) for model in (SVC, sklearn.svm.SVC))
    for name in ("support_vectors_", "dual_coef_", "coef_"):
        assert sp.issparse(getattr(ours, name)) == sp.issparse(getattr(theirs, name)), name
