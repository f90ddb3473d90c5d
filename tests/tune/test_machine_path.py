"""Machines along one parameter."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, LinearSVC, NuSVC, ParameterError, machine_path

VALUES = [0.01, 0.1, 1.0, 10.0, 100.0]
# Two machines within tol of the optimum differ by about this much in their values.
WITHIN_TOL = 2e-2


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("estimator", [SVC(gamma=0.02), SVC(kernel="linear"), SVC(class_weight="balanced")])
def test_each_machine_of_a_path_is_the_fitted_one(cancer, estimator):
    X, y = cancer
    path = machine_path(estimator, X, y, values=VALUES)
    assert len(path) == len(VALUES)
    for C, model in zip(VALUES, path, strict=True):
        alone = SVC(**{**estimator.get_params(), "C": C}).fit(X, y)
        assert model.C == C
        assert model.certificate_.holds(model.tol)
        scale = np.abs(alone.decision_function(X)).max()
        np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=WITHIN_TOL * scale)


def test_path_of_several_classes_votes_as_fits_do():
    X, y = load_iris(return_X_y=True)
    for C, model in zip(VALUES, machine_path(SVC(), X, y, values=VALUES), strict=True):
        np.testing.assert_array_equal(model.predict(X), SVC(C=C).fit(X, y).predict(X))
        assert model.dual_coef_.shape == (2, len(model.support_))


def test_support_vectors_of_several_classes_are_counted_once():
    X, y = load_iris(return_X_y=True)
    path = machine_path(SVC(), X, y, values=[0.01, 1.0])
    assert np.all(path.n_bounded <= path.n_support)
    assert path.n_bounded[0] > 100


def test_path_of_regression():
    X, y = load_diabetes(return_X_y=True)
    path = machine_path(SVR(gamma=5.0, epsilon=5.0), X, y, values=[1.0, 10.0, 100.0])
    for model in path:
        assert model.certificate_.holds(model.tol)
    scored = path.scored(X, y)
    assert np.all(np.diff(scored.scores) > 0)


def test_bounded_support_vectors_are_counted_along_the_tube_too():
    X, y = load_diabetes(return_X_y=True)
    path = machine_path(SVR(C=1.0), X, y, parameter="epsilon", values=[0.1, 20.0])
    assert path.n_bounded[0] > path.n_bounded[1] > 0


def test_bounded_support_vectors_become_fewer_along_c(cancer):
    X, y = cancer
    path = machine_path(SVC(gamma=0.02), X, y)
    assert np.all(np.diff(path.values) > 0)
    assert path.n_bounded[-1] < path.n_bounded[0]
    assert np.all(path.n_bounded <= path.n_support)


def test_once_no_coefficient_is_at_its_bound_the_machine_stays(cancer):
    X, y = cancer
    path = machine_path(SVC(gamma=1.0), X, y, values=[10.0, 100.0, 1000.0])
    assert path.n_bounded.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(path[0].dual_coef_, path[2].dual_coef_)


def test_weights_of_rows_count(cancer):
    X, y = cancer
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 2.0)
    kept = weights > 0
    (model,) = machine_path(SVC(gamma=0.02), X, y, values=[1.0], sample_weight=weights)
    alone = SVC(C=2.0, gamma=0.02).fit(X[kept], y[kept])
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=0.05)


@pytest.mark.parametrize(
    ("estimator", "parameter", "values"),
    [
        (NuSVC(), "nu", [0.1, 0.2]),
        (SVC(), "tol", [1e-3]),
        (LinearSVC(), "C", [0.1, 1.0]),
        (SVC(gamma=0.1), "gamma", [0.1]),
    ],
)
def test_other_parameters_and_machines_go_by_warm_starts(cancer, estimator, parameter, values):
    X, y = cancer
    path = machine_path(estimator, X, y, parameter=parameter, values=values)
    assert [getattr(model, parameter) for model in path] == values
    assert all(model.score(X, y) > 0.9 and not model.warm_start for model in path)


def test_a_path_beyond_the_memory_goes_one_by_one(cancer):
    X, y = cancer
    path = machine_path(SVC(gamma=0.02), X, y, values=[1.0, 10.0], memory=0.1)
    assert all(model.certificate_.holds(model.tol) for model in path)


def test_unknown_parameters_and_values_are_refused(cancer):
    X, y = cancer
    with pytest.raises(ParameterError, match="parameter: expected one of"):
        machine_path(SVC(), X, y, parameter="Q")
    with pytest.raises(ParameterError, match="values: expected finite numbers"):
        machine_path(SVC(), X, y, values=[np.inf])
    with pytest.raises(ParameterError, match="values: expected numbers for 'gamma'"):
        machine_path(SVC(), X, y, parameter="gamma")


def test_what_is_no_machine_or_no_number_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match=r"estimator: expected one of Mercer's machines.*got LogisticRegression"):
        machine_path(LogisticRegression(), X, y)
    with pytest.raises(ParameterError, match=r"values: expected finite numbers in a list, got .*one"):
        machine_path(SVC(), X, y, values=["one", 2])


def test_linear_machines_count_the_rows_that_hold_them():
    X, y = load_iris(return_X_y=True)
    path = machine_path(LinearSVC(), X, y == 1, values=[0.01, 0.1, 1])
    for model, count in zip(path, path.n_support, strict=True):
        inside = (2 * (y == 1) - 1) * model.decision_function(X) < 1 + 1e-6
        assert abs(count - np.count_nonzero(inside)) <= 0.02 * len(y)
