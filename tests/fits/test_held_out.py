"""Values of rows by machines that were fitted without them: the same as those of machines fitted by hand."""

import time

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel

from mercer import RBF, SVC, Linear, NuSVC, Status, UnsolvedWarning
from mercer.data import one_vs_one, read_class_targets, stratified_folds
from mercer.fits import Task, fit, plan_fit
from mercer.problems import NuClassification
from mercer.rows import rows_of
from mercer.solvers import Terms
from tests.fits.by_hand import BUDGET, classification, iris

# Machines of folds are solved to a tenth of their margin, the solver's samples to three tenths.
COARSE = 0.2
OF_SAMPLES = 0.3


def folds_of(y, seed=0):
    codes = np.unique(y, return_inverse=True)[1]
    return stratified_folds(codes, np.ones(len(y), bool), 5, seed)


def root_mean_square(values):
    return float(np.sqrt(np.mean(np.square(values))))


def many(n=2600):
    return make_classification(n, 6, n_informative=5, n_redundant=0, flip_y=0.1, random_state=4)


def test_folds_have_about_as_many_rows_of_each_class():
    y = np.repeat([0, 1, 2], [50, 11, 1])
    folds = folds_of(y)
    for label, least in ((0, 10), (1, 2)):
        assert np.bincount(folds[y == label], minlength=5).min() >= least
    assert folds[-1] == -1, "without its only row there would be no class"
    assert not np.array_equal(folds, folds_of(y, seed=1))


def test_every_class_has_rows_in_the_first_fold():
    for others in range(100, 106):
        y = np.repeat([0, 1], [others, 3])
        assert np.count_nonzero(folds_of(y)[y == 1] == 0) == 1


def test_rows_that_take_no_part_are_in_no_fold():
    takes_part = np.arange(40) % 4 != 0
    folds = stratified_folds(np.arange(40) % 2, takes_part, 5, 0)
    np.testing.assert_array_equal(folds >= 0, takes_part)


@pytest.mark.parametrize("kernel", [RBF(0.4), Linear()], ids=str)
def test_few_rows_are_valued_fold_by_fold(kernel):
    X, y = iris()
    folds = folds_of(y)
    task = classification(X, y, kernel)._replace(folds=folds)
    fitted = fit(task, plan_fit(task, BUDGET))
    assert fitted.status is Status.SOLVED
    for pair, one in zip(task.pairs, fitted.held_out, strict=True):
        np.testing.assert_array_equal(np.sort(one.rows), pair.rows)
        labels = np.unique(y)[[pair.positive, pair.negative]]
        for fold in range(5):
            others = pair.rows[folds[pair.rows] != fold]
            model = SVC(kernel=kernel, tol=1e-6).fit(X[others], y[others])
            sign = 1 if model.classes_[1] == labels[0] else -1
            asked = folds[one.rows] == fold
            expected = sign * model.decision_function(X[one.rows[asked]])
            np.testing.assert_allclose(one.values[asked], expected, atol=COARSE)


def test_machine_of_few_rows_does_not_depend_on_the_folds():
    X, y = iris()
    task = classification(X, y, RBF(0.4))
    plain, held = (fit(one, plan_fit(one, BUDGET)) for one in (task, task._replace(folds=folds_of(y))))
    np.testing.assert_array_equal(plain.coef, held.coef)
    assert plain.held_out is None


def test_many_rows_are_valued_on_one_fold_by_the_solver_itself():
    X, y = many()
    folds = folds_of(y)
    task = classification(X, y, RBF(0.1))._replace(folds=folds)
    fitted = fit(task, plan_fit(task, BUDGET))
    assert fitted.status is Status.SOLVED
    (one,) = fitted.held_out
    np.testing.assert_array_equal(np.sort(one.rows), np.flatnonzero(folds == 0))
    others = folds != 0
    away = SVC(kernel=RBF(0.1)).fit(X[others], y[others]).decision_function(X[one.rows]) - one.values
    known = SVC(kernel=RBF(0.1)).fit(X, y).decision_function(X[one.rows]) - one.values
    assert root_mean_square(away) < min(OF_SAMPLES, 0.5 * root_mean_square(known))


def test_machine_of_many_rows_is_the_same_within_the_tolerance():
    X, y = many()
    plain, held = SVC().fit(X, y), SVC(probability=True).fit(X, y)
    np.testing.assert_allclose(held.decision_function(X), plain.decision_function(X), atol=5e-3)
    assert held.certificate_.violation <= 1e-3


@pytest.mark.parametrize(
    "how",
    [
        {"start": np.zeros(2600)},
        {"limits": Terms(record=[])},
    ],
    ids=["warm start", "trace"],
)
def test_many_rows_are_valued_after_the_fit_where_the_solver_cannot(how):
    X, y = many()
    task = classification(X, y, RBF(0.1))._replace(folds=folds_of(y))
    (one,) = fit(task, plan_fit(task, BUDGET), **how).held_out
    others = task.folds != 0
    expected = SVC(kernel=RBF(0.1)).fit(X[others], y[others]).decision_function(X[one.rows])
    np.testing.assert_allclose(one.values, expected, atol=COARSE)


def test_values_of_nu_classification_are_in_units_of_its_margin():
    X, y = many()
    folds = folds_of(y)
    pairs = one_vs_one(read_class_targets(y, None, None))
    problem = NuClassification.several([pair.signs for pair in pairs], np.ones(len(y)), 0.4)
    task = Task(problem, rows_of(RBF(0.1), X), [pair.rows for pair in pairs], pairs, folds=folds)
    (one,) = fit(task, plan_fit(task, BUDGET)).held_out
    others = folds != 0
    expected = NuSVC(nu=0.4, kernel=RBF(0.1)).fit(X[others], y[others]).decision_function(X[one.rows])
    assert root_mean_square(one.values - expected) < OF_SAMPLES


def test_nu_that_a_fold_cannot_have_is_lowered():
    y = np.array([0] * 4 + [1] * 11)
    X = np.random.default_rng(0).normal(size=(15, 2))
    most = 2 * 4 / 15
    model = NuSVC(nu=most, probability=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_function_of_python_is_asked_once_for_fit_and_folds():
    X, y = iris()
    asked = []

    def kernel(first, second):
        asked.append(len(first) * len(second))
        return first @ second.T

    SVC(kernel=kernel, probability=True).fit(X, y)
    assert max(asked) == len(X) ** 2
    assert sum(asked) < 2 * len(X) ** 2


def test_time_limit_of_a_slow_function_holds_with_folds_and_says_what_is_missing():
    X, y = many()

    def slow(first, second):
        time.sleep(2e-7 * len(first) * len(second))
        return rbf_kernel(first, second, gamma=0.1)

    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="time limit"):
        model = SVC(kernel=slow, probability=True, time_limit=0.5).fit(X, y)
    assert time.perf_counter() - began < 5
    np.testing.assert_allclose(model.predict_proba(X[:3]).sum(axis=1), 1)
