"""Parameters of kernels by name: told, changed into a new value, and searched over through every estimator."""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest
import sklearn.svm
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.gaussian_process import kernels as gp
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    RBF,
    SVC,
    SVR,
    Constant,
    FeatureMap,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    Kernel,
    KernelDensity,
    KernelRegression,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    Laplacian,
    Linear,
    LocallyWeightedRegression,
    NuSVC,
    NuSVR,
    Nystroem,
    OneClassSVM,
    ParameterError,
    ParzenClassifier,
    ParzenRegressor,
    Perceptron,
    Polynomial,
    Precomputed,
    Sigmoid,
    SparseGaussianProcessRegressor,
    SparseKernelRidge,
    SparseKernelRidgeCV,
)
from mercer.kernels import CallableKernel
from tests.names import plain
from tests.reference import kernels as twin

ESTIMATORS = [
    *(SVC, NuSVC, SVR, NuSVR, OneClassSVM, KernelRegression, Perceptron, FeatureMap, Nystroem),
    *(KernelRidge, KernelRidgeCV, KernelRidgeClassifier, SparseKernelRidge, SparseKernelRidgeCV),
    *(GaussianProcessClassifier, GaussianProcessRegressor, SparseGaussianProcessRegressor),
]
# Of these a window is the kernel, for the most part by its name; an object is taken or refused as a whole.
OF_WINDOWS = {KernelDensity, ParzenClassifier, ParzenRegressor, LocallyWeightedRegression}


def dot(X, Z):
    return X @ Z.T


@dataclass(frozen=True)
class Own(Kernel):
    """A user's kernel with a parameter."""

    width: float = 1.0

    def resolve(self, X):
        return self

    @property
    def is_definite(self):
        return True

    def matrix(self, X, Z):
        return self.width * (X @ Z.T)


class Bare(Kernel):
    """A user's kernel that is no dataclass."""

    resolve = Own.resolve
    is_definite = Own.is_definite

    def matrix(self, X, Z):
        return X @ Z.T


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (Linear(), {}),
        (RBF(0.5), {"gamma": 0.5}),
        (Laplacian("auto"), {"gamma": "auto"}),
        (Polynomial(2), {"degree": 2, "gamma": 1.0, "coef0": 1.0}),
        (Sigmoid(0.1), {"gamma": 0.1, "coef0": 0.0}),
        (Constant(2.0), {"value": 2.0}),
        (Precomputed(), {"of": None}),
        (CallableKernel(dot), {"function": dot}),
        (Own(3.0), {"width": 3.0}),
        (Bare(), {}),
        (RBF(0.5) + Linear(), {"k1": RBF(0.5), "k1__gamma": 0.5, "k2": Linear()}),
        (RBF(0.5) * Own(), {"k1": RBF(0.5), "k1__gamma": 0.5, "k2": Own(), "k2__width": 1.0}),
        (2.0 * RBF(0.5), {"factor": 2.0, "kernel": RBF(0.5), "kernel__gamma": 0.5}),
        (
            (RBF(0.5) + Constant(1.0)) * Linear(),
            {
                "k1": RBF(0.5) + Constant(1.0),
                "k1__k1": RBF(0.5),
                "k1__k1__gamma": 0.5,
                "k1__k2": Constant(1.0),
                "k1__k2__value": 1.0,
                "k2": Linear(),
            },
        ),
    ],
    ids=plain,
)
def test_parameters_are_told_by_name_and_make_the_kernel_again(kernel, expected):
    assert kernel.get_params() == expected
    assert kernel.get_params(deep=False) == {name: value for name, value in expected.items() if "__" not in name}
    assert SVC(kernel=kernel).get_params().items() >= {f"kernel__{name}": v for name, v in expected.items()}.items()
    if expected:
        assert kernel.with_params(**expected) == kernel


def test_names_are_those_of_scikit_learns_kernels_of_processes():
    ours, theirs = RBF(0.5) + Constant(1.0), gp.RBF(1.0) + gp.ConstantKernel(1.0)
    assert {"k1", "k2"} <= set(ours.get_params(deep=False)) & set(theirs.get_params(deep=False))


def test_changed_parameters_make_a_new_kernel():
    kernel = (RBF(0.5) + Constant(1.0)) * (2.0 * Polynomial(2))
    other = kernel.with_params(k1__k1__gamma=3.0, k2__factor=5.0, k2__kernel__degree=4)
    assert other == (RBF(3.0) + Constant(1.0)) * (5.0 * Polynomial(4))
    assert kernel == (RBF(0.5) + Constant(1.0)) * (2.0 * Polynomial(2))
    assert kernel.with_params(k1=Laplacian(1.0), k1__gamma=2.0).left == Laplacian(2.0)


