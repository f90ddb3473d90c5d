"""What all five estimators promise alike: copies, limits, weights, layouts, refusals and read-only results."""

import inspect
import pickle
import time
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import mercer
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM, ParameterError, Status, UnsolvedWarning

N = 150
GAMMA = 0.4
TOL = 1e-8
# Two machines at tol = 1e-8, whose values differ by a few times what they violate.
SAME = 1e-6

PARAMETERS = {
    SVC: {"C": 2.0},
    NuSVC: {"nu": 0.4},
    SVR: {"C": 2.0, "epsilon": 0.1},
    NuSVR: {"C": 2.0, "nu": 0.4},
    OneClassSVM: {"nu": 0.3},
}
ALL = list(PARAMETERS)
KIND = pytest.mark.parametrize("kind", ALL)
# One class is solved too soon to be stopped.
SLOW_KIND = pytest.mark.parametrize("kind", [kind for kind in PARAMETERS if kind is not OneClassSVM])
ARRAYS = ("support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_")
# What a deadline may be missed by: one polling interval, the last tile and the certificate over all rows.
OVERSHOOT = 2.0


def rows(n=N, seed=2):
    return np.random.default_rng(seed).normal(size=(n, 4))


def targets(kind, X, seed=3):
    rng = np.random.default_rng(seed)
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=len(X))
    return (y > np.median(y)).astype(int) if kind in (SVC, NuSVC) else y


def data(kind, n=N):
    X = rows(n)
    return X, targets(kind, X)


def make(kind, **parameters):
    return kind(**{"gamma": GAMMA, "tol": TOL, **PARAMETERS[kind], **parameters})


def values(model, X):
    return model.predict(X) if isinstance(model, (SVR, NuSVR)) else model.decision_function(X)


def unsolved(model, *arguments):
    """The model, fitted with its warning that it is not solved."""
    with pytest.warns(UnsolvedWarning):
        return model.fit(*arguments)


def assert_same_machine(model, other, X, atol=SAME):
    assert model.status_ is other.status_ is Status.SOLVED
    assert model.certificate_.dual == pytest.approx(other.certificate_.dual, rel=1e-9)
    # One class is not divided by anything: its values are as large as its weights are many.
    size = max(1.0, abs(float(other.intercept_[0])))
    np.testing.assert_allclose(values(model, X), values(other, X), rtol=0, atol=atol * size)


@KIND
def test_pickled_model_is_the_same(kind):
    X, y = data(kind)
    model = make(kind).fit(X, y)
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(values(other, X), values(model, X))
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(other, name), getattr(model, name))
        assert not getattr(other, name).flags.writeable, name
    assert other.certificate_ == model.certificate_
    assert other.status_ is model.status_
    assert other.plan_ == model.plan_
    assert mercer.certify(other, X, y).holds(TOL)
    # A fit of the copy goes on as one of the model would.
    np.testing.assert_array_equal(values(other.fit(X, y), X), values(model, X))


@KIND
def test_pickled_model_that_is_not_fitted_can_be_fitted(kind):
    X, y = data(kind)
    other = pickle.loads(pickle.dumps(make(kind)))
    np.testing.assert_array_equal(values(other.fit(X, y), X), values(make(kind).fit(X, y), X))


@pytest.mark.parametrize("mmap_mode", [None, "r"])
@KIND
def test_model_written_by_joblib_is_the_same(kind, mmap_mode, tmp_path):
    X, y = data(kind)
    model = make(kind).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    other = joblib.load(tmp_path / "model.joblib", mmap_mode=mmap_mode)
    np.testing.assert_array_equal(values(other, X), values(model, X))
    assert other.certificate_ == model.certificate_


@KIND
def test_models_are_fitted_alike_in_joblibs_threads(kind):
    X, y = data(kind)
    models = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(make(kind).fit)(X, y) for _ in range(4))
    for model in models:
        assert_same_machine(model, models[0], X)


