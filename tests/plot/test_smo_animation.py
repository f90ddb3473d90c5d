"""The film of a run."""

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_iris

from mercer import RBF, SVC, InputError, Linear, ParameterError, Precomputed
from mercer.plot import SmoAnimation


def test_smo_film_has_a_frame_for_some_steps_and_the_last(traced, tmp_path):
    X, _, model = traced
    film = SmoAnimation.from_trace(X, model.trace_, Linear(), frames=8)
    film.save(tmp_path / "smo.gif")
    assert 2 <= len(film.frames) <= 8
    assert film.frames[0] == 0
    assert film.frames[-1] == len(model.trace_) - 1
    with Image.open(tmp_path / "smo.gif") as image:
        assert image.n_frames == len(film.frames)


def test_smo_film_ends_with_the_machine(traced):
    X, _, model = traced
    film = SmoAnimation.from_estimator(model, X)
    assert len(film.frames) <= 60
    values = film.values_after(len(film.steps) - 1, X)
    shift = film.steps[-1].intercept - model.intercept_[0]
    assert np.allclose(values, model.decision_function(X) + shift, atol=1e-9)


def test_smo_film_marks_the_pair_and_sizes_the_multipliers(traced):
    X, _, model = traced
    trace = model.trace_
    film = SmoAnimation.from_estimator(model, X).plot(30)
    drawn = {points.get_label(): points for points in film.ax_.collections}
    rows, signs = np.array(trace.rows[0]), np.array(trace.signs[0])
    pair = list(trace.steps[30].rows)
    assert np.array_equal(drawn["moved"].get_offsets(), X[rows[pair]])
    alpha = signs * list(trace.replay())[30][1]
    assert alpha.min() >= 0
    for label, sign in (("t = -1", -1), ("t = +1", 1)):
        assert np.array_equal(drawn[label].get_offsets(), X[rows[signs == sign]])
        areas = drawn[label].get_sizes()
        assert np.allclose(np.diff(areas), 110 * np.diff(alpha[signs == sign]) / film.alphas.max())
    curve = film.axes_[1].lines[0]
    assert np.allclose(curve.get_ydata(), trace.table()["gap"][:31])


def test_smo_film_takes_other_kernels_solvers_and_problems(tmp_path):
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    model = SVC(kernel=RBF(0.7), solver="active-set", trace=True).fit(X, y)
    film = SmoAnimation.from_estimator(model, X, problem=1, frames=3)
    assert np.array_equal(film.X, X[np.array(model.trace_.rows[1])])
    film.save(tmp_path / "film.gif")
    assert (tmp_path / "film.gif").stat().st_size > 1000


def test_smo_film_refuses_what_it_cannot_draw(traced):
    X, y, model = traced
    with pytest.raises(InputError, match="expected a Trace"):
        SmoAnimation.from_trace(X, None, Linear())
    with pytest.raises(InputError, match="Fit it with trace=True"):
        SmoAnimation.from_estimator(SVC().fit(X, y), X)
    with pytest.raises(InputError, match="two features"):
        SmoAnimation.from_estimator(model, np.hstack([X, X]))
    with pytest.raises(InputError, match="the rows of fit"):
        SmoAnimation.from_estimator(model, X[:5])
    with pytest.raises(ParameterError, match="a kernel of points"):
        SmoAnimation.from_trace(X, model.trace_, Precomputed())
    with pytest.raises(ParameterError, match="frames"):
        SmoAnimation.from_estimator(model, X, frames=1)
    with pytest.raises(InputError, match="expected one of the 125 steps"):
        SmoAnimation.from_estimator(model, X).plot(500)
