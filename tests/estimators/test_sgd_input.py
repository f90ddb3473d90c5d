"""What stochastic gradient descent takes and refuses, and what it predicts; every refusal says what was expected."""

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from scipy.special import softmax
from sklearn.exceptions import NotFittedError
from sklearn.linear_model._base import LinearClassifierMixin

from mercer import InputError, ParameterError, SGDClassifier, SGDRegressor

N, D = 90, 4
BOTH = pytest.mark.parametrize("kind", [SGDClassifier, SGDRegressor])


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D))
    return X, (X[:, 0] + 0.5 * rng.standard_normal(N) > 0).astype(int)


BAD_PARAMETERS = {
    "loss unknown": ({"loss": "hing"}, r"loss: expected one of 'hinge'.*got 'hing'"),
    "penalty unknown": ({"penalty": "l3"}, r"penalty: expected one of 'l2', 'l1', 'elasticnet' or None, got 'l3'"),
    "alpha negative": ({"alpha": -1.0}, r"alpha: expected a finite number ≥ 0, got -1"),
    "alpha zero with the optimal rate": ({"alpha": 0.0}, r"alpha must be > 0.*optimal.*Choose another learning_rate"),
    "l1_ratio above one": ({"l1_ratio": 1.5}, r"l1_ratio: expected a number in \[0, 1\], got 1.5"),
    "l1_ratio None where it is needed": ({"l1_ratio": None, "penalty": "elasticnet"}, r"l1_ratio.*got None"),
    "max_iter zero": ({"max_iter": 0}, r"max_iter: expected an integer ≥ 1, got 0"),
    "tol negative": ({"tol": -1e-3}, r"tol: expected a finite number ≥ 0, got -0.001"),
    "epsilon negative": ({"epsilon": -0.1}, r"epsilon: expected a finite number ≥ 0"),
    "learning_rate unknown": ({"learning_rate": "fast"}, r"learning_rate: expected one of .*'optimal'.*got 'fast'"),
    "eta0 zero": ({"eta0": 0.0}, r"eta0: expected a finite number > 0, got 0"),
    "power_t negative": ({"power_t": -0.5}, r"power_t: expected a finite number ≥ 0, got -0.5"),
    "validation_fraction one": ({"validation_fraction": 1.0}, r"validation_fraction: expected a number in \(0, 1\)"),
    "n_iter_no_change zero": ({"n_iter_no_change": 0}, r"n_iter_no_change: expected an integer ≥ 1"),
    "average zero": ({"average": 0}, r"average: expected an integer ≥ 1, got 0"),
    "average fractional": ({"average": 0.5}, r"average: expected an integer ≥ 1, got 0.5"),
    "batch_size zero": ({"batch_size": 0}, r"batch_size: expected an integer ≥ 1, got 0"),
    "batch_size a word": ({"batch_size": "auto"}, r"batch_size: expected an integer ≥ 1, got 'auto'"),
    "time_limit negative": ({"time_limit": -1}, r"time_limit: expected a finite number > 0"),
    "n_jobs zero": ({"n_jobs": 0}, r"n_jobs: expected None or an integer other than 0"),
    "callback no callable": ({"callback": 1}, r"callback: expected a callable or None, got 1"),
    "shuffle a word": ({"shuffle": "yes"}, r"shuffle: expected True or False, got 'yes'"),
    "class_weight a wrong name": ({"class_weight": "balance"}, r"class_weight: expected.*'balanced'"),
    "random_state a word": ({"random_state": "x"}, r"'x'"),
}


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameter_is_refused_by_name(points, name):
    parameters, message = BAD_PARAMETERS[name]
    with pytest.raises(ValueError, match=f"(?s){message}"):
        SGDClassifier(**parameters).fit(*points)


def test_loss_of_margins_is_refused_in_regression(points):
    with pytest.raises(ParameterError, match=r"'squared_error', 'huber', 'epsilon_insensitive'.*got 'hinge'"):
        SGDRegressor(loss="hinge").fit(*points)


