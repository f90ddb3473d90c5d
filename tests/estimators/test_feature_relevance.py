"""Scales of features as a transformer: what they win back, and what they make of bad input."""

import _thread
import threading
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    RBF,
    SVC,
    SVR,
    Constant,
    FeatureRelevance,
    GaussianProcessRegressor,
    InputError,
    KernelRidgeClassifier,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NumericsWarning,
    ParameterError,
    Status,
    UnsolvedWarning,
    White,
    relevance,
)

NAMES = ["auto", "knn", "parzen", "ridge", "gp"]


def ring(random, rows=300, noise=6):
    """Two features that decide the class together, none of which does alone, and columns of noise."""
    X = random.normal(size=(rows, 2 + noise))
    return X, np.where(np.hypot(X[:, 0], X[:, 1]) > 1.2, "out", "in")


def wave(random, rows=300, noise=6):
    X = random.normal(size=(rows, 2 + noise))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.05 * random.normal(size=rows)


@pytest.mark.parametrize("machine", [*NAMES, "svc"])
def test_columns_of_noise_get_small_scales_beside_classes(random, machine):
    found = FeatureRelevance(machine).fit(*ring(random)).relevance_
    assert found[:2].min() > 0.7
    assert found[2:].max() < 0.25


@pytest.mark.parametrize("machine", [*NAMES, "svr"])
def test_columns_of_noise_get_small_scales_beside_numbers(random, machine):
    found = FeatureRelevance(machine).fit(*wave(random)).relevance_
    assert found[:2].min() > 0.4
    assert found[2:].max() < 0.15


@pytest.mark.parametrize("model", [SVC(), KNeighborsClassifier()])
def test_scales_win_back_what_noise_took_from_a_classifier(random, model):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :8]
    noisy = np.hstack([X, random.normal(size=(len(X), 40))])
    clean, lost = (cross_val_score(model, some, y, cv=3).mean() for some in (X, noisy))
    back = cross_val_score(make_pipeline(FeatureRelevance(), model), noisy, y, cv=3).mean()
    assert clean - lost > 0.02
    assert back - lost > 2 / 3 * (clean - lost)


@pytest.mark.parametrize("model", [SVR(C=10), KNeighborsRegressor()])
def test_scales_win_back_what_noise_took_from_a_regressor(random, model):
    X, y = wave(random, rows=600, noise=20)
    clean, lost = (cross_val_score(model, some, y, cv=3).mean() for some in (X[:, :2], X))
    back = cross_val_score(make_pipeline(FeatureRelevance(model), model), X, y, cv=3).mean()
    assert clean - lost > 0.2
    assert back - lost > 2 / 3 * (clean - lost)


@pytest.mark.parametrize("machine", NAMES)
def test_features_in_another_order_have_the_same_scales(random, machine):
    # Of fewer rows, or with less noise, errors of ridge regression have several minima, and rounding decides to which a
    # search leads.
    X, y = wave(random, rows=400)
    y = y + 0.1 * random.normal(size=len(y))
    order = random.permutation(X.shape[1])
    model = FeatureRelevance(machine, tol=1e-10, max_iter=1000)
    here, there = (model.fit(some, y).scales_ for some in (X, X[:, order]))
    # Sums in another order; what the search makes of them within its tolerance.
    np.testing.assert_allclose(here[order], there, atol=0.02)


@pytest.mark.parametrize("machine", ["knn", "ridge", "gp"])
def test_units_of_features_and_targets_do_not_matter(random, machine):
    X, y = wave(random, rows=150)
    units = np.array([1e-6, 1e6, 1e150, 1e-150, 1.0, 3.0, 1e12, 1.0])
    plain = FeatureRelevance(machine).fit(X, y)
    other = FeatureRelevance(machine).fit(X * units + units, 1e12 * y - 1e13)
    np.testing.assert_allclose(other.relevance_, plain.relevance_, atol=0.02)
    np.testing.assert_allclose(other.transform(X * units), plain.transform(X), atol=0.1)


def test_transform_multiplies_and_keeps_the_sum_of_variances(random):
    X, y = ring(random)
    X[:, 3] = 7.0
    model = FeatureRelevance().fit(X, y)
    moved = model.transform(X)
    np.testing.assert_allclose(moved, X * model.scales_)
    assert moved.var(axis=0).sum() == pytest.approx(7)
    assert model.scales_[3] == 0
    assert model.relevance_.max() == 1


def test_gamma_is_that_of_the_kernel_which_the_likelihood_found(random):
    X, y = wave(random, rows=120, noise=1)
    y = y + 0.5 * random.normal(size=120)
    model = FeatureRelevance("gp", tol=1e-12, max_iter=1000).fit(X, y)
    process = GaussianProcessRegressor(
        1.0 * (RBF([0.5] * 3) + Constant(1.0)) + White(0.1),
        bounds={"k1__kernel__k2__value": "fixed"},
        normalize_y=True,
    ).fit(X, y)
    found = process.kernel_.get_params()["k1__kernel__k1__gamma"]
    np.testing.assert_allclose(model.gamma_ * model.scales_**2, found, rtol=0.01, atol=1e-4)


