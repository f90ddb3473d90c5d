"""Pictures of constrained problems and of coordinate descent show what was computed."""

import matplotlib as mpl
import numpy as np
import pytest

from mercer import InputError
from mercer.lectures import ConstrainedProblem, coordinate_descent
from mercer.plot import CoordinatePathDisplay, DualityDisplay

mpl.use("Agg")
pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture
def closed_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def ellipse(x):
    return x[0] ** 2 / 4 + x[1] ** 2 - 1


def objective(x):
    return (x[0] - 3) ** 2 + (x[1] - 2) ** 2


def names_of(display):
    return {text.get_text() for text in display.ax_.texts if "∇" in text.get_text()}


def test_duality_display_shows_gradients_that_balance():
    problem = ConstrainedProblem(objective, [lambda x: x[0] - x[1] - 1], [ellipse, lambda x: x[0] - 9])
    optimum = problem.solve([0.0, 0.0])
    display = DualityDisplay.from_optimum(problem, optimum)
    np.testing.assert_allclose(display.slope, -sum(display.pulls.values()), atol=1e-8)
    np.testing.assert_allclose(display.slope, 2 * (optimum.x - [3, 2]), atol=1e-8)
    assert set(display.pulls) == {"λ₁∇h₁", "μ₁∇g₁"}
    assert {"∇J"} <= names_of(display) <= {"∇J", *display.pulls}


def test_duality_display_grid_holds_the_functions_within_the_limits():
    problem = ConstrainedProblem(objective, inequalities=[ellipse])
    display = DualityDisplay.from_optimum(problem, problem.solve([0, 0]), limits=((-3, 4), (-2, 3)))
    assert (display.xx.min(), display.xx.max(), display.yy.min(), display.yy.max()) == (-3, 4, -2, 3)
    point = np.array([display.xx[5, 9], display.yy[5, 9]])
    assert display.objective[5, 9] == pytest.approx(objective(point))
    assert display.inequalities[0][5, 9] == pytest.approx(ellipse(point))


def test_duality_display_draws_no_arrow_where_nothing_pulls():
    problem = ConstrainedProblem(lambda x: x @ x, inequalities=[ellipse])
    assert names_of(DualityDisplay.from_optimum(problem, problem.solve([0.5, 0.5]))) == set()


def test_displays_draw_on_given_axes():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2)
    problem = ConstrainedProblem(objective, inequalities=[ellipse])
    first = DualityDisplay.from_optimum(problem, problem.solve([0, 0]), ax=left)
    second = CoordinatePathDisplay.from_path(coordinate_descent(objective, [0, 0]), objective, ax=right)
    assert (first.ax_, second.ax_) == (left, right)
    assert first.figure_ is second.figure_ is figure


def test_path_display_draws_every_point_of_the_path():
    path = coordinate_descent(lambda x: x @ x + x[0] * x[1], [1.0, 2.0])
    display = CoordinatePathDisplay.from_path(path, lambda x: x @ x + x[0] * x[1])
    drawn = display.ax_.lines[0].get_xydata()
    np.testing.assert_array_equal(drawn, path.points)
    assert display.xx.min() < path.points[:, 0].min() < path.points[:, 0].max() < display.xx.max()


def test_path_display_leaves_out_where_the_function_is_infinite():
    def walled(x):
        return x @ x if x[0] <= 1 else np.inf

    display = CoordinatePathDisplay.from_path(coordinate_descent(walled, [1.0, 1.0]), walled)
    np.testing.assert_array_equal(np.isnan(display.values), display.xx > 1)


def test_displays_refuse_what_they_cannot_draw():
    solid = ConstrainedProblem(lambda x: x @ x)
    with pytest.raises(InputError, match="two variables"):
        DualityDisplay.from_optimum(solid, solid.solve([1.0, 1.0, 1.0]))
    with pytest.raises(InputError, match="two variables"):
        CoordinatePathDisplay.from_path(coordinate_descent(lambda x: x @ x, [1.0]), lambda x: x @ x)
    path = coordinate_descent(objective, [0, 0])
    with pytest.raises(InputError, match="limits"):
        CoordinatePathDisplay.from_path(path, objective, limits=((1, 0), (0, 1)))
    with pytest.raises(InputError, match="limits"):
        CoordinatePathDisplay.from_path(path, objective, limits=(0, 1))
