"""Pictures of searches and paths show what was found, what was chosen, and what is missing."""

from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn import model_selection
from sklearn.datasets import load_iris
from sklearn.model_selection import ParameterGrid, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as ScikitSVC

from mercer import RBF, SVC, GridSearchCV, InputError, ParameterError, TunedSVC
from mercer.plot import plot_path, plot_search, plot_validation_curve

C, GAMMA = [0.1, 1, 10, 100], [0.001, 0.01, 0.1]
GRID = {"C": C, "gamma": GAMMA}


@pytest.fixture(scope="module")
def iris_search():
    pipeline = make_pipeline(StandardScaler(), SVC())
    grid = {"svc__C": C, "svc__gamma": GAMMA}
    return GridSearchCV(pipeline, grid, return_train_score=True).fit(*load_iris(return_X_y=True))


@dataclass
class Judged:
    """What pictures ask of a certificate."""

    low: float
    rivals: tuple = ()
    equal: tuple = ()
    no_better: tuple = ()
    unknown: tuple = ()

    def __str__(self):
        return f"{len(self.rivals)} cannot be told from it."


def searched(grid, scores=None, *, chosen=None, judged=None, **columns):
    """A search with given scores; those of its three folds are around the means."""
    cells = list(ParameterGrid(grid))
    means = np.linspace(0.5, 0.9, len(cells)) if scores is None else np.asarray(scores, dtype=np.float64)
    best = int(np.nanargmax(means)) if chosen is None else chosen
    folds = {f"split{k}_test_score": means + shift for k, shift in enumerate((-0.03, 0.0, 0.03))}
    return SimpleNamespace(
        cv_results_={"params": cells, **folds, "mean_test_score": means, **columns},
        best_index_=best,
        certificate_=judged or Judged(0.9),
    )


def places_of(ax, label):
    """Where the marks with a label are; none where there is no such label."""
    found = [np.asarray(points.get_offsets()) for points in ax.collections if points.get_label().startswith(label)]
    return np.concatenate(found) if found else np.empty((0, 2))


def places_in(grid, cells):
    """C and gamma of some cells."""
    params = list(ParameterGrid(grid))
    return [(params[k]["C"], params[k]["gamma"]) for k in cells]


def hatched(ax):
    return [patch for patch in ax.patches if patch.get_hatch()]


