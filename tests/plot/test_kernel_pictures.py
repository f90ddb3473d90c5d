"""The pictures of kernels: their values along a line, and their matrix."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from mercer import RBF, InputError, KernelError, Linear, ParameterError, Polynomial, Precomputed
from mercer.plot import KernelMatrixDisplay, KernelValuesDisplay


def test_kernel_values_are_curves_of_each_point_and_kernel(texts_of):
    points = np.array([0.0, 1.0, 3.0])
    display = KernelValuesDisplay.from_kernel([RBF(0.5), RBF(5.0)], points)
    *curves, marks = display.ax_.lines
    grid = display.grid[:, None]
    expected = np.concatenate([np.exp(-gamma * (grid - points) ** 2).T for gamma in (0.5, 5.0)])
    assert np.allclose([curve.get_ydata() for curve in curves], expected)
    assert np.array_equal(marks.get_xdata(), points)
    assert len({(curve.get_color(), curve.get_linestyle()) for curve in curves}) == 2
    assert texts_of(display.ax_) == ["RBF(gamma=0.5)", "RBF(gamma=5.0)", "points x"]


def test_kernel_values_take_any_kernel_names_and_limits(texts_of):
    display = KernelValuesDisplay.from_kernel(
        Polynomial(2, coef0=1.0) + Linear(), [2.0], limits=(-1, 1), names=["a sum"]
    )
    assert np.allclose(display.values[0, :, 0], (2 * display.grid + 1) ** 2 + 2 * display.grid)
    assert display.ax_.get_xlim() == (-1, 1)
    assert texts_of(display.ax_)[0] == "a sum"


def test_kernel_values_take_scale_from_the_points():
    points = np.array([0.0, 1.0, 5.0])
    display = KernelValuesDisplay.from_kernel(RBF(), points)
    assert np.allclose(display.values[0], rbf_kernel(display.grid[:, None], points[:, None], gamma=1 / points.var()))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (("rbf", [0.0]), {}, ParameterError, "kernel objects such as"),
        (([], [0.0]), {}, ParameterError, "one to 7"),
        ((Precomputed(), [0.0]), {}, ParameterError, "kernel objects"),
        ((RBF(1.0), [[0.0]]), {}, InputError, "in a row"),
        ((RBF(1.0), [np.nan]), {}, InputError, "finite"),
        ((RBF(1.0), [0.0]), {"limits": (1, 0)}, ParameterError, "low < high"),
        ((RBF(1.0), [0.0]), {"names": ["a", "b"]}, ParameterError, "one for each of 1"),
    ],
)
def test_kernel_values_refuse_what_they_cannot_draw(arguments, options, error, words):
    with pytest.raises(error, match=words):
        KernelValuesDisplay.from_kernel(*arguments, **options)


def test_kernel_matrix_is_sorted_by_class_with_borders(random):
    X, y = random.normal(size=(30, 4)), np.array(["b", "a", "c"] * 10)
    display = KernelMatrixDisplay.from_kernel(RBF(0.3), X, y)
    order = np.concatenate([np.flatnonzero(y == label) for label in "abc"])
    assert np.array_equal(display.order, order)
    assert np.allclose(display.ax_.images[0].get_array(), rbf_kernel(X[order], gamma=0.3))
    assert [line.get_ydata()[0] for line in display.ax_.lines[::2]] == [10, 20]
    assert [line.get_xdata()[0] for line in display.ax_.lines[1::2]] == [10, 20]
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["a", "b", "c"]
    assert np.array_equal(display.ax_.get_xticks(), [5, 15, 25])


def test_kernel_matrix_without_labels_keeps_the_order(random):
    X = random.normal(size=(12, 2))
    display = KernelMatrixDisplay.from_kernel(Linear(), X)
    assert np.allclose(display.K, X @ X.T)
    assert len(display.ax_.lines) == 0


def test_kernel_matrix_refuses_what_it_cannot_draw():
    with pytest.raises(ParameterError, match="expected a kernel object"):
        KernelMatrixDisplay.from_kernel("rbf", np.eye(3))
    with pytest.raises(InputError, match="a label for each of 3 rows"):
        KernelMatrixDisplay.from_kernel(RBF(1.0), np.eye(3), [0, 1])
    with pytest.raises(InputError, match="one row or more"):
        KernelMatrixDisplay.from_kernel(RBF(1.0), np.zeros((0, 2)))
    with pytest.raises(InputError, match="a square"):
        KernelMatrixDisplay.from_kernel(Precomputed(), np.ones((2, 3)))
    with pytest.raises(KernelError, match="NaN"):
        KernelMatrixDisplay.from_kernel(RBF(1.0), [[np.nan]])
