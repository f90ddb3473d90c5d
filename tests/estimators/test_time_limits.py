"""`time_limit` of the machines that remember: an answer in time, or an error and nothing changed."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from mercer import (
    RBF,
    SVC,
    KernelDensity,
    KNeighborsClassifier,
    KNeighborsRegressor,
    KNNImputer,
    LocallyWeightedRegression,
    NearestNeighbors,
    ParameterError,
    ParzenClassifier,
    ParzenRegressor,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    TimeLimitError,
    lowess,
)

# Less than anything takes, so that no machine is quick enough.
TINY = 1e-9
SHORT = 1e-3
# Work that is given so little takes half a minute or more where it is not stopped; a busy machine may add this.
PROMPT = 5.0

RANDOM = np.random.default_rng(0)
SMALL = RANDOM.normal(size=(60, 3))
LABELS, TARGETS = (SMALL[:, 0] > 0).astype(int), SMALL.sum(axis=1)
MANY = RANDOM.normal(size=(200_000, 16))
MANY_LABELS, MANY_TARGETS = (MANY[:, 0] > 0).astype(int), MANY.sum(axis=1)

# An estimator, its targets, and what it answers with.
MACHINES = {
    "neighbours": (NearestNeighbors(), None, "kneighbors"),
    "neighbours within a radius": (NearestNeighbors(), None, "radius_neighbors"),
    "a graph": (NearestNeighbors(), None, "kneighbors_graph"),
    "a graph within a radius": (NearestNeighbors(), None, "radius_neighbors_graph"),
    "votes": (KNeighborsClassifier(), LABELS, "predict"),
    "shares": (KNeighborsClassifier(), LABELS, "predict_proba"),
    "means": (KNeighborsRegressor(), TARGETS, "predict"),
    "votes within a radius": (RadiusNeighborsClassifier(3.0), LABELS, "predict"),
    "means within a radius": (RadiusNeighborsRegressor(3.0), TARGETS, "predict"),
    "donors": (KNNImputer(), None, "transform"),
    "densities": (KernelDensity(), None, "score_samples"),
    "window votes": (ParzenClassifier(1.0), LABELS, "predict"),
    "window means": (ParzenRegressor(1.0), TARGETS, "predict"),
    "local fits": (LocallyWeightedRegression(n_neighbors=30), TARGETS, "predict"),
    "local bands": (LocallyWeightedRegression(n_neighbors=30), TARGETS, "predict_interval"),
    "local kernels": (LocallyWeightedRegression(n_neighbors=30), TARGETS, "equivalent_kernel"),
}


def flat(answer):
    """Any answer as numbers."""
    if sp.issparse(answer):
        answer = answer.toarray()
    if isinstance(answer, tuple) or (isinstance(answer, np.ndarray) and answer.dtype == object):
        return np.concatenate([flat(one) for one in answer])
    return np.asarray(answer, dtype=np.float64).ravel()


def asked(model, method):
    rows = SMALL.copy()
    if method == "transform":
        rows[::3, 0] = np.nan
    return flat(getattr(model, method)(rows))


@pytest.mark.parametrize("name", MACHINES)
def test_a_fit_without_time_leaves_the_estimator_as_it_was(name):
    model, y, method = MACHINES[name]
    model = clone(model).fit(SMALL, y)
    before, known = asked(model, method), dict(vars(model))
    model.set_params(time_limit=TINY)
    with pytest.raises(TimeLimitError, match=rf"{type(model).__name__}\.fit: expected .*time_limit=1e-09"):
        model.fit(SMALL[:, :2], y)
    assert vars(model) == {**known, "time_limit": TINY}
    np.testing.assert_array_equal(asked(model.set_params(time_limit=None), method), before)


@pytest.mark.parametrize("name", MACHINES)
def test_an_answer_without_time_is_an_error_and_the_next_is_right(name):
    model, y, method = MACHINES[name]
    before = asked(clone(model).fit(SMALL, y), method)
    model = clone(model).fit(SMALL, y).set_params(time_limit=TINY)
    with pytest.raises(TimeLimitError, match=rf"{type(model).__name__}\.\w+: expected .*Raise time_limit"):
        asked(model, method)
    for limit in (1000.0, None):
        np.testing.assert_array_equal(asked(model.set_params(time_limit=limit), method), before)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("limit", [0, -1.0, "long", np.nan])
def test_limit_is_a_positive_number(name, limit):
    model, y, _ = MACHINES[name]
    with pytest.raises(ParameterError, match="time_limit"):
        clone(model).set_params(time_limit=limit).fit(SMALL, y)


SEARCHES = {
    "all rows": {"algorithm": "brute"},
    "a tree": {"algorithm": "kd_tree"},
    "whichever is quicker": {},
    "cosine": {"metric": "cosine"},
    "manhattan": {"metric": "manhattan"},
    "a tree of another norm": {"metric": "chebyshev", "algorithm": "ball_tree"},
    "a kernel": {"metric": RBF(gamma=0.1)},
    "a function": {"metric": lambda a, b: float(abs(a - b).max())},
    "missing values": {"metric": "nan_euclidean"},
    "one thread": {"n_jobs": 1},
    "one thread at all distances": {"n_jobs": 1, "metric": "manhattan"},
}


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_stops_soon_after_the_limit(name):
    model = NearestNeighbors(**SEARCHES[name]).fit(MANY)
    model.set_params(time_limit=SHORT)
    began = time.perf_counter()
    with pytest.raises(TimeLimitError):
        model.kneighbors(MANY)
    assert time.perf_counter() - began < PROMPT
    model.set_params(time_limit=None)
    assert model.kneighbors(MANY[:1], 1)[1].item() == 0


def test_approximate_search_stops_soon_after_the_limit():
    pytest.importorskip("faiss")
    model = NearestNeighbors(algorithm="hnsw").fit(MANY)
    began = time.perf_counter()
    with pytest.raises(TimeLimitError):
        model.set_params(time_limit=SHORT).kneighbors(MANY)
    assert time.perf_counter() - began < PROMPT


def test_search_among_sparse_rows_stops_soon_after_the_limit():
    X = sp.random(50_000, 500, 0.01, format="csr", random_state=0)
    model = NearestNeighbors().fit(X).set_params(time_limit=SHORT)
    began = time.perf_counter()
    with pytest.raises(TimeLimitError):
        model.kneighbors(X)
    assert time.perf_counter() - began < PROMPT


LONG_FITS = {
    "a number of neighbours": (KNeighborsClassifier("auto"), MANY_LABELS),
    "rows that are kept": (KNeighborsClassifier(edit=True, condense=True), MANY_LABELS),
    "a mean over some neighbours": (KNeighborsRegressor("auto"), MANY_TARGETS),
    "a bandwidth": (KernelDensity(bandwidth="leave-one-out"), None),
    "bandwidths of rows": (KernelDensity(n_neighbors=5), None),
    "a bandwidth of another metric": (KernelDensity(bandwidth="leave-one-out", metric="manhattan"), None),
    "a bandwidth for votes": (ParzenClassifier(), MANY_LABELS),
    "a bandwidth for means": (ParzenRegressor(kernel="tophat"), MANY_TARGETS),
    "local windows": (LocallyWeightedRegression(n_neighbors="auto"), MANY_TARGETS),
    "robust fits": (LocallyWeightedRegression(bandwidth=1.0, robust_iterations=2), MANY_TARGETS),
}


@pytest.mark.parametrize("name", LONG_FITS)
def test_every_fit_that_searches_stops_soon_after_the_limit(name):
    model, y = LONG_FITS[name]
    model = clone(model).set_params(time_limit=0.2)
    began = time.perf_counter()
    with pytest.raises(TimeLimitError):
        model.fit(MANY, y)
    assert time.perf_counter() - began < PROMPT
    assert not hasattr(model, "n_features_in_")


LONG_ANSWERS = {
    "donors": (KNNImputer(), None, "transform"),
    "densities": (KernelDensity(), None, "score_samples"),
    "densities of another metric": (KernelDensity(metric="manhattan"), None, "score_samples"),
    "a kernel as a window": (ParzenRegressor(1.0, kernel=RBF(gamma=1.0)), MANY_TARGETS, "predict"),
    "window votes": (ParzenClassifier(1.0), MANY_LABELS, "predict"),
    "planes in lists of rows": (LocallyWeightedRegression(n_neighbors=200), MANY_TARGETS, "predict"),
    "planes through all rows": (
        LocallyWeightedRegression(kernel="gaussian", bandwidth=1.0),
        MANY_TARGETS,
        "predict",
    ),
}


@pytest.mark.parametrize("name", LONG_ANSWERS)
def test_every_answer_stops_soon_after_the_limit(name):
    model, y, method = LONG_ANSWERS[name]
    model = clone(model).fit(MANY, y).set_params(time_limit=SHORT)
    rows = np.where(RANDOM.uniform(size=MANY.shape) < 0.1, np.nan, MANY) if method == "transform" else MANY
    began = time.perf_counter()
    with pytest.raises(TimeLimitError):
        getattr(model, method)(rows)
    assert time.perf_counter() - began < PROMPT


def test_lowess_has_a_limit_too():
    x = np.linspace(0, 6, 100)
    with pytest.raises(TimeLimitError, match="lowess"):
        lowess(np.sin(x), x, time_limit=TINY)
    np.testing.assert_array_equal(lowess(np.sin(x), x, time_limit=1000.0), lowess(np.sin(x), x))
    with pytest.raises(ParameterError, match="time_limit"):
        lowess(np.sin(x), x, time_limit=-1.0)


def test_a_metric_that_fits_a_machine_of_its_own_has_that_done_in_time():
    def by_machine(a, b):
        SVC().fit(SMALL, LABELS)
        return float(abs(a - b).sum())

    model = NearestNeighbors(metric=by_machine, n_neighbors=1).fit(SMALL[:4])
    before = model.kneighbors(SMALL[:2])
    with pytest.raises(TimeLimitError):
        model.set_params(time_limit=TINY).kneighbors(SMALL[:2])
    for limit in (1000.0, None):
        for one, other in zip(model.set_params(time_limit=limit).kneighbors(SMALL[:2]), before, strict=True):
            np.testing.assert_array_equal(one, other)


def test_imputer_of_a_function_stops_at_the_limit():
    def apart(a, b, missing_values):
        return float(np.nansum(abs(a - b)))

    model = KNNImputer(metric=apart).fit(SMALL).set_params(time_limit=TINY)
    rows = SMALL.copy()
    rows[0, 0] = np.nan
    with pytest.raises(TimeLimitError):
        model.transform(rows)