def labels_of(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def line_of(ax, label):
    (found,) = [line for line in ax.lines if line.get_label() == label]
    return found


def area_of(ax, label):
    """The corners of an area."""
    (found,) = [area for area in ax.collections if area.get_label().startswith(label)]
    return found.get_paths()[0].vertices


def is_whole(figure):
    """Whether nothing reaches beyond the figure, up to a point."""
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    point = 1 / 72
    return box.x0 > -point and box.y0 > -point and box.x1 < width + point and box.y1 < height + point


# -------------------------------------------------------------------- the map of a search


def test_search_map_has_every_score_at_its_parameters(iris_search):
    display = plot_search(iris_search)
    results = iris_search.cv_results_
    assert (display.x.name, display.y.name) == ("svc__C", "svc__gamma")
    for params, mean in zip(results["params"], results["mean_test_score"], strict=True):
        row, column = GAMMA.index(params["svc__gamma"]), C.index(params["svc__C"])
        assert display.scores[row, column] == mean
    assert np.array_equal(display.mesh_.get_array(), display.scores)


def test_search_map_marks_the_choice_and_tells_the_certificate(iris_search, texts_of):
    ax = plot_search(iris_search).ax_
    best = iris_search.best_params_
    assert np.allclose(places_of(ax, "chosen"), [[best["svc__C"], best["svc__gamma"]]])
    assert ax.get_title(loc="left").replace("\n", " ") == str(iris_search.certificate_)
    assert f"chosen: svc__C={best['svc__C']:g}, svc__gamma={best['svc__gamma']:g}" in texts_of(ax)


def test_search_map_has_ticks_at_the_values_on_log_axes(iris_search):
    ax = plot_search(iris_search).ax_
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert labels_of(ax.xaxis) == ["0.1", "1", "10", "100"]
    assert labels_of(ax.yaxis) == ["0.001", "0.01", "0.1"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("svc__C", "svc__gamma")


def test_search_map_marks_cells_that_are_not_proven_worse_and_cells_of_which_nothing_is_proven(texts_of):
    judged = Judged(0.9, rivals=(3, 7), equal=(10,), no_better=(2,), unknown=(0, 1))
    ax = plot_search(searched(GRID, judged=judged)).ax_
    assert {tuple(at) for at in places_of(ax, "not proven worse")} == set(places_in(GRID, (2, 3, 7, 10)))
    assert {tuple(at) for at in places_of(ax, "nothing is proven")} == set(places_in(GRID, (0, 1)))
    assert len(texts_of(ax)) == 3


def test_search_map_marks_no_cell_where_nothing_is_proven_of_the_choice():
    ax = plot_search(searched(GRID, judged=Judged(np.nan, unknown=tuple(range(11))))).ax_
    assert len(places_of(ax, "nothing is proven")) == 0


def test_search_map_without_rivals_has_one_mark(texts_of):
    ax = plot_search(searched(GRID)).ax_
    assert len(texts_of(ax)) == 1
    assert not hatched(ax)


def test_search_map_hatches_cells_without_a_score_and_says_why(texts_of):
    scores = np.linspace(0.5, 0.9, 12)
    scores[[0, 5, 6]] = np.nan
    status = np.array(["solved"] * 12, dtype=object)
    status[[0, 5]], status[6] = "dropped, proven worse", "time"
    ax = plot_search(searched(GRID, scores, status=status)).ax_
    assert len(hatched(ax)) == 3
    assert hatched(ax)[0].get_xy() == pytest.approx((0.1 / 10**0.5, 0.001 / 10**0.5))
    assert texts_of(ax)[0] == "no score: dropped, time"


def test_search_map_hatches_places_that_the_grid_leaves_out(texts_of):
    grid = [{"C": [1, 10], "gamma": [0.1, 1.0]}, {"C": [100], "gamma": [1.0]}]
    ax = plot_search(searched(grid)).ax_
    assert len(hatched(ax)) == 1
    assert texts_of(ax)[0] == "no score: not in the grid"


def test_search_map_shows_the_best_over_other_parameters_and_says_so():
    grid = {**GRID, "kernel": ["rbf", "laplacian"]}
    scores = np.linspace(0.5, 0.9, 24)
    display = plot_search(searched(grid, scores))
    assert np.array_equal(display.scores, scores.reshape(4, 3, 2).max(axis=2).T)
    assert display.title[0] == "The best over kernel is shown."
    assert display.choice.endswith("kernel=laplacian")


def test_search_map_of_three_numbers_is_over_the_two_that_are_named():
    search = searched({**GRID, "epsilon": [0.1, 0.2]})
    with pytest.raises(ParameterError, match=r"x, y: expected names, of \['C', 'epsilon', 'gamma'\].*got None"):
        plot_search(search)
    with pytest.raises(ParameterError, match="y: expected names"):
        plot_search(search, "C")
    display = plot_search(search, x="epsilon", y="C")
    assert (display.x.name, display.y.name) == ("epsilon", "C")
    assert display.title[0] == "The best over gamma is shown."


def test_search_map_takes_the_other_of_two_where_one_is_named():
    display = plot_search(searched(GRID), y="C")
    assert (display.x.name, display.y.name) == ("gamma", "C")
    assert plot_search(searched(GRID), x="gamma").y.name == "C"


def test_search_map_says_where_the_choice_has_no_place():
    grid = [{"kernel": ["linear"], "C": [1, 10]}, {"kernel": ["rbf"], **GRID}]
    display = plot_search(searched(grid, chosen=0))
    assert display.chosen is None
    assert "The choice, C=1, kernel=linear, is not on this map." in display.title
    assert len(places_of(display.ax_, "chosen")) == 0


@pytest.mark.parametrize(
    ("values", "scale", "labels"),
    [
        ([1, 2, 3, 4], "linear", ["1", "2", "3", "4"]),
        ([0, 1, 10, 100], "linear", None),
        ([1, 2, 5, 10, 20], "log", ["1", "2", "5", "10", "20"]),
        ([1e-6, 1e-5, 1e-4], "log", ["1e-6", "1e-5", "0.0001"]),
        ([1, 100], "log", ["1", "100"]),
        ([1, 2], "linear", ["1", "2"]),
        ([1, 10, np.inf], "log", ["1", "10", "∞"]),
        ([1.0001, 1.0002, 1.0003], "linear", ["1.0001", "1.0002", "1.0003"]),
    ],
    ids=str,
)
def test_search_map_axis_is_as_the_values_are_spaced(values, scale, labels):
    ax = plot_search(searched({"C": values, "gamma": [0.1, 1.0]})).ax_
    assert ax.get_xscale() == scale
    assert labels is None or labels_of(ax.xaxis) == labels


def test_search_map_places_an_infinite_value_one_step_beyond_the_others():
    ax = plot_search(searched({"C": [1, 10, np.inf], "gamma": [0.1, 1.0]})).ax_
    assert np.allclose(places_of(ax, "chosen"), [[100, 1]])


def test_search_map_of_many_values_is_readable():
    search = searched({"C": np.logspace(-3, 3, 25), "gamma": np.logspace(-5, 1, 19)})
    display = plot_search(search)
    display.figure_.draw_without_rendering()
    for axis, side in ((display.ax_.xaxis, "x"), (display.ax_.yaxis, "y")):
        boxes = [label.get_window_extent() for label in axis.get_ticklabels()]
        ends = [(getattr(box, f"{side}0"), getattr(box, f"{side}1")) for box in boxes]
        assert len(ends) > 3
        assert all(before[1] < after[0] for before, after in pairwise(ends))
    assert not display.ax_.texts


def test_search_map_of_few_cells_has_scores_in_numbers():
    display = plot_search(searched(GRID))
    assert sorted(float(text.get_text()) for text in display.ax_.texts) == pytest.approx(
        np.linspace(0.5, 0.9, 12), abs=5e-5
    )


def test_search_map_colours_tell_scores_by_brightness_alone():
    mesh = plot_search(searched(GRID)).mesh_
    brightness = mesh.cmap(np.linspace(0, 1, 50))[:, :3] @ [0.299, 0.587, 0.114]
    assert (np.diff(brightness) > 0).all()


def test_search_map_of_scikit_learns_search_has_no_certificate():
    search = model_selection.GridSearchCV(ScikitSVC(), GRID, scoring="f1_macro").fit(*load_iris(return_X_y=True))
    display = plot_search(search)
    assert display.title == ()
    assert display.score_name == "mean f1_macro over 5 folds"
    assert np.nanmax(display.scores) == search.best_score_


def test_search_map_is_of_the_score_that_chose():
    scoring = ["accuracy", "f1_macro"]
    search = GridSearchCV(SVC(), GRID, scoring=scoring, refit="f1_macro").fit(*load_iris(return_X_y=True))
    display = plot_search(search)
    assert np.nanmax(display.scores) == search.best_score_
    assert display.score_name == "mean f1_macro over 5 folds"


def test_search_map_has_names_beside_numbers():
    scores = np.arange(8.0).reshape(2, 4).ravel()  # C by gamma
    display = plot_search(searched({"C": [1, 10], "gamma": ["scale", 1, "auto", 0.1]}, scores))
    assert display.y.labels == ["0.1", "1", "scale", "auto"]
    np.testing.assert_array_equal(display.scores, [[3, 7], [1, 5], [0, 4], [2, 6]])
    assert display.chosen == (0, 1)
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == display.y.labels


def test_search_map_prefers_numbers_to_names():
    display = plot_search(searched({"C": C, "gamma": GAMMA, "kernel": ["rbf", "laplacian"]}))
    assert (display.x.name, display.y.name) == ("C", "gamma")
    assert (lambda shown: (shown.x.name, shown.y.name))(plot_search(searched({"C": C, "kernel": ["rbf", "poly"]}))) == (
        "C",
        "kernel",
    )


def test_curve_goes_along_names_too():
    display = plot_validation_curve(searched({"gamma": ["scale", 0.1, 1]}, [0.7, 0.8, 0.9]), "gamma")
    assert display.axis.labels == ["0.1", "1", "scale"]
    np.testing.assert_array_equal(display.scores, [0.8, 0.9, 0.7])
    assert display.chosen == 1


def test_pictures_take_tuned_machines():
    tuned = TunedSVC(C=[1, 10], gamma=[0.01, 0.1], cv=3).fit(*load_iris(return_X_y=True))
    assert plot_search(tuned).scores.shape == (2, 2)
    assert plot_validation_curve(tuned, "C").axis.labels == ["1", "10"]


def test_search_map_refuses_what_it_cannot_draw():
    with pytest.raises(ParameterError, match=r"expected two parameters.*got only 'C'. Use plot_validation_curve"):
        plot_search(searched({"C": C, "kernel": ["rbf"]}))
    with pytest.raises(ParameterError, match=r"expected two parameters.*got none among \['kernel'\]"):
        plot_search(searched({"kernel": [RBF(1.0), RBF(2.0)]}))
    with pytest.raises(ParameterError, match="expected two parameters, got 'C' twice"):
        plot_search(searched(GRID), "C", "C")
    with pytest.raises(ParameterError, match=r"x: expected one of \['C', 'gamma'\], got 'c', which is not in the grid"):
        plot_search(searched(GRID), "c")
    with pytest.raises(InputError, match="expected a fitted GridSearchCV, got GridSearchCV without cv_results_"):
        plot_search(GridSearchCV(SVC(), GRID))
    with pytest.raises(InputError, match="got SimpleNamespace without best_index_"):
        plot_search(SimpleNamespace(cv_results_={}))


# -------------------------------------------------------------------- the curve along one parameter


def test_curve_has_scores_of_the_cells_beside_the_choice(iris_search):
    display = plot_validation_curve(iris_search, "svc__C")
    results, best = iris_search.cv_results_, iris_search.best_params_
    along = [k for k, cell in enumerate(results["params"]) if cell["svc__gamma"] == best["svc__gamma"]]
    upper, lower = display.axes_
    held_out = line_of(upper, "on the held-out rows")
    assert np.array_equal(held_out.get_xdata(), C)
    assert np.array_equal(held_out.get_ydata(), results["mean_test_score"][along])
    assert np.array_equal(line_of(upper, "on the training rows").get_ydata(), results["mean_train_score"][along])
    assert np.array_equal(lower.lines[0].get_ydata(), results["n_support"][along])
    assert np.allclose(places_of(upper, "chosen"), [[best["svc__C"], iris_search.best_score_]])
    assert upper.get_title(loc="left") == f"svc__gamma={best['svc__gamma']:g}"


def test_curve_has_one_axis_for_scores_and_support_vectors(iris_search):
    upper, lower = plot_validation_curve(iris_search, "svc__gamma").axes_
    assert lower.get_xscale() == upper.get_xscale() == "log"
    assert labels_of(lower.xaxis) == ["0.001", "0.01", "0.1"]
    assert lower.get_xlabel() == "svc__gamma"
    assert upper.get_xlim() == lower.get_xlim()
    assert upper.get_position().y0 > lower.get_position().y1


def test_curve_band_and_line_are_of_one_standard_error():
    ax = plot_validation_curve(searched({"C": C}, [0.6, 0.9, 0.8, 0.7])).ax_
    error = 0.03 / np.sqrt(3)
    band = area_of(ax, "± one standard error")[:, 1]
    assert (band.min(), band.max()) == pytest.approx((0.6 - error, 0.9 + error))
    assert line_of(ax, "the best less one standard error").get_ydata() == pytest.approx([0.9 - error] * 2)


def test_curve_line_is_below_the_best_of_the_whole_grid():
    scores = np.linspace(0.5, 0.8, 12)
    scores[2] = 0.95
    display = plot_validation_curve(searched(GRID, scores, chosen=9), "C")
    assert display.one_error_below == pytest.approx(0.95 - 0.03 / np.sqrt(3))
    assert display.chosen == 3


def test_curve_has_proven_bounds_as_bars():
    low, high = np.array([0.55, np.nan, 0.8, 0.65]), np.array([0.65, 0.95, 0.8, 0.75])
    columns = {"test_score_low": low, "test_score_high": high}
    ax = plot_validation_curve(searched({"C": C}, [0.6, 0.9, 0.8, 0.7], **columns)).ax_
    (bars,) = [one for one in ax.containers if one.get_label() == "exact machines, proven"]
    segments = [segment for segment in bars[2][0].get_segments() if len(segment)]
    spans = [tuple(segment[:, 1]) for segment in segments if np.isfinite(segment).all()]
    assert np.allclose(spans, [(0.55, 0.65), (0.8, 0.8), (0.65, 0.75)])


def test_curve_is_not_squeezed_by_long_bars():
    columns = {"test_score_low": np.full(4, -1e3), "test_score_high": np.full(4, 1e3)}
    low, high = plot_validation_curve(searched({"C": C}, [0.6, 0.9, 0.8, 0.7], **columns)).ax_.get_ylim()
    assert low < 0.6 < 0.9 < high
    assert high - low < 1


def test_curve_marks_values_without_a_score():
    ax = plot_validation_curve(searched({"C": C}, [np.nan, 0.9, 0.8, np.nan])).ax_
    assert np.array_equal(line_of(ax, "no score").get_xdata(), [0.1, 100])


def test_curve_has_only_what_the_search_kept(texts_of):
    X, y = load_iris(return_X_y=True)
    search = model_selection.GridSearchCV(ScikitSVC(), {"C": C}, cv=ShuffleSplit(1, random_state=0)).fit(X, y)
    display = plot_validation_curve(search)
    assert len(display.axes_) == 1
    assert texts_of(display.ax_) == ["on the held-out rows", f"chosen: C={search.best_params_['C']:g}"]
    assert display.ax_.get_ylabel() == "score"


def test_curve_of_equal_scores_has_an_axis():
    low, high = plot_validation_curve(searched({"C": C}, [0.0, 0.0, 0.0, 0.0])).ax_.get_ylim()
    assert low < 0 < high


@pytest.mark.parametrize("has_place_in_grid", [True, False])
def test_curve_takes_given_axes_which_make_room(iris_search, has_place_in_grid):
    figure = plt.figure()
    ax = figure.add_subplot() if has_place_in_grid else figure.add_axes((0.1, 0.2, 0.5, 0.6))
    before = ax.get_position()
    display = plot_validation_curve(iris_search, "svc__C", ax=ax)
    upper, lower = (panel.get_position() for panel in display.axes_)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert (lower.y0, upper.y1) == pytest.approx((before.y0, before.y1))
    assert upper.y0 > lower.y1


def test_curve_refuses_what_it_cannot_draw():
    with pytest.raises(ParameterError, match=r"parameter: expected the name of one.*of \['C', 'gamma'\], got None"):
        plot_validation_curve(searched(GRID))
    with pytest.raises(ParameterError, match=r"parameter: expected one of \['C'\], got 'kernel' with RBF"):
        plot_validation_curve(searched({"C": C, "kernel": [RBF(1.0), RBF(2.0)]}), "kernel")
    with pytest.raises(ParameterError, match="expected one with two numbers or names, of which there is none, got 'C'"):
        plot_validation_curve(searched({"C": [1]}), "C")
    grid = [{"kernel": ["linear"], "C": [1, 10]}, {"kernel": ["rbf"], **GRID}]
    with pytest.raises(ParameterError, match=r"expected one that the choice, .*, has, got 'gamma'"):
        plot_validation_curve(searched(grid, chosen=0), "gamma")
    with pytest.raises(ParameterError, match=r"expected two values or more beside the choice, .*, got one"):
        plot_validation_curve(searched([{"C": [1], "gamma": [0.1]}, {"C": [2], "gamma": [0.2]}]), "C")
    with pytest.raises(InputError, match="expected a fitted GridSearchCV, got SVC"):
        plot_validation_curve(SVC())


# -------------------------------------------------------------------- a path


def path(**changes):
    """Five machines along C."""
    known = {
        "parameter": "C",
        "values": np.array([0.01, 0.1, 1.0, 10.0, 100.0]),
        "scores": np.array([0.7, 0.8, 0.95, 0.9, 0.85]),
        "n_support": np.array([90, 80, 60, 50, 45]),
        "n_bounded": np.array([90, 70, 40, 10, 0]),
        "gaps": np.array([1e-5, 1e-4, 2e-3, 1e-3, 1e-4]),
    }
    return SimpleNamespace(**{**known, **changes})


def test_path_stacks_free_on_bounded_support_vectors():
    display = plot_path(path())
    counts = display.axes_[1]
    assert np.array_equal(display.free, [0, 10, 20, 40, 45])
    assert area_of(counts, "at their bound")[:, 1].max() == 90
    free = area_of(counts, "free")
    assert {tuple(point) for point in free} >= {(1.0, 40.0), (1.0, 60.0), (100.0, 0.0), (100.0, 45.0)}
    assert counts.get_xscale() == display.ax_.get_xscale() == "log"
    assert counts.get_xlabel() == "C"


def test_path_areas_are_told_apart_in_grey():
    counts = plot_path(path()).axes_[1]
    assert [bool(area.get_hatch()) for area in counts.collections] == [False, True]


def test_path_marks_the_best_score_and_tells_the_largest_gap():
    ax = plot_path(path()).ax_
    assert np.allclose(places_of(ax, "best: C=1"), [[1, 0.95]])
    assert ax.get_title(loc="left") == "5 machines, with duality gaps of 0.002 at most"


def test_path_without_scores_has_one_panel():
    for nothing in (None, np.full(5, np.nan)):
        display = plot_path(path(scores=nothing, gaps=None))
        assert len(display.axes_) == 1
        assert display.ax_.get_ylabel() == "support vectors"
        assert not display.ax_.get_title(loc="left")


def test_path_is_drawn_in_the_order_of_its_values():
    known = path()
    backwards = {name: getattr(known, name)[::-1] for name in ("values", "scores", "n_support", "n_bounded", "gaps")}
    display = plot_path(path(**backwards))
    assert np.array_equal(display.values, known.values)
    assert np.array_equal(display.bounded, known.n_bounded)
    assert np.array_equal(line_of(display.ax_, "score").get_ydata(), known.scores)


def test_path_from_zero_is_not_on_a_log_scale():
    display = plot_path(path(parameter="epsilon", values=np.arange(5)))
    assert display.ax_.get_xscale() == "linear"
    assert display.axes_[1].get_xlim() == (0, 4)


def test_path_refuses_what_it_cannot_draw():
    with pytest.raises(InputError, match=r"path: expected an object with parameter, .*, got SVC without parameter"):
        plot_path(SVC())
    with pytest.raises(InputError, match="n_support: expected one for each of 5 values, got shape"):
        plot_path(path(n_support=[1, 2]))
    with pytest.raises(InputError, match="scores: expected one for each of 5 values, got shape"):
        plot_path(path(scores=[0.5]))
    with pytest.raises(InputError, match=r"expected no more than n_support, got 90 of 80 at C=0.1"):
        plot_path(path(n_bounded=np.full(5, 90), n_support=np.array([90, 80, 90, 90, 90])))
    with pytest.raises(InputError, match="values: expected two finite numbers or more, got"):
        plot_path(path(values=np.array([1, 2, 3, 4, np.inf])))


# -------------------------------------------------------------------- all of them


def test_nothing_is_cut_off(iris_search):
    many = {
        "svc__C": np.logspace(-3, 3, 13),
        "svc__gamma": np.logspace(-5, 1, 13),
        "svc__class_weight": [None, "balanced"],
    }
    pictures = (
        plot_search(iris_search),
        plot_search(searched(many, judged=Judged(0.9, rivals=(1, 2, 3), unknown=(4,)))),
        plot_validation_curve(iris_search, "svc__C"),
        plot_path(path()),
    )
    assert all(is_whole(picture.figure_) for picture in pictures)
