"""Pictures without a screen; every figure is closed after its test."""

import matplotlib as mpl
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture
def blobs():
    """Two overlapping classes in the plane."""
    from sklearn.datasets import make_blobs

    return make_blobs(60, centers=[[-1, -1], [1, 1]], random_state=0)


@pytest.fixture
def texts_of():
    """The labels of a legend."""
    return lambda ax: [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture
def traced(blobs):
    """The blobs, and a machine that SMO found on them step by step."""
    from mercer import SVC
    from mercer.solvers import SmoSketch

    X, y = blobs
    return X, y, SVC(kernel="linear", solver=SmoSketch(100), trace=True, random_state=0).fit(X, y)