@KIND
def test_clone_has_the_parameters_and_is_not_fitted(kind):
    X, y = data(kind)
    model = make(kind, cache_size=77, random_state=5, time_limit=60.0).fit(X, y)
    other = clone(model)
    assert other.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        other.predict(X)
    np.testing.assert_array_equal(values(other.fit(X, y), X), values(model, X))


@KIND
def test_parameters_are_those_of_the_signature_and_can_be_set(kind):
    signature = inspect.signature(kind).parameters
    model = kind()
    assert model.get_params() == {name: parameter.default for name, parameter in signature.items()}
    new = {"gamma": 0.1, "tol": 1e-2, "max_iter": 7, "warm_start": True, "time_limit": 3.0}
    assert model.set_params(**new) is model
    assert model.get_params() == {**{name: p.default for name, p in signature.items()}, **new}
    with pytest.raises(ValueError, match="nonsense"):
        model.set_params(nonsense=1)
    assert "tol=0.01" in repr(model)


@KIND
def test_fit_changes_no_parameter_and_not_the_data(kind):
    X, y = data(kind)
    v = np.linspace(0.5, 1.5, N)
    kept = X.copy(), y.copy(), v.copy()
    model = make(kind)
    before = model.get_params()
    assert model.fit(X, y, sample_weight=v) is model
    assert model.get_params() == before
    for array, copy in zip((X, y, v), kept, strict=True):
        np.testing.assert_array_equal(array, copy)


@KIND
def test_warm_start_from_the_solution_takes_next_to_no_steps(kind):
    X, y = data(kind, 600)
    model = make(kind, tol=1e-4, warm_start=True).fit(X, y)
    cold, expected = int(np.sum(model.n_iter_)), values(model, X)
    model.fit(X, y)
    assert np.sum(model.n_iter_) <= cold // 5
    assert model.status_ is Status.SOLVED
    # Both at tol = 1e-4; one class is not divided by anything.
    size = max(1.0, np.abs(model.intercept_[0]))
    np.testing.assert_allclose(values(model, X), expected, rtol=0, atol=1e-2 * size)


@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-8])
@KIND
def test_warm_start_from_the_solution_takes_no_more_steps_than_a_cold_start(kind, tol):
    X, y = data(kind, 600)
    model = make(kind, tol=tol, warm_start=True).fit(X, y)
    cold = int(np.sum(model.n_iter_))
    assert np.sum(model.fit(X, y).n_iter_) <= cold


@pytest.mark.parametrize("factor", [0.5, 0.95, 1.05, 1.5])
@KIND
def test_warm_start_with_another_parameter_reaches_the_same_optimum(kind, factor):
    X, y = data(kind)
    name = "nu" if "nu" in PARAMETERS[kind] else "C"
    changed = {name: factor * PARAMETERS[kind][name]}
    warm = make(kind, warm_start=True).fit(X, y).set_params(**changed).fit(X, y)
    assert_same_machine(warm, make(kind, **changed).fit(X, y), X)


@pytest.mark.parametrize("factor", [0.95, 1.05])
@KIND
def test_warm_start_with_another_parameter_does_no_harm(kind, factor):
    X, y = data(kind, 600)
    name = "nu" if "nu" in PARAMETERS[kind] else "C"
    changed = {name: factor * PARAMETERS[kind][name]}
    warm = make(kind, tol=1e-4, warm_start=True).fit(X, y).set_params(**changed).fit(X, y)
    cold = make(kind, tol=1e-4, **changed).fit(X, y)
    # As a rule it takes far fewer steps; that it never takes a few more is no promise.
    assert np.sum(warm.n_iter_) <= 1.3 * np.sum(cold.n_iter_)


@pytest.mark.parametrize("factor", [0.5, 2.0])
@KIND
def test_warm_start_with_other_weights_reaches_the_same_optimum(kind, factor):
    X, y = data(kind)
    v = np.full(N, factor)
    warm = make(kind, warm_start=True).fit(X, y).fit(X, y, sample_weight=v)
    assert_same_machine(warm, make(kind).fit(X, y, sample_weight=v), X)


