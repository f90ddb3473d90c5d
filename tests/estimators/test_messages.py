"""Messages leave no name out that a parameter may have, and promise nothing that is not proved."""

import warnings

import numpy as np
import pytest

from mercer import (
    RBF,
    SVC,
    SVR,
    KernelRegression,
    Laplacian,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    ParameterError,
    Perceptron,
    Polynomial,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
    Sigmoid,
    UnsolvedWarning,
)

X = np.array([[0.0], [1.0], [2.0], [3.0]])
Y = np.array([0, 1, 0, 1])

WITH_TARGETS = [SVC, NuSVC, SVR, NuSVR]
WITH_KERNEL = [*WITH_TARGETS, OneClassSVM, KernelRegression, Perceptron]


def message(model):
    with pytest.raises(ParameterError) as raised:
        model.fit(X, Y)
    return str(raised.value)


@pytest.mark.parametrize("kind", WITH_KERNEL)
def test_unknown_kernel_is_told_all_names(kind):
    told = message(kind(kernel="cubic"))
    for name in ("linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed"):
        assert repr(name) in told
    # One class has no targets to choose a kernel by, and the other two do not choose.
    assert ("'auto'" in told) == (kind in WITH_TARGETS)


@pytest.mark.parametrize("gamma", ["wide", -1.0, np.inf, None, True, [0.1]])
@pytest.mark.parametrize("kind", WITH_KERNEL)
def test_wrong_gamma_is_told_the_names_it_may_have(kind, gamma):
    told = message(kind(kernel="rbf", gamma=gamma))
    assert f"gamma to be 'scale', 'auto' or a finite number ≥ 0, got {gamma!r}" in told


@pytest.mark.parametrize("gamma", ["wide", -1.0, np.nan, None])
@pytest.mark.parametrize("kind", [RBF, Laplacian, Polynomial, Sigmoid])
def test_wrong_gamma_of_a_kernel_is_told_the_names_it_may_have(kind, gamma):
    with pytest.raises(ParameterError, match="expected gamma to be 'scale', 'auto' or a finite number ≥ 0"):
        kind(gamma=gamma)


@pytest.mark.parametrize("dual", ["yes", None, 0.5])
@pytest.mark.parametrize("kind", [LinearSVC, LinearSVR])
def test_wrong_dual_is_told_auto(kind, dual):
    assert message(kind(dual=dual)) == f"dual: expected 'auto', True or False, got {dual!r}."


@pytest.mark.parametrize("rate", ["slow", -1.0, np.inf, None])
def test_wrong_learning_rate_is_told_auto(rate):
    told = message(KernelRegression(learning_rate=rate))
    assert told == f"learning_rate: expected 'auto' or a finite number > 0, got {rate!r}."


@pytest.mark.parametrize("name", ["solver", "formulation"])
def test_wrong_choice_is_told_auto(name):
    assert "'auto'" in message(SVC(**{name: "none"}))


STOPPED = [
    SGDClassifier(max_iter=1, random_state=0),
    SGDRegressor(max_iter=1, random_state=0),
    SGDOneClassSVM(max_iter=1, random_state=0),
    KernelRegression(max_passes=1, random_state=0),
    KernelRegression(max_passes=1, validation_fraction=0.5, random_state=0),
    Perceptron("rbf", time_limit=1e-9),
]


@pytest.mark.parametrize("model", STOPPED, ids=repr)
def test_stopped_descent_tells_what_is_kept_and_proves_nothing_of_it(model):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model.fit(X, Y)
    (told,) = [str(one.message) for one in heard if one.category is UnsolvedWarning]
    assert "is kept" in told
    assert "usable" not in told
    assert "warm_start=True" in told
