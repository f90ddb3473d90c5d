"""Every warning points at the user's own line, whoever called fit on the user's behalf."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mercer
from mercer import (
    RBF,
    SVC,
    SVR,
    KernelRegression,
    LinearSVC,
    LinearSVR,
    NumericsWarning,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
    UnsolvedWarning,
)
from mercer.fits import solving

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
HUGE = np.array([[1e200], [-1e200], [0.9e200], [-0.9e200]]), np.array([1, 0, 1, 0])
TINY = np.array([[1e-160], [-1e-160], [0.9e-160], [-0.9e-160]]), np.array([1, 0, 1, 0])
OVERLAPPING = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2

WARNINGS = {
    "unsolved classifier": (SVC(max_iter=2), IRIS, UnsolvedWarning, "violation"),
    "unsolved classifier of the lectures": (SVC(solver="smo-sketch", max_iter=2), IRIS, UnsolvedWarning, "violation"),
    "unsolved after a choice of the kernel": (SVC(kernel="auto", max_iter=2), IRIS, UnsolvedWarning, "violation"),
    "unsolved ν-classifier": (NuSVC(max_iter=2), IRIS, UnsolvedWarning, "violation"),
    "unsolved regression": (SVR(max_iter=2), DIABETES, UnsolvedWarning, "violation"),
    "unsolved ν-regression": (NuSVR(max_iter=2), DIABETES, UnsolvedWarning, "violation"),
    "unsolved support": (OneClassSVM(nu=0.1, max_iter=1), DIABETES, UnsolvedWarning, "violation"),
    "unsolved linear classifier": (LinearSVC(max_iter=1), IRIS, UnsolvedWarning, "duality gap"),
    "unsolved linear regression": (LinearSVR(C=100.0, max_iter=1), DIABETES, UnsolvedWarning, "duality gap"),
    "unknown margin": (NuSVC(nu=0.1, kernel="linear"), OVERLAPPING, NumericsWarning, "margin ρ"),
    "unpolished": (SVC(polish=True), IRIS, NumericsWarning, "polish=True"),
    "gamma at the end of numbers": (SVC(kernel=RBF()), TINY, NumericsWarning, "variance"),
    "gamma at the end of numbers, regression": (KernelRegression(), TINY, NumericsWarning, "variance"),
    "gamma at the end of numbers, perceptron": (Perceptron("rbf"), TINY, NumericsWarning, "variance"),
    "diverged classifier": (
        SGDClassifier(loss="squared_error", learning_rate="constant", eta0=1e3),
        IRIS,
        UnsolvedWarning,
        "eta0",
    ),
    "worse than nothing": (SGDClassifier(alpha=1e-9, max_iter=1, tol=None), IRIS, NumericsWarning, "weights of zero"),
    "diverged regression": (SGDRegressor(learning_rate="constant", eta0=1e3), DIABETES, UnsolvedWarning, "eta0"),
    "diverged kernel regression": (KernelRegression(learning_rate=1e3), DIABETES, UnsolvedWarning, "learning rate"),
    "diverged support": (SGDOneClassSVM(learning_rate="constant", eta0=1e200), HUGE, UnsolvedWarning, "eta0"),
    "unsolved support by descent": (SGDOneClassSVM(max_iter=2), IRIS, UnsolvedWarning, "limit"),
    "stopped kernel regression": (KernelRegression(time_limit=1e-9), IRIS, UnsolvedWarning, "time limit"),
    "stopped perceptron": (Perceptron("rbf", time_limit=1e-9), OVERLAPPING, UnsolvedWarning, "time limit"),
    "mistakes to the end": (Perceptron(max_iter=2), OVERLAPPING, UnsolvedWarning, "mistakes"),
    "mistakes to the end with a kernel": (Perceptron(RBF(0.1), max_iter=2), OVERLAPPING, UnsolvedWarning, "mistakes"),
}
CASE = pytest.mark.parametrize("case", WARNINGS)


def heard_in(case, call):
    """The warnings of the case that a call raises."""
    *_, category, words = WARNINGS[case]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        call()
    return [one for one in heard if issubclass(one.category, category) and words in str(one.message)]


@pytest.fixture(autouse=True)
def polish_leaves_all_as_it_is(monkeypatch):
    monkeypatch.setattr(solving, "polish_groups", lambda problem, coef, *others: (coef, [0], []))


def assert_all_point_here(heard):
    assert heard
    assert {one.filename for one in heard} == {__file__}


@CASE
def test_warning_of_a_fit_points_at_its_line(case):
    model, data, *_ = WARNINGS[case]
    assert_all_point_here(heard_in(case, lambda: clone(model).fit(*data)))


@CASE
def test_warning_of_a_pipeline_points_at_its_line(case):
    model, data, *_ = WARNINGS[case]
    assert_all_point_here(heard_in(case, lambda: make_pipeline(FunctionTransformer(), clone(model)).fit(*data)))


def test_warning_of_a_search_points_at_its_line():
    case = "unsolved classifier"
    model, data, *_ = WARNINGS[case]
    assert_all_point_here(heard_in(case, lambda: GridSearchCV(clone(model), {"C": [1.0, 2.0]}, cv=2).fit(*data)))
    assert_all_point_here(heard_in(case, lambda: cross_val_score(clone(model), *data, cv=2)))


@pytest.mark.parametrize("case", ["diverged regression", "diverged support"])
def test_warning_of_some_rows_points_at_its_line(case):
    model, data, *_ = WARNINGS[case]
    assert_all_point_here(heard_in(case, lambda: clone(model).partial_fit(*data)))


def test_warning_of_a_kernel_points_at_its_line():
    assert_all_point_here(heard_in("gamma at the end of numbers", lambda: RBF()(TINY[0])))


def test_no_warning_of_the_library_counts_calls_by_hand():
    for path in Path(mercer.__file__).parent.rglob("*.py"):
        if path.name != "errors.py":
            assert not re.search(r"warnings\.warn\(|stacklevel", path.read_text()), path