@pytest.mark.parametrize("second", ["another length", "other targets", "other features", "other weights"])
@KIND
def test_warm_start_on_other_data_gives_what_a_cold_start_gives(kind, second):
    X, y = data(kind)
    model = make(kind, warm_start=True).fit(X, y)
    arguments = {
        "another length": (X[:90], y[:90]),
        "other targets": (X, y[::-1]),
        "other features": (X[:, :2], y),
        "other weights": (X, y, np.linspace(0.5, 1.5, N)),
    }[second]
    with warnings.catch_warnings():
        # A start is not what decides; targets at random may leave next to no margin.
        warnings.simplefilter("ignore", mercer.NumericsWarning)
        warm, cold = model.fit(*arguments), make(kind).fit(*arguments)
    assert_same_machine(warm, cold, arguments[0])


@KIND
def test_warm_start_goes_on_where_a_limit_stopped(kind):
    X, y = data(kind, 400)
    cold = make(kind).fit(X, y)
    steps = int(np.sum(cold.n_iter_))
    model = unsolved(make(kind, max_iter=steps // 2), X, y)
    model.set_params(warm_start=True, max_iter=-1).fit(X, y)
    assert np.sum(model.n_iter_) < steps
    assert_same_machine(model, cold, X)


@pytest.mark.parametrize("max_iter", [0, 1, 20])
@KIND
def test_max_iter_stops_and_warns(kind, max_iter):
    X, y = data(kind)
    model = make(kind, max_iter=max_iter)
    with pytest.warns(UnsolvedWarning, match=r"iteration limit.*violation.*gap"):
        model.fit(X, y)
    assert model.status_ is Status.ITERATION_LIMIT
    assert model.fit_status_ == 1
    assert np.sum(model.n_iter_) <= max(1, max_iter)
    assert np.isfinite(values(model, X)).all()
    assert model.certificate_.gap > 0
    assert not model.certificate_.holds(TOL)


@KIND
def test_more_steps_leave_a_smaller_gap(kind):
    X, y = data(kind, 400)
    gaps = [unsolved(make(kind, max_iter=n), X, y).certificate_.gap for n in (5, 50, 400)]
    assert gaps[0] > gaps[2]
    assert gaps[1] > gaps[2]


@pytest.fixture(scope="module")
def endless():
    """Pure noise: seconds of work at least, at a tolerance near to rounding."""
    return np.random.default_rng(0).normal(size=(6000, 20))


def long_fit(kind, **parameters):
    hard = {"gamma": 0.02, "nu": 0.5} if kind is OneClassSVM else {"gamma": 0.02}
    hard |= {"C": 1e3} if "C" in PARAMETERS[kind] else {}
    return make(kind, tol=1e-12, **{**hard, **parameters})


@SLOW_KIND
def test_time_limit_stops_with_a_usable_machine_and_warns(kind, endless):
    model = long_fit(kind, time_limit=0.1)
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match=r"time limit.*violation.*gap"):
        model.fit(endless, targets(kind, endless))
    assert time.perf_counter() - began < 0.1 + OVERSHOOT
    assert model.status_ is Status.TIME_LIMIT
    assert np.isfinite(values(model, endless[:10])).all()
    assert model.certificate_.gap > 0
    assert not model.certificate_.holds(1e-12)


@SLOW_KIND
def test_callback_stops_the_fit_by_returning_true(kind, endless):
    calls = []
    model = long_fit(kind, callback=lambda progress: calls.append(progress) or True, time_limit=10.0)
    began = time.perf_counter()
    with pytest.warns(UnsolvedWarning, match="callback"):
        model.fit(endless, targets(kind, endless))
    assert time.perf_counter() - began < 0.5 + OVERSHOOT
    assert len(calls) == 1
    assert isinstance(calls[0], mercer.Progress)
    assert model.status_ is Status.INTERRUPTED
    assert np.isfinite(values(model, endless[:10])).all()


class CallbackFault(Exception):
    pass


@SLOW_KIND
def test_exception_in_the_callback_reaches_the_caller_and_spares_the_earlier_model(kind, endless):
    def fault(progress):
        raise CallbackFault("enough")

    X, y = data(kind)
    model = make(kind).fit(X, y)
    before = values(model, X)
    model.set_params(**long_fit(kind, callback=fault, time_limit=10.0).get_params())
    with pytest.raises(CallbackFault, match="enough"):
        model.fit(endless, targets(kind, endless))
    np.testing.assert_array_equal(values(model, X), before)


@pytest.mark.parametrize("seed", [None, 3])
@KIND
def test_same_seed_gives_the_same_bits(kind, seed):
    X, y = data(kind, 500)
    one, two = (make(kind, tol=1e-3, random_state=seed, n_jobs=1).fit(X, y) for _ in range(2))
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert one.certificate_ == two.certificate_


@KIND
def test_other_seed_gives_the_same_machine_to_tolerance(kind):
    X, y = data(kind)
    one, two = (make(kind, random_state=seed).fit(X, y) for seed in (1, 2))
    assert_same_machine(one, two, X)


@KIND
def test_weight_zero_is_absence(kind):
    X, y = data(kind)
    v = np.where(np.arange(N) % 4 == 0, 0.0, 1.0)
    weighted, absent = make(kind).fit(X, y, sample_weight=v), make(kind).fit(X[v > 0], y[v > 0])
    assert_same_machine(weighted, absent, X)
    np.testing.assert_array_equal(weighted.support_, np.flatnonzero(v)[absent.support_])
    assert weighted.certificate_.rows == absent.certificate_.rows


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@KIND
def test_weight_two_is_repetition(kind, kernel):
    X, y = data(kind)
    X += 2  # away from the origin, else there is no plane between it and one class
    k = 1 + np.arange(N) % 2
    more = {"nu": 0.7} if kind is NuSVC else {}
    weighted = make(kind, kernel=kernel, **more).fit(X, y, sample_weight=k)
    repeated = make(kind, kernel=kernel, **more).fit(np.repeat(X, k, axis=0), np.repeat(y, k))
    assert weighted.certificate_.primal == pytest.approx(repeated.certificate_.primal, rel=1e-8)
    # A linear function has few free rows, so what is violated moves its values by more.
    assert_same_machine(weighted, repeated, X, atol=10 * SAME)


@KIND
def test_weights_of_one_change_nothing(kind):
    X, y = data(kind)
    np.testing.assert_array_equal(
        values(make(kind).fit(X, y, sample_weight=np.ones(N)), X), values(make(kind).fit(X, y), X)
    )


@KIND
def test_row_order_does_not_matter(kind):
    X, y = data(kind)
    order = np.random.default_rng(4).permutation(N)
    assert_same_machine(make(kind).fit(X[order], y[order]), make(kind).fit(X, y), X)


@pytest.mark.parametrize("n", [N, 1500])
@KIND
def test_number_of_threads_does_not_matter(kind, n):
    X, y = data(kind, n)
    # From a thousand rows on more is shared among threads; a coarser tolerance keeps it short.
    tol = TOL if n == N else 1e-6
    one, two = (make(kind, n_jobs=jobs, tol=tol).fit(X, y) for jobs in (1, 2))
    assert_same_machine(one, two, X, atol=SAME * tol / TOL)


@KIND
def test_float32_rows_are_taken_for_the_numbers_they_are(kind):
    X, y = data(kind)
    X32 = X.astype(np.float32)
    model, expected = make(kind).fit(X32, y), make(kind).fit(X32.astype(np.float64), y)
    assert_same_machine(model, expected, X32.astype(np.float64))
    # Rows in float32 are evaluated in float32.
    np.testing.assert_allclose(values(model, X32), values(model, X32.astype(np.float64)), rtol=1e-5, atol=1e-5)
    assert values(model, X32).dtype == np.float64


@pytest.mark.parametrize("convert", [np.asfortranarray, lambda X: X.tolist(), lambda X: np.repeat(X, 2, axis=0)[::2]])
@KIND
def test_layout_of_the_rows_does_not_matter(kind, convert):
    X, y = data(kind)
    assert_same_machine(make(kind).fit(convert(X), y), make(kind).fit(X, y), X)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("layout", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array])