BAD_DATA = {
    "NaN": (lambda X, y: (np.where(X > 2, np.nan, X), y), "NaN"),
    "sparse infinity": (lambda X, y: (sp.csr_matrix(np.where(X > 1, np.inf, X)), y), "infinity"),
    "no rows": (lambda X, y: (X[:0], y[:0]), "0 sample"),
    "labels of another length": (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
    "one class": (lambda X, y: (X, np.zeros(N)), "greater than one; got 1"),
    "real targets": (lambda X, y: (X, X[:, 0]), "continuous"),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_are_refused_with_what_came(points, name):
    build, message = BAD_DATA[name]
    with pytest.raises(ValueError, match=message):
        SGDClassifier().fit(*build(*points))


@BOTH
@pytest.mark.parametrize(
    ("weights", "message"),
    [(-np.ones(N), "zero or negative"), (np.zeros(N), "zero or negative"), (np.ones(N - 1), r"expected \(90,\)")],
)
def test_bad_weights_are_refused(points, kind, weights, message):
    with pytest.raises(InputError, match=message):
        kind().fit(*points, sample_weight=weights)


@BOTH
@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({"coef_init": np.zeros(3)}, r"coef_init: expected finite numbers of shape \(1, 4\), got \(3,\)"),
        ({"coef_init": np.full(4, np.nan)}, "coef_init: expected finite numbers"),
        ({"coef_init": "zero"}, "coef_init: expected numbers"),
        ({"intercept_init": [0.0, 1.0]}, r"intercept_init: expected finite numbers of shape \(1,\)"),
    ],
)
def test_bad_start_is_refused(points, kind, start, message):
    with pytest.raises(InputError, match=message):
        kind().fit(*points, **start)


def test_partial_fit_asks_for_the_classes_once_and_keeps_to_them(points):
    X, y = points
    with pytest.raises(InputError, match="classes must be passed on the first call"):
        SGDClassifier().partial_fit(X, y)
    with pytest.raises(InputError, match="greater than one; got 1"):
        SGDClassifier().partial_fit(X, y, classes=[1])
    model = SGDClassifier(alpha=0.1).partial_fit(X[:1], y[:1], classes=[0, 1])  # not all of them need to be there
    with pytest.raises(InputError, match=r"is not the same as on last call.*\[0, 1\]"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(InputError, match=r"labels among \[0, 1\].*got \[7\]"):
        model.partial_fit(X, np.where(y == 1, 7, y))
    with pytest.raises(ValueError, match=r"3 features.*expecting 4"):
        model.partial_fit(X[:, :3], y)
    before = model.coef_
    assert model.partial_fit(X, y).coef_ is not before


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"early_stopping": True}, "early_stopping: expected False in partial_fit"),
        ({"class_weight": "balanced"}, "dict or None"),
    ],
)
def test_partial_fit_refuses_what_needs_all_rows(points, parameters, message):
    with pytest.raises(ParameterError, match=message):
        SGDClassifier(**parameters).partial_fit(*points, classes=[0, 1])


def test_partial_fit_refuses_a_loss_of_other_functions(points):
    X, _ = points
    y = np.arange(N) % 3
    model = SGDClassifier("log_loss", alpha=0.1).partial_fit(X, y, classes=range(3)).set_params(loss="softmax")
    with pytest.raises(ParameterError, match="learns other functions"):
        model.partial_fit(X, y)


@BOTH
def test_early_stopping_with_too_few_rows_is_refused(points, kind):
    X, _ = points
    with pytest.raises(InputError, match=r"early_stopping: expected rows.*validation_fraction"):
        kind(early_stopping=True).fit(X[:4], [0, 1, 0, 1])


@BOTH
def test_unfitted_model_says_so(points, kind):
    with pytest.raises(NotFittedError):
        kind().predict(points[0])


@BOTH
def test_every_parameter_of_scikit_learn_is_taken_with_its_default(kind):
    twin = getattr(sklearn.linear_model, kind.__name__)
    ours, theirs = inspect.signature(kind).parameters, inspect.signature(twin).parameters
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default, name
        assert ours[name].kind is parameter.kind, name
    assert list(inspect.signature(kind.fit).parameters) == list(inspect.signature(twin.fit).parameters)
    assert list(inspect.signature(kind.partial_fit).parameters) == list(inspect.signature(twin.partial_fit).parameters)