def test_an_estimator_stands_for_its_kind(random):
    X, y = ring(random, rows=80, noise=1)
    kinds = {
        "ridge": KernelRidgeClassifier(),
        "svc": make_pipeline(StandardScaler(), SVC()),
        "knn": KNeighborsClassifier(),
    }
    for name, machine in kinds.items():
        by_name, by_machine = (FeatureRelevance(one).fit(X, y) for one in (name, machine))
        assert by_name.criterion_ == by_machine.criterion_
        np.testing.assert_array_equal(by_name.scales_, by_machine.scales_)
    y = X[:, 0]
    assert "likelihood" in FeatureRelevance(GaussianProcessRegressor()).fit(X, y).criterion_


def test_whole_numbers_are_classes_unless_the_machine_or_the_user_says_otherwise(random):
    X = random.normal(size=(200, 3))
    y = np.rint(2 * X[:, 0]).astype(int)
    classes = FeatureRelevance("knn").fit(X, y)
    halves = FeatureRelevance("knn").fit(X, y + 0.5)  # which no labels are
    assert classes.objective_ == FeatureRelevance("svc").fit(X, y).objective_ != halves.objective_
    for numbers in (FeatureRelevance("knn", targets="numbers"), FeatureRelevance("svr")):
        assert numbers.fit(X, y).objective_ == pytest.approx(halves.objective_, rel=1e-5)
    with pytest.raises(ParameterError, match="targets: expected 'classes' or 'auto' for this machine, got 'numbers'"):
        FeatureRelevance("svc", targets="numbers").fit(X, y)


def test_several_targets_are_numbers(random):
    X, y = wave(random)
    found = FeatureRelevance("svr").fit(X, np.stack([y, X[:, 2]], axis=1)).relevance_
    assert found[:3].min() > 0.3
    assert found[3:].max() < 0.2


def test_rows_are_sampled_in_shares_and_told(random):
    X, y = ring(random, rows=3000, noise=1)
    model = FeatureRelevance(max_rows=700).fit(X, y)
    rows = model.row_indices_
    assert len(set(rows.tolist())) == 700
    assert np.mean(y[rows] == "in") == pytest.approx(np.mean(y == "in"), abs=0.005)
    assert len(FeatureRelevance().fit(X, y).row_indices_) == 2000
    assert len(FeatureRelevance("gp", max_rows=60).fit(X, y).row_indices_) == 60


def test_seed_decides_and_threads_do_not(random):
    X, y = ring(random, rows=1500)
    options = [(3, 1), (3, 2), (4, 1)]
    models = [FeatureRelevance(max_rows=1200, random_state=seed, n_jobs=jobs) for seed, jobs in options]
    one, two, other = (model.fit(X, y).scales_ for model in models)
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)
    np.testing.assert_array_equal(FeatureRelevance().fit(X, y).scales_, FeatureRelevance().fit(X, y).scales_)


def test_names_of_a_table_are_kept_and_pandas_comes_out():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = FeatureRelevance("ridge").set_output(transform="pandas").fit(X, y)
    assert list(model.get_feature_names_out()) == list(X.columns)
    assert list(model.transform(X).columns) == list(X.columns)
    assert isinstance(model.transform(X), pd.DataFrame)
    assert {"bmi", "s5"} <= {X.columns[k] for k in np.argsort(-model.relevance_)[:4]}


def test_it_is_searched_over_in_a_pipeline(random):
    X, y = ring(random, rows=150)
    model = make_pipeline(FeatureRelevance(), KNeighborsClassifier())
    grid = {"featurerelevance__machine": ["knn", "ridge"], "featurerelevance__penalty": [0.1, 0.5]}
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    assert search.best_score_ > cross_val_score(KNeighborsClassifier(), X, y, cv=3).mean() + 0.1


# -------------------------------------------------------------------- bad input


def test_one_class_is_refused(random):
    with pytest.raises(InputError, match="number of classes has to be greater than one; got 1 class"):
        FeatureRelevance("svc").fit(random.normal(size=(20, 2)), np.zeros(20, dtype=int))


def test_one_row_and_missing_values_are_refused(random):
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        FeatureRelevance().fit([[1.0, 2.0]], [1.0])
    with pytest.raises(ValueError, match="NaN"):
        FeatureRelevance().fit([[1.0, np.nan], [0.0, 1.0], [2.0, 1.0]], [0, 1, 0])


def test_labels_where_numbers_are_wanted_are_refused(random):
    X, y = ring(random, rows=30)
    with pytest.raises(InputError, match="expected numbers, got labels"):
        FeatureRelevance("svr").fit(X, y)


@pytest.mark.parametrize("machine", ["forest", None, SVC, StandardScaler()])
def test_machines_that_are_none_are_refused(random, machine):
    with pytest.raises(ParameterError, match="or a classifier or regressor, got"):
        FeatureRelevance(machine).fit(*ring(random, rows=30))


