"""The perceptron has scikit-learn's parameters with scikit-learn's meaning, through weights and through a kernel."""

import inspect
import logging
import pickle
import warnings

import numpy as np
import pytest
import sklearn.linear_model
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.linear_model import Perceptron as Theirs
from sklearn.preprocessing import scale

from mercer import InputError, Linear, ParameterError, Perceptron, SGDClassifier, Status, UnsolvedWarning

# Two ways to sum the same float64 numbers.
ORDER_OF_SUMS = 1e-9
OWN = {"kernel", "degree", "gamma", "coef0", "time_limit", "callback"}


@pytest.fixture(scope="module", params=[2, 3], ids=["two classes", "three classes"])
def iris(request):
    """Whole numbers, so that no rounding decides of a mistake; of the last two classes, which no plane separates."""
    X, y = load_iris(return_X_y=True)
    chosen = y >= 3 - request.param
    return np.rint(10 * X[chosen]), y[chosen]


def quietly(model, *arguments, **others):
    """Fitted, without what it says of rows that nothing separates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        warnings.simplefilter("ignore", sklearn.exceptions.ConvergenceWarning)
        return model.fit(*arguments, **others)


def assert_same(ours, theirs):
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=ORDER_OF_SUMS * np.abs(theirs.coef_).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=ORDER_OF_SUMS)


def test_signatures_are_scikit_learns_with_their_defaults():
    ours, theirs = inspect.signature(Perceptron).parameters, inspect.signature(Theirs).parameters
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default, name
        assert ours[name].kind is parameter.kind, name
    assert set(ours) == {*theirs, *OWN}
    for method in ("fit", "partial_fit"):
        own, other = (list(inspect.signature(getattr(kind, method)).parameters) for kind in (Perceptron, Theirs))
        assert own == other


WAYS = {
    "defaults": {},
    "all passes": {"tol": None, "max_iter": 7},
    "coarse": {"tol": 0.5, "n_iter_no_change": 2},
    "eta0": {"eta0": 0.3},
    "no intercept": {"fit_intercept": False},
    "l2": {"penalty": "l2", "alpha": 0.01},
    # tol judges by losses as they are weighed; scikit-learn's does not weigh them.
    "class weights": {"class_weight": {1: 3.0, 2: 0.5}, "tol": None, "max_iter": 7},
    "balanced": {"class_weight": "balanced"},
    "one thread": {"n_jobs": 1},
}


@pytest.mark.parametrize("way", WAYS)
def test_machine_in_the_order_of_the_rows_is_scikit_learns(iris, way):
    parameters = {"shuffle": False, **WAYS[way]}
    ours, theirs = quietly(Perceptron(**parameters), *iris), quietly(Theirs(**parameters), *iris)
    assert_same(ours, theirs)
    # Only a pass without a mistake ends ours sooner, and nothing would change after it.
    assert ours.n_iter_ <= theirs.n_iter_
    if way == "coarse" and ours.status_ is Status.STEADY:
        assert ours.n_iter_ == theirs.n_iter_
    assert ours.t_ <= theirs.t_


def test_start_weights_and_weights_of_rows_are_scikit_learns(iris):
    X, y = iris
    weights = np.where(np.arange(len(y)) % 2, 1.5, 0.5)  # of mean one
    first = Theirs(shuffle=False, max_iter=3, tol=None).fit(X, y)
    start = {"coef_init": first.coef_.copy(), "intercept_init": first.intercept_.copy(), "sample_weight": weights}
    way = {"shuffle": False, "max_iter": 3, "tol": None}
    assert_same(quietly(Perceptron(**way), X, y, **start), Theirs(**way).fit(X, y, **start))
    warm = quietly(Perceptron(**way, warm_start=True), X, y)
    assert_same(quietly(warm, X, y), Theirs(**way, warm_start=True).fit(X, y).fit(X, y))


def test_pieces_are_scikit_learns(iris):
    X, y = iris
    order = np.random.default_rng(0).permutation(len(y))
    ours, theirs = Perceptron(shuffle=False), Theirs(shuffle=False)
    for piece in np.array_split(order, 4):
        ours.partial_fit(X[piece], y[piece], classes=np.unique(y))
        theirs.partial_fit(X[piece], y[piece], classes=np.unique(y))
        assert_same(ours, theirs)
    assert ours.t_ == theirs.t_
    assert ours.status_ is Status.PASSES_DONE
    assert not hasattr(ours, "separated_")
    other = pickle.loads(pickle.dumps(ours)).partial_fit(X, y)
    np.testing.assert_array_equal(ours.partial_fit(X, y).coef_, other.coef_)


def test_defaults_are_as_good_as_scikit_learns():
    X, y = load_digits(return_X_y=True)
    ours, theirs = Perceptron().fit(X, y), Theirs().fit(X, y)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.03)
    early = Perceptron(early_stopping=True, validation_fraction=0.2, n_iter_no_change=3).fit(X, y)
    assert early.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.04)
    assert early.t_ - 1 <= early.n_iter_ * 0.8 * len(y) + 1
    for model in (ours, theirs):
        np.testing.assert_array_equal(model.predict(X), model.classes_[model.decision_function(X).argmax(axis=1)])


@pytest.mark.parametrize("labels", [2, 3])
def test_planes_of_overlapping_classes_are_as_good_as_scikit_learns_whatever_the_order(labels):
    X, y = make_blobs(n_samples=300, random_state=0)
    X, y = scale(X[y < labels]), y[y < labels]
    ours, theirs = (
        [kind(random_state=seed).fit(X, y).score(X, y) for seed in range(40)] for kind in (Perceptron, Theirs)
    )
    assert np.median(ours) > 0.83
    assert np.median(ours) == pytest.approx(np.median(theirs), abs=0.02)


def test_perceptron_is_the_descent_of_its_loss(iris):
    X, y = iris
    model = Perceptron(random_state=3).fit(X, y)
    descent = SGDClassifier("perceptron", learning_rate="constant", eta0=1.0, penalty=None, random_state=3).fit(X, y)
    np.testing.assert_array_equal(model.coef_, descent.coef_)
    np.testing.assert_array_equal(model.objective_, descent.objective_)


def test_default_tolerance_ends_in_silence_where_nothing_separates(iris):
    X, y = iris
    for kernel in ("linear", Linear()):
        model = Perceptron(kernel).fit(X, y)
        assert model.status_ is Status.STEADY
        assert not model.separated_
        assert 5 < model.n_iter_ < 1000


def test_penalty_makes_no_pass_the_last():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    plain, priced = Perceptron(tol=None, max_iter=50).fit(X, y), Perceptron(penalty="l2", tol=None, max_iter=50)
    assert plain.status_ is Status.SEPARATED
    assert plain.n_iter_ < 50
    assert priced.fit(X, y).status_ is Status.PASSES_DONE
    assert priced.n_iter_ == 50
    assert priced.separated_ == (priced.score(X, y) == 1.0)
    sparse = Perceptron(penalty="l1", alpha=0.1, tol=None, max_iter=50).fit(X, y)
    assert np.count_nonzero(sparse.coef_) < np.count_nonzero(plain.coef_)


# ---------------------------------------------------------------- through a kernel

KERNEL_WAYS = {
    **{name: way for name, way in WAYS.items() if "penalty" not in way},
    "held out": {"early_stopping": True, "validation_fraction": 0.25, "n_iter_no_change": 3},
    "in order": {"shuffle": False},
    "another seed": {"random_state": 7},
}


@pytest.mark.parametrize("way", KERNEL_WAYS)
def test_kernel_means_the_same_by_every_parameter(iris, way):
    X, y = iris
    # Halves and quarters have no rounding either.
    weights = np.where(np.arange(len(y)) % 2, 1.5, 0.5)
    parameters = {"max_iter": 40, **KERNEL_WAYS[way]}
    if way == "eta0":
        parameters["eta0"] = 0.25
    if way == "balanced" and len(np.unique(y)) == 3:
        parameters["max_iter"] = 3  # thirds are rounded
    primal, kernelised = (
        quietly(Perceptron(kernel, **parameters), X, y, sample_weight=None if "held" in way else weights)
        for kernel in ("linear", Linear())
    )
    np.testing.assert_array_equal(primal.n_mistakes_, kernelised.n_mistakes_)
    coef = kernelised.dual_coef_ @ kernelised.support_vectors_
    np.testing.assert_allclose(coef, primal.coef_, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(primal.intercept_, kernelised.intercept_, rtol=1e-12)
    np.testing.assert_allclose(primal.objective_, kernelised.objective_, rtol=1e-9, atol=1e-12)
    assert (primal.n_iter_, primal.t_, primal.status_) == (kernelised.n_iter_, kernelised.t_, kernelised.status_)
    assert primal.separated_ == kernelised.separated_


def test_warm_start_goes_on_where_it_was_with_a_kernel_too(iris):
    X, y = iris
    way = {"shuffle": False, "tol": None, "warm_start": True}
    both = [Perceptron(kernel, max_iter=3, **way) for kernel in ("linear", Linear())]
    for _ in range(3):
        primal, kernelised = (quietly(model, X, y) for model in both)
        np.testing.assert_allclose(kernelised.dual_coef_ @ kernelised.support_vectors_, primal.coef_, rtol=1e-12)
    whole = quietly(Perceptron(Linear(), shuffle=False, tol=None, max_iter=9), X, y)
    np.testing.assert_array_equal(whole.dual_coef_, kernelised.dual_coef_)
    # Other labels and other numbers of rows are a cold start.
    other = quietly(clone(kernelised), X, y + 5)
    np.testing.assert_array_equal(quietly(kernelised, X, y + 5).dual_coef_, other.dual_coef_)
    fewer = quietly(clone(kernelised), X[1:], y[1:])
    np.testing.assert_array_equal(quietly(kernelised, X[1:], y[1:]).dual_coef_, fewer.dual_coef_)


@pytest.mark.parametrize("name", ["penalty", "alpha", "l1_ratio"])
def test_what_a_kernel_cannot_have_is_refused(iris, name):
    X, y = iris
    value = {"penalty": "l2", "alpha": 0.1, "l1_ratio": 0.5}[name]
    with pytest.raises(ParameterError, match=rf"{name} is a matter of weights: expected .*kernel='rbf'"):
        Perceptron("rbf", **{name: value}).fit(X, y)
    quietly(Perceptron(max_iter=2, **{name: value}), X, y)


def test_weights_to_start_from_and_pieces_are_refused_with_a_kernel(iris):
    X, y = iris
    with pytest.raises(ParameterError, match="coef_init and intercept_init are weights"):
        Perceptron("rbf").fit(X, y, coef_init=np.zeros((1, 4)))
    assert hasattr(Perceptron(), "partial_fit")
    assert not hasattr(Perceptron("rbf"), "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit") as told:
        Perceptron("rbf").partial_fit(X, y, classes=np.unique(y))
    assert "expected kernel='linear'" in str(told.value.__cause__)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"max_iter": 0}, "max_iter: expected an integer ≥ 1"),
        ({"tol": -1.0}, "tol: expected"),
        ({"eta0": 0.0}, "eta0: expected"),
        ({"n_iter_no_change": 0}, "n_iter_no_change: expected"),
        ({"validation_fraction": 1.0}, "validation_fraction: expected"),
        ({"early_stopping": "yes"}, "early_stopping: expected"),
        ({"fit_intercept": "yes"}, "fit_intercept: expected"),
        ({"class_weight": "even"}, "class_weight: expected"),
        ({"n_jobs": 0}, "n_jobs: expected"),
        ({"time_limit": 0}, "time_limit: expected"),
        ({"callback": 3}, "callback: expected"),
    ],
)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_bad_parameter_is_refused_by_name(iris, kernel, bad, message):
    with pytest.raises(ParameterError, match=message):
        Perceptron(kernel, **bad).fit(*iris)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_verbose_writes_to_the_log(iris, kernel, caplog):
    with caplog.at_level(logging.INFO, logger="mercer"):
        Perceptron(kernel, verbose=True).fit(*iris)
    assert "passes" in caplog.text


def test_weights_that_overflow_in_a_piece_spare_the_earlier_ones():
    X, y = np.array([[1.0], [-1.0]]), [1, 0]
    model = Perceptron().partial_fit(X, y, classes=[0, 1])
    before = model.coef_
    with pytest.raises(InputError, match="overflow"):
        model.partial_fit(np.array([[1e308], [1.1e308], [1.7e308], [-1.7e308]]), [0, 1, 0, 1])
    np.testing.assert_array_equal(model.coef_, before)
