"""The private names under which tools read scikit-learn's machines."""

import pickle

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_iris

import mercer

X, Y = load_iris(return_X_y=True)
TOL = 1e-2


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["SVC", "NuSVC", "SVR", "OneClassSVM"])
def test_names_hold_what_scikit_learns_do(kind, classes):
    rows = classes > Y
    ours, theirs = (
        getattr(module, kind)(kernel="rbf", tol=1e-6).fit(X[rows], Y[rows]) for module in (mercer, sklearn.svm)
    )
    assert ours._gamma == pytest.approx(theirs._gamma)
    np.testing.assert_allclose(ours._intercept_, theirs._intercept_, atol=TOL)
    np.testing.assert_array_equal(ours._n_support, theirs._n_support)
    np.testing.assert_allclose(ours._dual_coef_, theirs._dual_coef_, atol=TOL)


def test_kernel_without_gamma_has_zero_and_one_with_several_all_of_them():
    assert mercer.SVC(kernel="linear").fit(X, Y)._gamma == 0
    np.testing.assert_array_equal(mercer.SVC(kernel=mercer.RBF([1, 2, 3, 4])).fit(X, Y)._gamma, [1, 2, 3, 4])


def test_coefficients_that_are_set_decide_predictions():
    model = mercer.SVC(kernel="linear").fit([[-1.0, -1.0], [1.0, 1.0]], [1, 2])
    before = model.decision_function(X[:, :2])
    model._dual_coef_ = -2 * model.dual_coef_
    np.testing.assert_allclose(model.decision_function(X[:, :2]), 2 * before)
    with pytest.raises(mercer.InputError, match="do not fit together"):
        model._dual_coef_ = np.ones((1, 7))


def test_counts_that_somebody_changed_are_refused_until_the_next_fit():
    model = mercer.SVC().fit(X, Y)
    pickled = pickle.dumps(model)
    model._n_support[0] = 1_000_000
    with pytest.raises(mercer.InputError, match="internal representation of SVC was altered"):
        model.predict(X)
    assert pickle.loads(pickle.dumps(model)).predict(X).shape == (150,)
    assert len(pickle.dumps(model)) == len(pickled)
    assert model.fit(X, Y).predict(X).shape == (150,)