@pytest.mark.parametrize("machine", NAMES)
@pytest.mark.parametrize("targets", ["numbers", "features"])
def test_constant_targets_or_features_leave_scales_equal_and_say_so(random, machine, targets):
    X, y = random.normal(size=(30, 3)), random.normal(size=30)
    if targets == "numbers":
        y[:] = 0.1
    else:
        X[:] = 0.1
    with pytest.warns(NumericsWarning, match="No feature tells the targets better than chance"):
        model = FeatureRelevance(machine, targets="numbers").fit(X, y)
    moved = model.transform(X)
    assert np.all(np.isfinite(moved))
    np.testing.assert_allclose(moved.std(axis=0), 1 if targets == "numbers" else 0)


def test_targets_that_have_nothing_to_do_with_the_rows_leave_scales_equal(random):
    X, y = random.normal(size=(400, 5)), random.normal(size=400)
    with pytest.warns(NumericsWarning, match="Lower penalty, or give more rows"):
        model = FeatureRelevance().fit(X, y)
    np.testing.assert_array_equal(model.relevance_, 1)


@pytest.mark.parametrize("machine", NAMES)
def test_more_features_than_rows_and_few_rows_give_finite_scales(random, machine):
    X = random.normal(size=(12, 40))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] *= 10
    model = FeatureRelevance(machine, penalty=0.1).fit(X, y)
    assert np.all(np.isfinite(model.transform(X)))
    two = FeatureRelevance(machine, penalty=0.0, targets="numbers").fit(X[:2], [0.0, 1.0])
    assert np.all(np.isfinite(two.scales_))


@pytest.mark.parametrize("machine", NAMES)
def test_duplicates_with_other_labels_and_outliers_give_finite_scales(random, machine):
    X, y = ring(random, rows=60)
    X, y = np.vstack([X, X]), np.concatenate([y, y[::-1]])
    X[0] = 1e6
    model = FeatureRelevance(machine, penalty=0.0).fit(X, y)
    assert np.all(np.isfinite(model.scales_))
    assert model.scales_.max() > 0


def test_a_failed_fit_leaves_the_earlier_one(random):
    X, y = ring(random, rows=60)
    model = FeatureRelevance().fit(X, y)
    earlier = model.scales_
    with pytest.raises(InputError):
        model.fit(X[:, :3], np.full(60, "in"))
    assert model.scales_ is earlier
    assert model.n_features_in_ == X.shape[1]


def test_limits_take_the_best_so_far_and_say_so(random):
    X, y = ring(random, rows=2000)
    with pytest.warns(UnsolvedWarning, match="time limit .* the best of 1 tried"):
        model = FeatureRelevance(time_limit=1e-9).fit(X, y)
    assert model.status_ is Status.TIME_LIMIT
    np.testing.assert_array_equal(model.relevance_, 1)
    with pytest.warns(UnsolvedWarning, match="iteration limit"):
        model = FeatureRelevance(max_iter=1, tol=1e-12).fit(X, y)
    assert model.status_ is Status.ITERATION_LIMIT


def test_a_time_limit_is_kept(random):
    X, y = ring(random, rows=1000, noise=60)
    FeatureRelevance("ridge", max_rows=100).fit(X, y)  # imports
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="time limit"):
        FeatureRelevance("ridge", time_limit=0.3, tol=1e-12).fit(X, y)
    # One evaluation more, of 1,000 rows at most.
    assert time.perf_counter() - began < 10


def test_ctrl_c_ends_a_fit_and_leaves_the_earlier_one(random):
    X, y = ring(random, rows=2000, noise=100)
    model = FeatureRelevance().fit(X, y)
    earlier = model.scales_
    model.set_params(tol=1e-15, max_iter=100_000, penalty=0.0, n_jobs=2, max_rows=10_000)
    ends = time.perf_counter() + 10
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()

    def fit_until_it_is_heard():
        nonlocal earlier
        while time.perf_counter() < ends:  # a fit that ended before it came is not the last
            model.fit(np.vstack([X] * 3), np.tile(y, 3))
            earlier = model.scales_

    with pytest.raises(KeyboardInterrupt):
        fit_until_it_is_heard()
    assert model.scales_ is earlier


# -------------------------------------------------------------------- told in words


def test_relevance_is_told_from_the_largest_down():
    iris = load_iris(as_frame=True)
    found = relevance("svc", iris.data, iris.target)
    assert found.names == tuple(iris.data.columns)
    lines = str(found).splitlines()
    assert lines[0] == "By soft votes of the other rows, 150 rows:"
    assert [line.split("  ")[0].strip() for line in lines[1:]] == [found.names[k] for k in found.order]
    assert lines[1].endswith("1.00  " + 30 * "█")
    np.testing.assert_array_equal(found.relevance[found.order], np.sort(found.relevance)[::-1])
    np.testing.assert_array_equal(found.transformer.scales_, found.scales)
    with pytest.raises(ParameterError, match="names: expected one for each of 4 features, got 2"):
        relevance("svc", iris.data, iris.target, names=["a", "b"])