@KIND
def test_sparse_rows_give_the_machine_of_dense_rows(kind, layout, kernel):
    X, y = data(kind)
    X[np.abs(X) < 0.6] = 0
    one, other = (make(kind, kernel=kernel, coef0=1.0).fit(rows, y) for rows in (layout(X), X))
    assert_same_machine(one, other, X, atol=20 * SAME)
    np.testing.assert_allclose(values(one, layout(X)), values(one, X), rtol=1e-9, atol=1e-9)
    assert sp.issparse(one.support_vectors_)


@KIND
def test_frame_gives_the_names_of_the_features(kind):
    X, y = data(kind)
    frame = pd.DataFrame(X, columns=["sepal", "petal", "stem", "root"])
    model = make(kind).fit(frame, pd.Series(y))
    np.testing.assert_array_equal(model.feature_names_in_, frame.columns)
    np.testing.assert_array_equal(values(model, frame), values(make(kind).fit(X, y), X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["petal", "sepal", "stem", "root"]])
    assert not hasattr(model.fit(X, y), "feature_names_in_")


BAD = [
    {"nu": 0},
    {"nu": -0.5},
    {"nu": 1.5},
    {"nu": "a"},
    {"nu": np.nan},
    {"nu": None},
    {"epsilon": -1},
    {"epsilon": "a"},
    {"epsilon": np.nan},
    {"epsilon": np.inf},
    {"C": 0},
    {"C": -1},
    {"C": "a"},
    {"C": np.nan},
    {"tol": 0},
    {"tol": -1e-3},
    {"tol": np.nan},
    {"tol": "a"},
    {"kernel": "no"},
    {"kernel": None},
    {"kernel": 3},
    {"gamma": -1},
    {"gamma": "no"},
    {"degree": -1, "kernel": "poly"},
    {"cache_size": 0},
    {"max_iter": -2},
    {"max_iter": 1.5},
    {"time_limit": -1},
    {"gap_tol": -1},
    {"n_jobs": 0},
    {"callback": 3},
    {"class_weight": "no"},
    {"shrinking": "no"},
]


