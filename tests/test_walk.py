"""A fit goes through the rooms in the order of the data, with few ways back."""

import numpy as np
import pytest

import mercer
from tests.walk import data, walk_of

# Changes of folder in one fit of 200 rows, without one-line accessors: most rooms are entered once or twice.
MOST_CHANGES = 30
# Dividing by ρ is one more way there and back.
OF_NU = 2


@pytest.mark.parametrize(
    "model",
    [mercer.SVC(), mercer.NuSVC(nu=0.3), mercer.SVR(), mercer.OneClassSVM(), mercer.LinearSVC()],
    ids=lambda model: type(model).__name__,
)
def test_fit_changes_folder_seldom(model):
    X, y = data()
    walk = walk_of(lambda: model.fit(X, X[:, 0] if isinstance(model, mercer.SVR) else y))
    assert walk.changes() <= MOST_CHANGES + OF_NU * isinstance(model, mercer.NuSVC), str(walk)


def test_walk_counts_changes_between_rooms_only():
    walk = walk_of(lambda: np.sum(mercer.RBF(0.5)(np.eye(3))))
    rooms = {file.partition("/")[0] for file in walk.files}
    assert {"kernels", "data"} <= rooms
    assert walk.changes(with_accessors=True) >= walk.changes() > 0
