"""The transformer: names, sparse rows, pipelines, what it learns from data and what it refuses."""

import math
import pickle
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    RBF,
    CallableKernel,
    FeatureMap,
    InputError,
    KernelError,
    Laplacian,
    Linear,
    ParameterError,
    Polynomial,
    Precomputed,
    Sigmoid,
)

# Names tell numbers to six digits.
OF_NAMES = 1e-5

MAPS = [
    FeatureMap(),
    FeatureMap(Polynomial(3, 0.3, 0.7)),
    FeatureMap(2 * Linear() * Polynomial(2, "scale") + 3),
    FeatureMap(RBF(0.37) + Linear() * RBF("auto"), degree=3),
]
MAP = pytest.mark.parametrize("phi", MAPS, ids=lambda phi: str(phi.kernel))


@pytest.fixture
def X(random):
    return random.normal(size=(8, 3))


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("kernel", "names"),
    [
        (Linear(), ["x0", "x1"]),
        (Polynomial(2, coef0=0), ["x0^2", "√2 x0 x1", "x1^2"]),
        (Polynomial(2), ["1", "√2 x0", "√2 x1", "x0^2", "√2 x0 x1", "x1^2"]),
        (Polynomial(1, 0.25, 2.0), ["√2", "0.5 x0", "0.5 x1"]),
        (Polynomial(2, 1 / 3, 0.0), ["0.333333 x0^2", "0.471405 x0 x1", "0.333333 x1^2"]),
        (4 * Linear() + 9, ["2 x0", "2 x1", "3"]),
        (Linear() * Linear(), ["x0^2", "x0 x1", "x0 x1", "x1^2"]),
        (Polynomial(0), ["1"]),
        (Linear() + 0.0, ["x0", "x1", "0"]),
    ],
)
def test_names_are_those_of_the_textbook(kernel, names):
    assert kernel.feature_map(2).get_feature_names_out().tolist() == names


def test_names_of_rbf_show_what_damps_the_monomials():
    names = RBF(0.5).feature_map(1, degree=2).get_feature_names_out().tolist()
    assert names == ["exp(-0.5‖x‖²)", "exp(-0.5‖x‖²) x0", "√0.5 exp(-0.5‖x‖²) x0^2"]


@MAP
def test_name_is_the_feature(phi, X):
    phi = clone(phi).fit(X)
    for name, column in zip(phi.get_feature_names_out(), phi.transform(X).T, strict=True):
        formula = re.sub(r"√([\d.e+-]+)", r"sqrt(\1)", name).replace("‖x‖²", "*r2").replace("^", "**").replace(" ", "*")
        for x, value in zip(X, column, strict=True):
            known = {f"x{j}": x[j] for j in range(3)} | {"r2": x @ x, "sqrt": math.sqrt, "exp": math.exp}
            assert eval(formula, known) == pytest.approx(value, rel=OF_NAMES, abs=OF_NAMES)


def test_names_are_made_of_those_of_the_columns(X):
    frame = pd.DataFrame(X, columns=["height", "weight", "age"])
    phi = Polynomial(2, coef0=0).feature_map(3).fit(frame)
    assert phi.get_feature_names_out()[1] == "√2 height weight"
    assert list(phi.set_output(transform="pandas").transform(frame).columns) == list(phi.get_feature_names_out())
    with pytest.raises(ValueError, match="input_features"):
        phi.get_feature_names_out(["a", "b", "c"])


def test_names_may_be_given_where_data_had_none(X):
    phi = Polynomial(2, coef0=0).feature_map(3).fit(X)
    assert phi.get_feature_names_out(["a", "b", "c"])[1] == "√2 a b"
    with pytest.raises(ValueError, match="number of features"):
        phi.get_feature_names_out(["a", "b"])


# ---------------------------------------------------------------- rows


@MAP
def test_sparse_rows_have_the_features_of_dense_ones(phi, X):
    X[np.abs(X) < 0.5] = 0
    dense, sparse = clone(phi).fit(X), clone(phi).fit(sp.csr_matrix(X))
    mapped = sparse.transform(sp.csr_array(X))
    mapped = mapped.toarray() if sp.issparse(mapped) else mapped
    np.testing.assert_allclose(mapped, dense.transform(X), rtol=1e-14)
    np.testing.assert_allclose(sparse.error_bound(sp.csr_matrix(X)), dense.error_bound(X), rtol=1e-12)


@pytest.mark.parametrize("kernel", [Linear(), 4 * Linear(), Linear() + 2 * Linear() + 1, Polynomial(1, 0.5, 2.0)])
def test_sparse_rows_stay_sparse_where_no_variables_are_multiplied(kernel):
    X = sp.random(20, 5000, density=0.01, format="csr", random_state=0)
    mapped = kernel.feature_map(5000).transform(X)
    assert sp.issparse(mapped)
    assert mapped.has_canonical_format
    np.testing.assert_allclose((mapped @ mapped.T).toarray(), kernel(X), rtol=1e-12, atol=1e-12)


def test_linear_map_leaves_rows_as_they_are(X):
    np.testing.assert_array_equal(Linear().feature_map(3).transform(X), X)


def test_map_is_of_float64_whatever_the_rows_are(X):
    mapped = Polynomial(2).feature_map(3).transform(X.astype(np.float32))
    assert mapped.dtype == np.float64
    integers = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(Polynomial(2).feature_map(3).transform(integers)[:, 4], [0, 9])


