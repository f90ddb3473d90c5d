"""Weights of rows, in all machines that remember them: what is none is refused, and zero leaves a row out."""

import numpy as np
import pytest

import mercer
from mercer.errors import InputError

MACHINES = {
    "KNeighborsClassifier": lambda: mercer.KNeighborsClassifier(3),
    "KNeighborsRegressor": lambda: mercer.KNeighborsRegressor(3),
    "RadiusNeighborsClassifier": lambda: mercer.RadiusNeighborsClassifier(2.0),
    "RadiusNeighborsRegressor": lambda: mercer.RadiusNeighborsRegressor(2.0),
    "ParzenClassifier": lambda: mercer.ParzenClassifier(bandwidth=1.0),
    "ParzenRegressor": lambda: mercer.ParzenRegressor(bandwidth=1.0),
    "KernelDensity": lambda: mercer.KernelDensity(bandwidth=1.0),
    "LocallyWeightedRegression": lambda: mercer.LocallyWeightedRegression(),
}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Y = (X[:, 0] > 0).astype(int)


def with_weight(value, place=4):
    weights = np.ones(len(X))
    weights[place] = value
    return weights


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize(
    ("weights", "told"),
    [
        (with_weight(-0.25), r"sample_weight.*≥ 0, got -0\.25 .*Use 0 to leave a row out"),
        (-np.ones(len(X), dtype=int), r"sample_weight.*≥ 0, got -1 .*Use 0 to leave a row out"),
        (with_weight(-np.inf), r"sample_weight.*≥ 0, got -inf"),
        (np.zeros(len(X)), "expected some weight > 0"),
        (with_weight(np.nan), "sample_weight: expected finite numbers"),
        (with_weight(np.inf), "sample_weight: expected finite numbers"),
        (np.ones(len(X) - 1), r"sample_weight.shape == \(29,\), expected \(30,\)"),
        (np.ones((len(X), 2)), "1D array or scalar"),
        (["heavy"] * len(X), "sample_weight: expected numbers"),
    ],
)
def test_what_is_no_weight_is_refused(name, weights, told):
    with pytest.raises(InputError, match=told):
        MACHINES[name]().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("name", [name for name in MACHINES if hasattr(MACHINES[name](), "partial_fit")])
def test_what_is_no_weight_is_refused_later_as_well(name):
    machine = MACHINES[name]().fit(X, Y)
    before = machine.predict(X)
    with pytest.raises(InputError, match=r"got -0\.25 .*Use 0"):
        machine.partial_fit(X, Y, sample_weight=with_weight(-0.25))
    np.testing.assert_array_equal(machine.predict(X), before)


@pytest.mark.parametrize("name", [name for name in MACHINES if not name.startswith(("KNeighbors", "Locally"))])
def test_a_row_of_weight_zero_is_left_out(name):
    kept = np.arange(len(X)) != 4
    with_zero = MACHINES[name]().fit(X, Y, sample_weight=with_weight(0.0))
    without = MACHINES[name]().fit(X[kept], Y[kept], sample_weight=np.ones(len(X) - 1))
    ask = "score_samples" if name == "KernelDensity" else "predict"
    np.testing.assert_allclose(getattr(with_zero, ask)(X), getattr(without, ask)(X), rtol=1e-12)
