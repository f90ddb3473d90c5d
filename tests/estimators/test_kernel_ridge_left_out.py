"""Rows left out of kernel ridge regression: closed forms against fits without each row."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, KFold

from mercer import RBF, KernelRidge, KernelRidgeClassifier, KernelRidgeCV
from mercer.errors import InputError, NumericsWarning, ParameterError, TimeLimitError, UnsolvedWarning

ROWS = 60
ALPHAS = np.logspace(-2, 1, 4)


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * random.normal(size=ROWS)
    return X, np.column_stack([y, 5.0 - 2 * y + X[:, 2]]), random.random(ROWS) + 0.1


def without_each(model, X, Y, weights):
    """What fits without a row say of it, fitted one by one."""
    rows = np.arange(len(X))
    return np.array([model.fit(X[rows != i], Y[rows != i], weights[rows != i]).predict(X[[i]])[0] for i in rows])


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_left_out_predictions_are_those_of_fits_without_each_row(data, fit_intercept):
    X, Y, weights = data
    model = KernelRidge([0.1, 0.7], kernel=RBF(0.5), fit_intercept=fit_intercept)
    expected = without_each(model, X, Y, weights)
    np.testing.assert_allclose(model.fit(X, Y, weights).left_out_predict(), expected, atol=1e-9)


def test_left_out_predictions_leave_absent_rows_as_they_are(data):
    X, Y, weights = data
    weights = np.where(np.arange(ROWS) % 5 == 0, 0.0, weights)
    model = KernelRidge(0.3, kernel="rbf", fit_intercept=True).fit(X, Y[:, 0], weights)
    found, absent = model.left_out_predict(), weights == 0
    np.testing.assert_allclose(found[absent], model.predict(X[absent]))
    other = KernelRidge(0.3, kernel="rbf", fit_intercept=True).fit(X[~absent], Y[~absent, 0], weights[~absent])
    np.testing.assert_allclose(found[~absent], other.left_out_predict())


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_errors_of_all_alphas_and_gammas_are_those_of_fits_without_each_row(data, fit_intercept):
    X, Y, weights = data
    model = KernelRidgeCV(ALPHAS, kernel="rbf", gammas=[0.1, 1.0], fit_intercept=fit_intercept).fit(X, Y, weights)
    expected = np.empty((2, 4, 2))
    for g, gamma in enumerate([0.1, 1.0]):
        for a, alpha in enumerate(ALPHAS):
            one = KernelRidge(alpha, kernel="rbf", gamma=gamma, fit_intercept=fit_intercept)
            expected[g, a] = np.average((without_each(one, X, Y, weights) - Y) ** 2, axis=0, weights=weights)
    np.testing.assert_allclose(model.errors_, expected, rtol=1e-8)
    g, a = np.unravel_index(expected.mean(axis=2).argmin(), (2, 4))
    assert (model.gamma_, model.alpha_) == ([0.1, 1.0][g], ALPHAS[a])
    assert model.best_score_ == pytest.approx(-expected.mean(axis=2).min())
    assert not model.standard_errors_.any()
    same = KernelRidge(model.alpha_, kernel="rbf", gamma=model.gamma_, fit_intercept=fit_intercept).fit(X, Y, weights)
    np.testing.assert_allclose(model.predict(X), same.predict(X))


def test_linear_kernel_chooses_as_ridge_cv(data):
    X, Y, _ = data
    ours = KernelRidgeCV(ALPHAS, fit_intercept=True).fit(X, Y[:, 0])
    theirs = RidgeCV(ALPHAS).fit(X, Y[:, 0])
    assert ours.alpha_ == theirs.alpha_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)


def test_folds_choose_as_a_grid_search(data):
    X, Y, _ = data
    folds = KFold(4, shuffle=True, random_state=0)  # of equal sizes, so that means of means are means
    ours = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=0.5, cv=folds).fit(X, Y[:, 0])
    search = GridSearchCV(
        SklearnKernelRidge(kernel="rbf", gamma=0.5), {"alpha": ALPHAS}, cv=folds, scoring="neg_mean_squared_error"
    ).fit(X, Y[:, 0])
    np.testing.assert_allclose(-ours.errors_[0, :, 0], search.cv_results_["mean_test_score"], rtol=1e-8)
    assert ours.alpha_ == search.best_params_["alpha"]


@pytest.mark.filterwarnings("ignore::mercer.NumericsWarning")  # of a choice that is not certain
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_estimated_errors_are_within_their_standard_errors(fit_intercept):
    random = np.random.default_rng(1)
    X = random.normal(size=(1000, 6))
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]]) + 0.3 * random.normal(size=(1000, 2))
    weights = random.random(1000) + 0.5
    form = {"kernel": "rbf", "fit_intercept": fit_intercept}
    exact = KernelRidgeCV([0.1, 1.0], **form).fit(X, Y, weights)
    told = KernelRidgeCV([0.1, 1.0], left_out="estimate", **form).fit(X, Y, weights)
    assert np.all(told.standard_errors_ > 0)
    assert np.all(told.standard_errors_[:, 1] < 0.01 * told.errors_[:, 1])
    assert np.all(np.abs(told.errors_ - exact.errors_) < 4 * told.standard_errors_)


@pytest.mark.parametrize("classes", [2, 3])
def test_classifier_is_ridge_regression_of_signs_and_leaves_rows_out(classes):
    X, y = make_classification(80, 5, n_informative=4, n_redundant=0, n_classes=classes, random_state=0)
    names = np.array(["a", "b", "c"])[y]
    model = KernelRidgeClassifier(0.5, kernel="rbf").fit(X, names)
    positive = [1] if classes == 2 else range(classes)
    signs = np.column_stack([np.where(y == k, 1.0, -1.0) for k in positive])
    regression = KernelRidge(0.5, kernel="rbf", fit_intercept=True)
    values = regression.fit(X, signs).predict(X)
    np.testing.assert_allclose(model.decision_function(X), values.squeeze(), atol=1e-12)
    expected = values[:, 0] > 0 if classes == 2 else values.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(X), np.array(["a", "b", "c"])[expected.astype(int)])
    left_out = without_each(regression, X, signs, np.ones(80))
    np.testing.assert_allclose(model.left_out_decision_function(), left_out.squeeze(), atol=1e-9)
    decided = left_out[:, 0] > 0 if classes == 2 else left_out.argmax(axis=1)
    assert model.left_out_score(names) == np.mean(decided == y)


def test_class_weights_are_weights_of_rows():
    X, y = make_classification(60, 4, weights=[0.8], random_state=1)
    weights = np.where(y == 1, 3.0, 1.0)
    by_class = KernelRidgeClassifier(class_weight={0: 1.0, 1: 3.0}).fit(X, y)
    np.testing.assert_allclose(by_class.dual_coef_, KernelRidgeClassifier().fit(X, y, weights).dual_coef_)


def test_what_cannot_be_is_refused(data):
    X, Y, _ = data
    for alphas in ([], [0.0, 1.0], [np.nan], "all"):
        with pytest.raises(ParameterError, match="alphas"):
            KernelRidgeCV(alphas).fit(X, Y)
    with pytest.raises(ParameterError, match="gammas"):
        KernelRidgeCV(gammas=[1.0]).fit(X, Y)
    with pytest.raises(InputError, match="two rows"):
        KernelRidgeCV().fit(X[:1], Y[:1])
    with pytest.raises(InputError, match="cache_size"):
        KernelRidge(kernel="rbf", cache_size=0.001).fit(X, Y).left_out_predict()
    with pytest.raises(ParameterError, match="alpha"):
        KernelRidgeClassifier(0.0).fit(X, Y[:, 0] > 0)
    with pytest.raises(TimeLimitError, match="Stopped before the errors"):
        KernelRidgeCV(kernel="rbf", left_out="estimate", callback=lambda _: True).fit(X, Y)
    with pytest.raises(TimeLimitError, match="time_limit"):
        KernelRidgeCV(kernel="rbf", cv=3, time_limit=1e-9).fit(X, Y)


def test_a_choice_among_estimates_that_are_hardly_known_is_told(data):
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 5))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * random.normal(size=len(X))
    with pytest.warns(NumericsWarning, match="may not be the best"):
        KernelRidgeCV([1e-3, 1e-2], kernel="rbf", gamma=0.2, left_out="estimate").fit(X, y)


def test_a_fit_that_is_out_of_time_has_the_first_solution_of_its_factor(data):
    X, Y, _ = data
    with pytest.warns(UnsolvedWarning, match="time"):
        model = KernelRidge(0.1, kernel="rbf", time_limit=1e-9, tol=1e-300).fit(X, Y[:, 0])
    exact = KernelRidge(0.1, kernel="rbf").fit(X, Y[:, 0])
    np.testing.assert_allclose(model.predict(X), exact.predict(X), rtol=1e-6)


@pytest.mark.filterwarnings("ignore::mercer.NumericsWarning")  # of a choice that is not certain
def test_estimates_tell_how_far_they_are_off_where_alpha_is_small():
    random = np.random.default_rng(0)
    X = random.normal(size=(1200, 10))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * random.normal(size=len(X))
    alphas = np.logspace(-3, 2, 6)
    exact, told = (
        KernelRidgeCV(alphas, kernel="rbf", gamma=0.1, left_out=how).fit(X, y) for how in ("exact", "estimate")
    )
    off = np.abs(told.errors_ - exact.errors_) / told.standard_errors_
    assert np.all(off < 4), off