@pytest.mark.parametrize(
    ("kind", "bad"),
    [(kind, bad) for kind in ALL for bad in BAD if set(bad) <= set(inspect.signature(kind).parameters)],
    ids=lambda value: value.__name__ if inspect.isclass(value) else str(value),
)
def test_bad_parameter_is_refused_by_name_and_spares_the_earlier_model(kind, bad):
    X, y = data(kind)
    model = make(kind).fit(X, y)
    before = values(model, X)
    model.set_params(**bad)
    with pytest.raises(ParameterError, match=next(iter(bad))):
        model.fit(X, y)
    model.set_params(**make(kind).get_params())
    np.testing.assert_array_equal(values(model, X), before)


BAD_SECOND_FITS = {
    "NaN": lambda X, y: (np.full((N, 7), np.nan), y),
    "weights": lambda X, y: (X[:, :2], y, -np.ones(N)),
    "lengths": lambda X, y: (X[:, :2], y, np.ones(N - 1)),
    "no rows": lambda X, y: (X[:0, :2], y[:0]),
    "one dimension": lambda X, y: (X[:, 0], y),
}


@pytest.mark.parametrize("name", BAD_SECOND_FITS)
@KIND
def test_failed_fit_leaves_the_earlier_model_usable(kind, name):
    X, y = data(kind)
    model = make(kind).fit(pd.DataFrame(X, columns=list("abcd")), y)
    before, proof = values(model, pd.DataFrame(X, columns=list("abcd"))), model.certificate_
    with pytest.raises(ValueError, match=r"."):
        model.fit(*BAD_SECOND_FITS[name](X, y))
    np.testing.assert_array_equal(values(model, pd.DataFrame(X, columns=list("abcd"))), before)
    assert model.n_features_in_ == 4
    assert list(model.feature_names_in_) == list("abcd")
    assert model.certificate_ == proof
    assert model.status_ is Status.SOLVED


