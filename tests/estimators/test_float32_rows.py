"""Rows in float32 are predicted as those in float64 are, also where large coefficients leave nothing of float32."""

import numpy as np
import pytest

from mercer import SVC, SVR, NuSVR, Status


@pytest.mark.parametrize("C", [1e6, 1e9])
def test_labels_of_float32_rows_are_those_of_float64(C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).astype(np.float32)
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    model = SVC(C=C, gamma=1e-6).fit(X, y)
    assert model.status_ is Status.SOLVED
    rows = rng.normal(size=(2000, 3)).astype(np.float32)
    np.testing.assert_array_equal(model.predict(rows), model.predict(rows.astype(np.float64)))


@pytest.mark.parametrize("model", [SVR(C=1e8, gamma=1e-6), SVR(C=1e6, gamma=1e-3), NuSVR(C=1e9, gamma=1e-9)])
def test_values_of_float32_rows_are_near_those_of_float64(model):
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    model.fit(X, np.sin(X[:, 0]))
    assert np.abs(model.predict(X) - model.predict(X.astype(np.float64))).max() < 1e-2


def test_ordinary_machines_stay_in_float32():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)).astype(np.float32)
    model = SVC().fit(X, X[:, 0] > 0)
    assert model._machine.expansion._float32_tells
