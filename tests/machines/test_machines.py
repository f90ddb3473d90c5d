"""What machines of weights take, machines of other libraries, and the digits of precise ones.

What holds of every machine is in tests/contracts/test_all_machines.py.
"""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm
from sklearn.datasets import load_iris

from mercer import SVC, InputError, LinearSVC, LinearSVR
from mercer.machines import LinearMachine, SingleMachine, machine_from_arrays, machine_of_sklearn
from tests.contracts.machine_registry import ENTRIES

X, LABELS = load_iris(return_X_y=True)
NUMBERS = X[:, 3]


def linear_machine(functions=3, features=5, seed=0):
    random = np.random.default_rng(seed)
    return LinearMachine(random.normal(size=(functions, features)), random.normal(size=functions))


# ---------------------------------------------------------------- weights


def test_one_intercept_is_that_of_all_functions():
    machine = LinearMachine(np.ones((3, 2)), 0.5)
    np.testing.assert_array_equal(machine.intercept, [0.5, 0.5, 0.5])
    np.testing.assert_array_equal(machine.values(np.array([[1.0, 2.0]]), 1), [[3.5, 3.5, 3.5]])


def test_sparse_weights_are_those_laid_out():
    machine = linear_machine()
    sparse = LinearMachine(sp.csr_matrix(machine.weights), machine.intercept)
    np.testing.assert_array_equal(sparse.weights, machine.weights)
    assert isinstance(sparse.weights, np.ndarray)


def test_weights_of_integers_are_numbers():
    machine = LinearMachine([[1, 2]], [3])
    assert machine.weights.dtype == machine.intercept.dtype == np.float64
    assert machine.n_features == 2


# Beside those of the contract: what is no array.
WRONG_WEIGHTS = [[["a", "b"]], [[1.0, 2.0], [3.0]], [[1j, 2.0]], [[np.inf, 1.0]]]


@pytest.mark.parametrize("weights", WRONG_WEIGHTS, ids=str)
def test_lists_that_are_no_weights_are_refused(weights):
    with pytest.raises(InputError, match="weights: expected finite numbers"):
        LinearMachine(weights, 0.0)


@pytest.mark.parametrize("intercept", [[1.0, 2.0], [[1.0], [2.0], [3.0]], np.nan, "b", []], ids=str)
def test_intercepts_that_do_not_fit_are_refused(intercept):
    with pytest.raises(InputError, match="intercept: expected 3 finite numbers"):
        LinearMachine(np.ones((3, 2)), intercept)


@pytest.mark.parametrize("model", [LinearSVC(), svm.LinearSVC(), svm.LinearSVR(), LinearSVR()], ids=str)
def test_machine_of_a_linear_model_has_its_values(model):
    is_classifier = isinstance(model, (LinearSVC, svm.LinearSVC))
    model.fit(X, LABELS if is_classifier else NUMBERS)
    if isinstance(model, (svm.LinearSVC, svm.LinearSVR)):
        machine = machine_of_sklearn(model)
    else:
        machine = LinearMachine(np.atleast_2d(model.coef_), model.intercept_)
    expected = model.decision_function(X) if is_classifier else model.predict(X)[:, None]
    np.testing.assert_allclose(machine.values(X, 1), expected, atol=1e-12)


# ---------------------------------------------------------------- precise machines


def test_digits_are_those_of_a_precise_machine_only():
    (entry,) = [one for one in ENTRIES if one.name == "precise"]
    machine = entry.make().machine
    assert machine.low is not None
    with pytest.raises(InputError, match="low"):
        replace(machine, is_precise=False)


def fitted_arrays(**changed):
    machine = SVC(gamma=0.5).fit(X, LABELS)._machine
    return {**machine.arrays(), **changed}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"classes": np.array([0, 0, 1])}, "different labels in order"),
        ({"classes": np.array([2, 1, 0])}, "different labels in order"),
        ({"is_precise": "x"}, "`is_precise` to be True or False"),
        ({"kernel": {"kernel": "rbf", "gamma": "scale"}}, "parameters are numbers"),
        ({"kernel": {"kernel": "rbf", "gamma": [1.0, 2.0]}}, "one number for each of the 4 features"),
        ({"support_vectors.data": np.ones(1)}, "got both"),
    ],
)
def test_contents_that_no_fit_has_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        machine_from_arrays(fitted_arrays(**changed))


def test_repeated_support_is_refused():
    arrays = fitted_arrays()
    repeated = arrays["support"].copy()
    repeated[1] = repeated[0]
    with pytest.raises(InputError, match="different row numbers"):
        machine_from_arrays({**arrays, "support": repeated})


def test_machine_of_arrays_leaves_these_to_their_owner():
    arrays = {
        name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in fitted_arrays().items()
    }
    machine = machine_from_arrays(arrays)
    before = machine.values(X, 1)
    arrays["dual_coef"][:] = 0.0  # still writable
    np.testing.assert_array_equal(machine.values(X, 1), before)


def test_no_mapping_is_refused():
    with pytest.raises(InputError, match="by name, got list"):
        SingleMachine.from_arrays([1, 2])


def test_weights_of_a_machine_cannot_be_written():
    machine = linear_machine()
    with pytest.raises(ValueError, match="read-only"):
        machine.weights[0, 0] = 1.0