@KIND
def test_fault_of_the_kernel_leaves_the_earlier_model_usable(kind):
    def fault(A, B):
        raise ZeroDivisionError("no kernel today")

    X, y = data(kind)
    model = make(kind).fit(X, y)
    before = values(model, X)
    model.set_params(kernel=fault)
    with pytest.raises(mercer.KernelError, match="no kernel today"):
        model.fit(X, y)
    model.set_params(kernel="rbf")
    np.testing.assert_array_equal(values(model, X), before)


@KIND
def test_arrays_are_read_only(kind):
    X, y = data(kind)
    model = make(kind, kernel="linear", **({"nu": 0.7} if kind is NuSVC else {})).fit(X, y)
    for name in [*ARRAYS, "coef_", *(["classes_"] if kind in (SVC, NuSVC) else [])]:
        with pytest.raises(ValueError, match="read-only"):
            getattr(model, name)[...] = 0
    for name in ("dual_coef_", "coef_", "certificate_"):
        with pytest.raises(AttributeError):
            setattr(model, name, 0)


@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_weights_of_the_classes_are_read_only(kind):
    model = make(kind, class_weight={0: 1.2}).fit(*data(kind))
    with pytest.raises(ValueError, match="read-only"):
        model.class_weight_[...] = 0


@KIND
def test_data_changed_after_the_fit_do_not_change_the_model(kind):
    X, y = data(kind)
    model = make(kind).fit(X, y)
    unseen = rows(20, seed=8)
    before = values(model, unseen)
    X[:] = 0
    y[:] = 0
    np.testing.assert_array_equal(values(model, unseen), before)


@KIND
def test_prediction_before_a_fit_is_refused(kind):
    X, _ = data(kind)
    names = ["predict", *(["decision_function"] if kind in (SVC, NuSVC, OneClassSVM) else [])]
    names += ["score_samples"] if kind is OneClassSVM else []
    for name in names:
        with pytest.raises(NotFittedError):
            getattr(make(kind), name)(X)
    for name in (*ARRAYS, "certificate_", "status_", "n_features_in_"):
        assert not hasattr(make(kind), name), name


@pytest.mark.parametrize(
    ("change", "message"),
    [(lambda X: X[:, :2], "features"), (lambda X: np.where(X > 1, np.nan, X), "NaN"), (lambda X: X[0], "2D")],
    ids=["features", "NaN", "one dimension"],
)
@KIND
def test_prediction_for_other_rows_is_refused(kind, change, message):
    X, y = data(kind)
    model = make(kind).fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.predict(change(X))


@KIND
def test_kernel_object_callable_and_matrix_give_the_machine_of_the_name(kind):
    X, y = data(kind)
    expected = make(kind).fit(X, y)
    kernel = mercer.RBF(GAMMA)
    K = kernel(X)
    assert_same_machine(make(kind, kernel=kernel).fit(X, y), expected, X)
    assert_same_machine(make(kind, kernel=lambda A, B: kernel(A, B)).fit(X, y), expected, X)
    precomputed = make(kind, kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(values(precomputed, K), values(expected, X), rtol=0, atol=100 * SAME)


@KIND
def test_large_fit_is_proved_and_agrees_with_a_small_budget(kind):
    """From about a thousand rows on the solver goes through samples and active sets, and keeps what memory allows."""
    X, y = data(kind, 2500)
    plain = make(kind, tol=1e-4).fit(X, y)
    tight = make(kind, tol=1e-4, cache_size=1).fit(X, y)
    for model in (plain, tight):
        assert model.status_ is Status.SOLVED
        assert mercer.certify(model, X, y).holds(1e-4)
    assert tight.certificate_.dual == pytest.approx(plain.certificate_.dual, rel=1e-6)
    size = max(1.0, np.abs(plain.intercept_[0]))
    np.testing.assert_allclose(values(tight, X[:200]), values(plain, X[:200]), rtol=0, atol=1e-2 * size)


@pytest.mark.parametrize("gap_tol", [1e-3, 1e-8])
@KIND
def test_gap_tol_is_reached(kind, gap_tol):
    X, y = data(kind)
    model = make(kind, tol=0.1, gap_tol=gap_tol).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert model.certificate_.relative_gap <= gap_tol
