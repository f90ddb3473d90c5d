"""The picture of influence shows the summands of a prediction."""

import matplotlib as mpl
import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_iris, make_moons

from mercer import SVC, InputError, KernelRegression
from mercer.inspection import contributions
from mercer.plot import InfluenceDisplay

mpl.use("Agg")


@pytest.fixture
def closed_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def moons():
    return make_moons(60, noise=0.2, random_state=0)


@pytest.mark.usefixtures("closed_figures")
@pytest.mark.parametrize("model", [SVC(), KernelRegression(random_state=0)], ids=str)
def test_influence_display_holds_the_contributions(model, moons):
    X, y = moons
    model.fit(X, y)
    display = InfluenceDisplay.from_estimator(model, X[3], X=X)
    np.testing.assert_allclose(display.contributions, contributions(model, X[3:4])[0], rtol=1e-9)
    assert len(display.others) == len(X) - len(model.support_)


@pytest.mark.usefixtures("closed_figures")
def test_influence_display_draws_areas_by_size_and_markers_by_sign():
    import matplotlib.pyplot as plt

    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    _, ax = plt.subplots()
    display = InfluenceDisplay(points, np.array([2.0, -1.0, 1.0, 0.0]), np.array([0.5, 0.5])).plot(ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    drawn = [art for art in ax.collections if len(art.get_offsets())]
    added, taken, query = drawn
    np.testing.assert_array_equal(added.get_offsets(), points[[0, 2]])
    np.testing.assert_array_equal(taken.get_offsets(), points[[1]])
    np.testing.assert_array_equal(query.get_offsets(), [[0.5, 0.5]])
    assert added.get_sizes()[0] == pytest.approx(2 * added.get_sizes()[1])
    assert taken.get_sizes()[0] == pytest.approx(added.get_sizes()[1])
    assert len(added.get_paths()[0].vertices) != len(taken.get_paths()[0].vertices)


def test_influence_display_refuses_what_it_cannot_draw(moons):
    X, y = moons
    with pytest.raises(InputError, match="from arrays"):
        InfluenceDisplay.from_estimator(sklearn.svm.SVC().fit(X, y), X[0])
    iris = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="one function, got 3"):
        InfluenceDisplay.from_estimator(SVC().fit(*iris), iris[0][0])
    with pytest.raises(InputError, match="two features"):
        InfluenceDisplay.from_estimator(SVC().fit(iris[0], iris[1] > 0), iris[0][0])
    with pytest.raises(InputError, match="one point"):
        InfluenceDisplay.from_estimator(SVC().fit(X, y), X[:2])
    with pytest.raises(InputError, match="each of 60 points"):
        InfluenceDisplay(X, np.zeros(3), X[0])