@pytest.mark.parametrize("classes", [2, 3])
def test_every_fitted_attribute_of_scikit_learn_exists_with_its_shape_and_kind(points, classes):
    X, _ = points
    y = np.array(["a", "b", "c"])[np.arange(N) % classes]
    for ours, theirs, targets in [
        (SGDClassifier(alpha=1.0), sklearn.linear_model.SGDClassifier(alpha=1.0), y),
        (SGDRegressor(), sklearn.linear_model.SGDRegressor(), X[:, 0]),
    ]:
        ours.fit(X, targets)
        theirs.fit(X, targets)
        for name in [name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")]:
            mine, other = np.asarray(getattr(ours, name)), np.asarray(getattr(theirs, name))
            assert mine.shape == other.shape, name
            assert mine.dtype.kind == other.dtype.kind, name
        for name in ("coef_", "intercept_"):
            assert not getattr(ours, name).flags.writeable


def test_names_of_features_are_learned_and_kept(points):
    X, y = points
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = SGDClassifier(alpha=0.1).fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("dcba")])


def test_values_and_labels_are_those_of_the_weights(points):
    X, y = points
    model = SGDClassifier(alpha=0.1, random_state=0).fit(X, y)
    values = X @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (values > 0).astype(int))
    np.testing.assert_allclose(model.decision_function(sp.csr_matrix(X.astype(np.float32))), values, atol=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_of_the_logistic_loss_are_scikit_learns(points, classes):
    X, _ = points
    model = SGDClassifier("log_loss", alpha=0.1, random_state=0).fit(
        X, np.digitize(X[:, 0], [-0.4, 0.4][: classes - 1])
    )
    expected = LinearClassifierMixin._predict_proba_lr(model, X)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(expected), atol=1e-9)


def test_probabilities_of_softmax_are_those_of_the_scores(points):
    X, _ = points
    model = SGDClassifier("softmax", alpha=0.1, random_state=0).fit(X, np.digitize(X[:, 0], [-0.4, 0.4]))
    np.testing.assert_allclose(model.predict_proba(X), softmax(model.decision_function(X), axis=1), atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("loss", ["log_loss", "softmax"])
def test_probabilities_far_out_are_finite_and_sum_to_one(points, loss, classes):
    X, _ = points
    model = SGDClassifier(loss, alpha=0.1, random_state=0).fit(X, np.digitize(X[:, 0], [-0.4, 0.4][: classes - 1]))
    shares = model.predict_proba(1e6 * X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert np.isfinite(model.predict_log_proba(1e6 * X)).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_of_the_modified_huber_loss_are_scikit_learns(points, classes):
    X, _ = points
    y = np.digitize(X[:, 0], [-0.4, 0.4][: classes - 1])
    model = SGDClassifier("modified_huber", alpha=0.1, learning_rate="adaptive", random_state=0).fit(X, y)
    theirs = sklearn.linear_model.SGDClassifier("modified_huber").fit(X, y)
    theirs.coef_, theirs.intercept_ = model.coef_.copy(), model.intercept_.copy()
    # Far out all classes of some rows have probability zero before they are made to sum to one.
    for factor in (1.0, 10.0):
        expected = theirs.predict_proba(factor * X)
        np.testing.assert_allclose(model.predict_proba(factor * X), expected, atol=1e-12)
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(model.predict_log_proba(factor * X), np.log(expected), atol=1e-9)


def test_rows_that_no_class_claims_have_equal_probabilities(points):
    X, _ = points
    model = SGDClassifier("modified_huber", alpha=0.1, learning_rate="adaptive", random_state=0)
    model.fit(X, np.digitize(X[:, 0], [-0.4, 0.4]))
    model.intercept_ = np.full(3, -1e6)
    np.testing.assert_array_equal(model.predict_proba(X), np.full((N, 3), 1 / 3))


def test_losses_are_all_of_scikit_learn_and_softmax():
    assert set(SGDClassifier._loss_names) == {*sklearn.linear_model.SGDClassifier.loss_functions, "softmax"}
    assert set(SGDRegressor._loss_names) == set(sklearn.linear_model.SGDRegressor.loss_functions)


def test_loss_without_probabilities_has_no_such_method(points):
    model = SGDClassifier(alpha=0.1).fit(*points)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba") as told:
        model.predict_proba(points[0])
    assert "expected 'log_loss', 'modified_huber' or 'softmax'" in str(told.value.__cause__)