# ---------------------------------------------------------------- fit


@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_gamma_is_learned_from_the_training_rows(gamma, X):
    phi = RBF(gamma).feature_map(3, degree=3)
    with pytest.raises(NotFittedError):
        phi.transform(X)
    phi.fit(X)
    number = {"scale": 1 / (3 * X.var()), "auto": 1 / 3}[gamma]
    assert phi.kernel_.gamma == pytest.approx(number)
    assert phi.kernel == RBF(gamma)
    np.testing.assert_allclose(phi.transform(2 * X), RBF(number).feature_map(3, degree=3).transform(2 * X))


def test_map_is_ready_where_nothing_has_to_be_learned(X):
    assert Polynomial(2).feature_map(3).transform(X).shape == (8, 10)
    with pytest.raises(NotFittedError):
        Polynomial(2).feature_map().transform(X)
    with pytest.raises(NotFittedError):
        clone(Polynomial(2).feature_map(3)).get_feature_names_out()


@MAP
def test_map_survives_cloning_and_pickling(phi, X):
    fitted = clone(phi).fit(X)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.transform(X), fitted.transform(X))
    assert clone(fitted).get_params() == fitted.get_params()


def test_map_is_tuned_within_a_pipeline(X):
    pipe = make_pipeline(StandardScaler(), RBF().feature_map(degree=2))
    assert pipe.fit_transform(X).shape == (8, 10)
    pipe.set_params(featuremap__degree=3, featuremap__kernel=RBF(0.1))
    assert pipe.fit_transform(X).shape == (8, 20)
    assert pipe.get_feature_names_out()[1] == "√0.2 exp(-0.1‖x‖²) x0"


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("degree", [None, 3])
@pytest.mark.parametrize(
    "kernel",
    [
        Laplacian(1.0),
        Sigmoid(),
        Precomputed(),
        CallableKernel(lambda X, Z: X @ Z.T),
        Polynomial(2, 1.0, -1.0),
        RBF() + Laplacian(),
        2 * (Linear() * Sigmoid(1.0)),
    ],
)
def test_kernel_without_a_map_says_which_have_one(kernel, degree, X):
    message = "no finite feature map: expected a linear, .* RBF cut at a degree"
    with pytest.raises(KernelError, match=message):
        kernel.feature_map(3, degree=degree)
    with pytest.raises(KernelError, match=message):
        FeatureMap(kernel, degree=degree).fit(X)


@pytest.mark.parametrize("kernel", [RBF(), RBF(1.0), 2 * (RBF(1.0) + Polynomial(2))])
def test_rbf_without_a_degree_asks_for_one(kernel, X):
    with pytest.raises(KernelError, match="expected a degree to cut it at"):
        kernel.feature_map(3)
    with pytest.raises(KernelError, match="expected a degree to cut it at"):
        FeatureMap(kernel).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "poly"}, "kernel: expected a kernel object"),
        ({"n_features": 0}, "n_features: expected an integer ≥ 1, got 0"),
        ({"n_features": 2.0}, "n_features: expected an integer"),
        ({"kernel": RBF(1.0), "degree": -1}, "degree: expected an integer ≥ 0"),
        ({"kernel": RBF(1.0), "degree": True}, "degree: expected an integer ≥ 0"),
        ({"kernel": RBF(1.0), "degree": 171}, "degree: expected at most 170"),
        ({"kernel": Polynomial(2), "degree": 2}, "degree: expected None"),
        ({"max_features": None}, "max_features: expected an integer ≥ 1"),
    ],
)
def test_wrong_parameter_is_refused_before_and_in_fit(parameters, message, X):
    with pytest.raises(ParameterError, match=message):
        FeatureMap(**parameters).prepared()
    with pytest.raises(ParameterError, match=message):
        FeatureMap(**parameters).fit(X)


def test_map_of_too_many_features_is_refused_at_once(X):
    with pytest.raises(ParameterError, match="expected a map of at most 100000 features, got one of 176851"):
        Polynomial(3).feature_map(100)
    with pytest.raises(ParameterError, match="at most 9 features, got one of 10"):
        FeatureMap(Polynomial(2), max_features=9).fit(X)
    assert Polynomial(2).feature_map(3, max_features=10).n_features_out_ == 10
    # No more features than there were.
    assert Linear().feature_map(200_000).n_features_out_ == 200_000


def test_rows_of_another_width_are_refused(X):
    with pytest.raises(InputError, match="expected 2 features, as n_features says, got 3"):
        Polynomial(2).feature_map(2).fit(X)
    with pytest.raises(ValueError, match="expecting 2 features"):
        Polynomial(2).feature_map(2).transform(X)


@pytest.mark.parametrize("wrong", [np.array([[0.0, np.nan]]), np.array([[0.0, np.inf]]), np.zeros((0, 2)), np.zeros(2)])
def test_rows_that_are_no_numbers_are_refused(wrong):
    phi = Polynomial(2).feature_map(2)
    for method in (phi.fit, phi.transform, phi.error_bound):
        with pytest.raises(ValueError, match=r"NaN|infinity|minimum of 1|2D array"):
            method(wrong)


def test_features_that_overflow_are_an_error():
    with pytest.raises(KernelError, match="overflow"):
        Polynomial(3).feature_map(2).transform([[1e200, 1.0]])