@pytest.mark.parametrize("wrong", ["width", "gamma__x", "k1", "k1__gamma"])
def test_unknown_parameter_is_told_the_known_ones(wrong):
    with pytest.raises(ParameterError, match=rf"Invalid parameter '{wrong}'.*expected some of \['gamma'\]"):
        RBF(0.5).with_params(**{wrong: 1.0})


def test_wrong_value_is_refused_as_in_the_kernel_itself():
    with pytest.raises(ParameterError, match="gamma"):
        RBF(0.5).with_params(gamma=-1.0)
    with pytest.raises(ParameterError, match="expected a kernel"):
        (RBF(0.5) + Linear()).with_params(k1="rbf", k1__gamma=1.0)


def test_kernel_is_not_changed_in_place_by_those_who_hold_it():
    """scikit-learn's SVC takes our kernels as functions, and would set their parameters in place."""
    kernel = RBF(0.5)
    with pytest.raises(ParameterError, match=r"with_params\(gamma=2.0\)"):
        sklearn.svm.SVC(kernel=kernel).set_params(kernel__gamma=2.0)
    assert kernel == RBF(0.5)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_estimator_sets_parameters_of_its_kernel_and_leaves_the_kernel_to_others(kind):
    kernel = RBF(0.5) + 2.0 * Linear()
    one, two = kind(kernel=kernel), kind(kernel=kernel)
    assert one.set_params(kernel__k1__gamma=3.0, kernel__k2__factor=4.0) is one
    assert one.kernel == RBF(3.0) + 4.0 * Linear()
    assert two.kernel is kernel
    assert kernel == RBF(0.5) + 2.0 * Linear()
    copy = clone(one)
    assert copy.kernel == one.kernel
    assert copy.get_params()["kernel__k1__gamma"] == 3.0
    assert one.set_params(kernel=Laplacian(1.0), kernel__gamma=0.1).kernel == Laplacian(0.1)
    with pytest.raises(ParameterError, match="Invalid parameter 'width'"):
        one.set_params(kernel__width=1.0)
    with pytest.raises(ValueError, match="nonsense"):
        one.set_params(nonsense=1)


def test_every_estimator_with_a_kernel_is_among_these():
    import mercer.tune

    everything = [getattr(mercer, name) for name in mercer.__all__ if name not in mercer.tune.__all__]
    public = [value for value in everything if inspect.isclass(value) and hasattr(value, "fit")]
    assert {*ESTIMATORS, *OF_WINDOWS} == {kind for kind in public if "kernel" in inspect.signature(kind).parameters}


@pytest.mark.parametrize("kernel", ["rbf", dot])
def test_parameters_of_a_name_or_a_function_are_refused(kernel):
    model = SVC(kernel=kernel)
    with pytest.raises(ParameterError, match=r"kernel__gamma: expected kernel to be an object.*RBF\(1.0\)"):
        model.set_params(kernel__gamma=1.0)
    assert model.get_params() == SVC(kernel=kernel).get_params()


def test_kernel_of_another_library_is_set_as_that_does_it():
    model = SVC(kernel=gp.RBF(1.0)).set_params(kernel__length_scale=2.0)
    assert model.kernel.length_scale == 2.0


def test_search_over_a_parameter_is_the_search_over_the_kernels():
    X, y = load_iris(return_X_y=True)
    gammas = [0.001, 0.1, 10.0]
    by_name = GridSearchCV(SVC(kernel=RBF(1.0)), {"kernel__gamma": gammas}, cv=3).fit(X, y)
    theirs = GridSearchCV(sklearn.svm.SVC(), {"gamma": gammas}, cv=3).fit(X, y)
    assert by_name.best_params_["kernel__gamma"] == theirs.best_params_["gamma"]
    np.testing.assert_allclose(by_name.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert len(set(by_name.cv_results_["mean_test_score"])) > 1
    assert by_name.estimator.kernel == RBF(1.0)


def test_search_reaches_a_part_of_the_kernel_through_a_pipeline():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), SVC(kernel=RBF(1.0) + Linear()))
    search = GridSearchCV(model, {"standardscaler__with_mean": [True], "svc__kernel__k1__gamma": [0.01, 50.0]}, cv=3)
    best = search.fit(X, y).best_estimator_[-1]
    gamma = search.best_params_["svc__kernel__k1__gamma"]
    assert best.kernel_ == RBF(gamma) + Linear()
    scaled = StandardScaler().fit_transform(X)
    expected = twin.gram(twin.total(twin.rbf(gamma), twin.linear()), scaled[:20])
    np.testing.assert_allclose(best.kernel_(scaled[:20]), expected, rtol=1e-12, atol=1e-12)


def test_kernel_is_shown_in_the_picture_of_an_estimator():
    assert "RBF" in SVC(kernel=RBF(0.5) + Linear())._repr_html_()
