"""What a choice was made by goes with the choice: a fit with a given number has none."""

import numpy as np
import pytest

from mercer import KernelDensity, KNeighborsClassifier, KNeighborsRegressor, ParzenClassifier, ParzenRegressor

CASES = [
    (KNeighborsClassifier("auto"), {"n_neighbors": 3}, "left_out_errors_"),
    (KNeighborsRegressor("auto"), {"n_neighbors": 3}, "left_out_errors_"),
    (KernelDensity(bandwidth="leave-one-out"), {"bandwidth": 0.5}, "left_out_scores_"),
    (ParzenClassifier(bandwidth="leave-one-out"), {"bandwidth": 0.5}, "left_out_errors_"),
    (ParzenRegressor(bandwidth="leave-one-out"), {"bandwidth": 0.5}, "left_out_errors_"),
]


@pytest.mark.parametrize(("model", "given", "name"), CASES, ids=repr)
def test_errors_of_a_choice_are_gone_once_there_is_none(model, given, name):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    assert len(getattr(model.fit(X, y), name)) > 1
    assert not hasattr(model.set_params(**given).fit(X, y), name)
