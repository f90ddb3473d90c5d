"""Machines as values: functions of plain arrays, made again of these, and checked when they are made."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

from mercer import RBF, SVC, SVR, InputError, Linear, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM
from mercer.machines import (
    KernelMachine,
    LinearMachine,
    Machine,
    OneVsOneMachine,
    OneVsRestMachine,
    SingleMachine,
    machine_of_sklearn,
)

X, LABELS = load_iris(return_X_y=True)
NUMBERS = X[:, 3]
ROUNDING = 1e-13


def linear_machine(functions=3, features=5, seed=0):
    random = np.random.default_rng(seed)
    return LinearMachine(random.normal(size=(functions, features)), random.normal(size=functions))


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize("functions", [1, 3])
@pytest.mark.parametrize("threads", [None, 1, 2])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_values_of_weights_are_products_and_intercepts(form, threads, functions):
    machine = linear_machine(functions)
    random = np.random.default_rng(1)
    queries = random.normal(size=(200, 5)) * (random.random((200, 5)) < 0.4)
    expected = queries @ machine.weights.T + machine.intercept
    found = machine.values(form(queries), threads)
    assert found.shape == (200, functions)
    np.testing.assert_allclose(found, expected, rtol=ROUNDING, atol=ROUNDING)


def test_values_of_float32_rows_are_those_of_the_same_numbers():
    machine, queries = linear_machine(), np.random.default_rng(2).normal(size=(40, 5)).astype(np.float32)
    expected = queries.astype(np.float64) @ machine.weights.T + machine.intercept
    np.testing.assert_allclose(machine.values(queries, 1), expected, rtol=ROUNDING, atol=ROUNDING)
    np.testing.assert_allclose(machine.values(sp.csr_matrix(queries), 1), expected, rtol=ROUNDING, atol=ROUNDING)


def test_no_rows_have_no_values():
    assert linear_machine().values(np.empty((0, 5)), 1).shape == (0, 3)


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


@pytest.mark.parametrize("intercept", [np.array([0.1, -0.2, 0.3]), 0.0])
def test_weights_come_back_from_their_arrays(intercept):
    machine = LinearMachine(np.arange(6.0).reshape(3, 2), intercept)
    arrays = machine.arrays()
    assert set(arrays) == {"weights", "intercept"}
    again = LinearMachine.from_arrays(arrays)
    np.testing.assert_array_equal(again.weights, machine.weights)
    np.testing.assert_array_equal(again.intercept, machine.intercept)
    queries = np.random.default_rng(3).normal(size=(10, 2))
    np.testing.assert_array_equal(again.values(queries, 1), machine.values(queries, 1))


WRONG_WEIGHTS = [
    np.array([1.0, 2.0]),
    np.ones((1, 2, 2)),
    np.array([[1.0, np.nan]]),
    np.array([[np.inf, 1.0]]),
    [["a", "b"]],
    [[1.0, 2.0], [3.0]],
    [[1j, 2.0]],
    None,
]


@pytest.mark.parametrize("weights", WRONG_WEIGHTS, ids=str)
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(InputError, match="weights: expected finite numbers"):
        LinearMachine(weights, 0.0)
    with pytest.raises(InputError, match="weights: expected finite numbers"):
        LinearMachine.from_arrays({"weights": weights, "intercept": 0.0})


@pytest.mark.parametrize(
    "intercept", [[1.0, 2.0], [[1.0], [2.0], [3.0]], np.nan, [0.0, np.inf, 0.0], "b", None, []], ids=str
)
def test_intercepts_that_do_not_fit_are_refused(intercept):
    with pytest.raises(InputError, match="intercept: expected 3 finite numbers"):
        LinearMachine(np.ones((3, 2)), intercept)
    with pytest.raises(InputError, match="intercept: expected 3 finite numbers"):
        LinearMachine.from_arrays({"weights": np.ones((3, 2)), "intercept": intercept})


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_rows_of_other_features_are_refused(form):
    with pytest.raises(InputError, match="Expected rows of 5 features, as the machine was fitted on, got 4"):
        linear_machine().values(form(np.ones((2, 4))), 1)


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


# ---------------------------------------------------------------- support vectors


MODELS = {
    "one-vs-one": (SVC(kernel=RBF(0.5)), LABELS, OneVsOneMachine),
    "two classes": (SVC(kernel="linear"), LABELS > 0, OneVsOneMachine),
    "names": (SVC(kernel=RBF(0.5)), np.array(["a", "b", "c"])[LABELS], OneVsOneMachine),
    "one-vs-rest": (SVC(kernel=RBF(0.5), multi_class="ovr"), LABELS, OneVsRestMachine),
    "nu classes": (NuSVC(kernel=RBF(0.5), nu=0.1), LABELS, OneVsOneMachine),
    "regression": (SVR(kernel=RBF(0.5) + Linear()), NUMBERS, SingleMachine),
    "nu regression": (NuSVR(kernel="poly"), NUMBERS, SingleMachine),
    "support": (OneClassSVM(nu=0.2), None, SingleMachine),
    "sparse": (SVC(kernel=RBF(0.5)), LABELS, OneVsOneMachine),
    "precise": (SVR(kernel="poly", degree=2, gamma=1.0, C=100.0), NUMBERS, SingleMachine),
}


def fitted(name):
    model, y, kind = MODELS[name]
    rows = X
    if name == "sparse":
        rows = sp.csr_matrix(X)
    if name == "precise":
        rows, y = scale(X)[::5] + 1e5, LABELS[::5] + 0.1 * scale(X)[::5, 0]
    machine = model.fit(rows, y)._machine
    assert type(machine) is kind
    return machine, rows


BY_NAME = pytest.mark.parametrize("name", MODELS)


@BY_NAME
def test_kernel_machine_comes_back_from_its_arrays(name):
    machine, rows = fitted(name)
    arrays = machine.arrays()
    again = type(machine).from_arrays(arrays)
    assert set(arrays) == set(again.arrays()) == set(type(machine).__dataclass_fields__)
    np.testing.assert_array_equal(again.values(rows, 1), machine.values(rows, 1))
    for function in range(len(machine.intercept)):
        count = rows.shape[0]
        np.testing.assert_array_equal(again.coef_at_rows(function, count), machine.coef_at_rows(function, count))
        np.testing.assert_array_equal(again.low_at_rows(function, count), machine.low_at_rows(function, count))
    assert again.is_precise == machine.is_precise == (name == "precise")


@BY_NAME
def test_copies_of_the_arrays_make_the_same_machine(name):
    """What a file brings back is writable and not shared; the machine is neither."""
    machine, rows = fitted(name)
    copies = {key: value.copy() if hasattr(value, "copy") else value for key, value in machine.arrays().items()}
    again = type(machine).from_arrays(copies)
    np.testing.assert_array_equal(again.values(rows, 1), machine.values(rows, 1))
    for key in ("support", "n_support", "dual_coef", "intercept"):
        assert not getattr(again, key).flags.writeable


@BY_NAME
def test_every_machine_is_one_and_survives_a_pickle(name):
    machine, rows = fitted(name)
    assert isinstance(machine, KernelMachine)
    assert isinstance(machine, Machine)
    assert isinstance(type(machine).kind, str)
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.values(rows, 1), machine.values(rows, 1))


def test_kinds_have_names_of_their_own():
    kinds = [LinearMachine, OneVsOneMachine, OneVsRestMachine, SingleMachine]
    assert len({kind.kind for kind in kinds}) == len(kinds)


def test_weights_survive_a_pickle():
    machine, queries = linear_machine(), np.random.default_rng(4).normal(size=(6, 5))
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.values(queries, 1), machine.values(queries, 1))


@pytest.mark.parametrize("name", ["one-vs-one", "one-vs-rest", "regression"])
def test_arrays_that_are_missing_or_too_many_are_refused(name):
    machine, _ = fitted(name)
    arrays = machine.arrays()
    with pytest.raises(InputError, match=rf"{machine.kind}: expected arrays among .* got \['other'\] as well"):
        type(machine).from_arrays({**arrays, "other": 1})
    for missing in ("kernel", "dual_coef", "support"):
        rest = {key: value for key, value in arrays.items() if key != missing}
        with pytest.raises(InputError, match=f"{machine.kind}: expected arrays named"):
            type(machine).from_arrays(rest)


def test_weights_that_are_missing_or_too_many_are_refused():
    arrays = linear_machine().arrays()
    with pytest.raises(InputError, match=r"linear: expected arrays among .* got \['kernel'\] as well"):
        LinearMachine.from_arrays({**arrays, "kernel": Linear()})
    with pytest.raises(InputError, match="linear: expected arrays named"):
        LinearMachine.from_arrays({"weights": arrays["weights"]})


@pytest.mark.parametrize("name", ["one-vs-one", "one-vs-rest", "regression", "precise"])
@pytest.mark.parametrize("part", ["dual_coef", "intercept", "support", "n_support", "support_vectors", "kernel"])
def test_arrays_that_do_not_fit_together_are_refused(name, part):
    machine, _ = fitted(name)
    good = machine.arrays()[part]
    wrong = [None, "text"]
    if part in ("dual_coef", "intercept"):
        wrong += [good[..., :-1], np.where(np.arange(good.shape[-1]) == 0, np.nan, good), good.astype(np.float32)]
    if part in ("support", "n_support"):
        wrong += [good[:-1], good.astype(np.float64)]
    if part == "support_vectors":
        wrong += [good[:-1], good[:, :-1]]
    for value in wrong:
        with pytest.raises(InputError, match=f"machine's .*{part}.* do not fit together"):
            type(machine).from_arrays({**machine.arrays(), part: value})


def test_digits_that_do_not_fit_are_refused():
    machine, _ = fitted("precise")
    assert machine.low is not None
    for low in (machine.low[:, :-1], np.full_like(machine.low, np.nan)):
        with pytest.raises(InputError, match="low"):
            type(machine).from_arrays({**machine.arrays(), "low": low})
    with pytest.raises(InputError, match="low"):
        replace(machine, is_precise=False)
