"""Probabilities of SVC and NuSVC: held-out values calibrated, coupled over classes, and decided by the seed alone."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, NuSVC, ParameterError, Status, UnsolvedWarning

METHODS = ["sigmoid", "isotonic", "temperature"]

# Sums and logarithms in float64.
ROUNDING = 1e-9
# Each share of a pair, before the pairs are coupled, is kept this far from 0 and 1, as in LIBSVM.
CLIPPED = 1e-7
# Two ways to one optimum: what the precision of the machines that are fitted without a fold leaves of probabilities.
TWO_FITS = 0.01
# Other folds: the standard error of two calibrations on a few hundred rows.
OTHER_FOLDS = 0.05
# Platt's targets are off the share of a class by about one row.
ONE_ROW = 0.02
# The quality that is promised against scikit-learn's calibration.
NO_WORSE = 1.05
# Of the loss of the classes' shares: what a machine that knows anything of these data stays below.
FAR_BETTER = 0.8

methods = pytest.mark.parametrize("method", METHODS)
smooth_methods = pytest.mark.parametrize("method", ["sigmoid", "temperature"])
ways = pytest.mark.parametrize("way", ["ovo", "ovr"])
machines = pytest.mark.parametrize("machine", [SVC, NuSVC])
scikit_learns_probabilities = pytest.mark.filterwarnings("ignore:.*probability.*deprecated:FutureWarning")


def two_classes(n=300, **options):
    return make_classification(n, 6, n_informative=4, flip_y=0.1, random_state=0, **options)


def four_classes(n=400):
    return make_classification(n, 6, n_informative=4, n_classes=4, n_clusters_per_class=1, random_state=0)


def iris(*counts):
    """So many rows of each class."""
    X, y = load_iris(return_X_y=True)
    rows = np.concatenate([np.flatnonzero(y == k)[:count] for k, count in enumerate(counts)])
    return X[rows], y[rows]


def assert_probabilities(model, X):
    P = model.predict_proba(X)
    assert P.shape == (X.shape[0], len(model.classes_))
    assert ((P > 0) & (P < 1)).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=ROUNDING)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(P), atol=ROUNDING)
    return P


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@ways
@methods
def test_probabilities_sum_to_one_and_are_never_certain_even_far_away(method, way, kernel):
    for X, y in (two_classes(), iris(50, 50, 50)):
        model = SVC(kernel=kernel, probability=method, multi_class=way).fit(X, y)
        for distance in (1, 1e3, 1e6):
            assert_probabilities(model, distance * X)


@machines
def test_columns_are_in_the_order_of_string_classes(machine):
    X, y = load_iris(return_X_y=True)
    names = np.array(["c", "a", "b"])[y]
    model = machine(probability=True, predict_by="probability").fit(X, names)
    assert list(model.classes_) == ["a", "b", "c"]
    most_probable = model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert np.mean(most_probable == names) > 0.9
    np.testing.assert_array_equal(model.predict(X), most_probable)


@scikit_learns_probabilities
@pytest.mark.parametrize("data", [two_classes(), iris(0, 50, 50), two_classes(1200)], ids=["300", "iris", "1200"])
@machines
def test_sigmoid_of_two_classes_is_libsvms(machine, data):
    X, y = data
    ours = machine(probability=True).fit(X, y)
    theirs = getattr(sklearn.svm, machine.__name__)(probability=True, random_state=0).fit(X, y)
    assert ours.probA_.shape == ours.probB_.shape == (1,)
    assert ours.probA_[0] < 0
    P, f = ours.predict_proba(X), -ours.decision_function(X)
    np.testing.assert_allclose(P[:, 0], 1 / (1 + np.exp(ours.probA_[0] * f + ours.probB_[0])), atol=CLIPPED)
    np.testing.assert_allclose(P, theirs.predict_proba(X), atol=OTHER_FOLDS)
    np.testing.assert_allclose(ours.probA_, theirs.probA_, rtol=0.15)  # the standard error of a slope


@scikit_learns_probabilities
def test_coupled_pairs_are_the_optimum_of_wu_lin_and_weng():
    X, y = four_classes()
    model = SVC(probability=True, decision_function_shape="ovo").fit(X, y)
    assert (model.probA_ < 0).all()
    first, second = np.triu_indices(4, 1)
    expected = []
    for row in expit(-(model.probA_ * model.decision_function(X) + model.probB_)):
        r = np.zeros((4, 4))  # r[i, j] is P(i | i or j); minimise Σ (r_ji p_i − r_ij p_j)² where Σ p = 1
        r[first, second], r[second, first] = row, 1 - row
        system = np.ones((5, 5))
        system[:4, :4] = np.diag((r**2).sum(axis=0)) - r * r.T
        system[4, 4] = 0
        expected.append(np.linalg.solve(system, [0, 0, 0, 0, 1])[:4])
    P = model.predict_proba(X)
    np.testing.assert_allclose(P, expected, atol=10 * CLIPPED)
    theirs = sklearn.svm.SVC(probability=True, random_state=0).fit(X, y)
    assert np.abs(P - theirs.predict_proba(X)).mean() < ONE_ROW
    np.testing.assert_array_equal(model.set_params(decision_function_shape="ovr").predict_proba(X), P)


@methods
@pytest.mark.parametrize("n", [1500, 4000])
def test_probabilities_are_the_true_ones_of_a_logistic_model(method, n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2))
    truth = expit(2 * X[:, 0] - X[:, 1])
    model = SVC(kernel="linear", probability=method).fit(X, rng.random(n) < truth)
    assert np.abs(model.predict_proba(X)[:, 1] - truth).mean() < OTHER_FOLDS


@ways
@methods
def test_probabilities_are_the_true_ones_of_three_normal_classes(method, way):
    rng = np.random.default_rng(0)
    centres = 1.2 * np.array([[0, 1], [0.87, -0.5], [-0.87, -0.5]])
    y = rng.integers(0, 3, 1500)
    X = centres[y] + rng.standard_normal((1500, 2))
    P = SVC(C=0.1, gamma=0.1, probability=method, multi_class=way).fit(X, y).predict_proba(X)
    assert np.abs(P - softmax(X @ centres.T, axis=1)).mean() < OTHER_FOLDS


@pytest.mark.parametrize("n", [400, 2400])
@methods
@pytest.mark.parametrize("model", [SVC(C=100.0, gamma=1.0), NuSVC(nu=0.1, gamma=1.0)], ids=["SVC", "NuSVC"])
def test_probabilities_of_noise_learnt_by_heart_stay_near_one_half(model, method, n):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, 5)), rng.integers(0, 2, n)
    model = clone(model).set_params(probability=method).fit(X, y)
    assert model.score(X, y) > 0.95
    assert np.abs(model.predict_proba(X) - 0.5).mean() < 0.12  # the values that are fitted would give nearly 0.5


@pytest.mark.parametrize("weights", [[1], [3, 1, 2]], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("spread", [0, 1], ids=["constant", "useless"])
@methods
def test_features_that_tell_nothing_give_the_shares_of_the_classes(method, spread, weights):
    X, y = spread * np.random.default_rng(0).standard_normal((80, 2)), np.repeat([0, 1], [60, 20])
    weight = np.resize(weights, 80)
    light, heavy = weight[y == 1].sum(), weight[y == 0].sum()
    P = SVC(kernel="linear", probability=method).fit(X, y, sample_weight=weight).predict_proba(X)[:, 1]
    assert abs(P.mean() - light / (light + heavy)) < OTHER_FOLDS
    if method == "sigmoid" and not spread:  # the mean of Platt's targets
        mean = (light * (light + 1) / (light + 2) + heavy / (heavy + 2)) / (light + heavy)
        np.testing.assert_allclose(P, mean, atol=1e-6)


@ways
@methods
def test_seed_decides_the_folds_and_never_the_machine(method, way):
    X, y = four_classes()
    bare = SVC(multi_class=way).fit(X, y)
    seeded = [SVC(multi_class=way, probability=method, random_state=seed).fit(X, y) for seed in (0, 0, 1, None, None)]
    for model in seeded:
        np.testing.assert_array_equal(model.dual_coef_, bare.dual_coef_)
        np.testing.assert_array_equal(model.intercept_, bare.intercept_)
        np.testing.assert_array_equal(model.predict(X), bare.predict(X))
    P = [model.predict_proba(X) for model in seeded]
    np.testing.assert_array_equal(P[0], P[1])
    np.testing.assert_array_equal(P[3], P[4])
    assert 0 < np.abs(P[0] - P[2]).mean() < OTHER_FOLDS


@pytest.mark.parametrize("data", [two_classes(), four_classes()], ids=["two classes", "four classes"])
@methods
def test_number_of_threads_changes_no_bit(method, data):
    one, two = (SVC(probability=method, n_jobs=jobs).fit(*data).predict_proba(data[0]) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("n", [300, 2400])
@methods
def test_sparse_rows_have_the_probabilities_of_dense_ones(method, n, kernel):
    X, y = two_classes(n)
    dense, sparse = (SVC(kernel=kernel, probability=method).fit(rows, y) for rows in (X, sp.csr_array(X)))
    np.testing.assert_allclose(sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), atol=1e-6)


KERNELS = {"rbf": rbf_kernel, "poly": polynomial_kernel, "linear": lambda A, B, gamma: A @ B.T}


@pytest.mark.parametrize("kernel", KERNELS)
@smooth_methods
def test_callable_and_precomputed_kernels_have_the_probabilities_of_the_named_one(method, kernel):
    X, y = two_classes()
    K = KERNELS[kernel](X, X, gamma=0.2)
    options = {"tol": 1e-6, "probability": method}
    named = SVC(kernel=kernel, gamma=0.2, coef0=1.0, **options).fit(X, y).predict_proba(X)
    called = SVC(kernel=lambda A, B: KERNELS[kernel](A, B, gamma=0.2), **options).fit(X, y).predict_proba(X)
    given = SVC(kernel="precomputed", **options).fit(K, y).predict_proba(K)
    np.testing.assert_allclose(called, named, atol=TWO_FITS)
    np.testing.assert_allclose(given, named, atol=TWO_FITS)


@pytest.mark.parametrize("n", [300, 2600, 3500])  # 210, 1,859 and 2,498 of which count
@smooth_methods
def test_rows_of_weight_zero_are_absent(method, n):
    X, y = two_classes(n)
    weight = np.resize([1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0], n)
    weight[y == 1] *= np.resize([1.0, 1.0, 0.0], (y == 1).sum())
    model = SVC(gamma=0.2, tol=1e-6, probability=method)
    weighted = clone(model).fit(X, y, sample_weight=weight).predict_proba(X)
    without = clone(model).fit(X[weight > 0], y[weight > 0]).predict_proba(X)
    np.testing.assert_allclose(weighted, without, atol=TWO_FITS)


@methods
def test_weights_are_copies(method):
    X, y = two_classes(600)
    weight = np.where(y == 0, 3, 1)
    rows = np.repeat(np.arange(600), weight)
    model = SVC(kernel="linear", C=0.1, probability=method)  # too stiff to know a row by its copy in another fold
    weighted = clone(model).fit(X, y, sample_weight=weight).predict_proba(X)
    assert np.abs(weighted - clone(model).fit(X[rows], y[rows]).predict_proba(X)).mean() < OTHER_FOLDS
    assert np.abs(weighted - clone(model).fit(X, y).predict_proba(X)).mean() > 2 * OTHER_FOLDS


def test_class_weights_move_the_machine_and_not_the_sigmoids_probabilities():
    X, y = two_classes(weights=[0.8])
    model = SVC(probability=True, class_weight={1: 10}).fit(X, y)
    assert model.predict(X).mean() > SVC().fit(X, y).predict(X).mean()
    assert abs(model.predict_proba(X)[:, 1].mean() - y.mean()) < ONE_ROW


@methods
def test_predict_by_probability_is_the_most_probable_class(method):
    X, y = two_classes(weights=[0.7], class_sep=0.5)
    options = {"probability": method, "class_weight": "balanced"}
    votes, most_probable = (SVC(predict_by=by, **options).fit(X, y) for by in ("decision", "probability"))
    np.testing.assert_array_equal(votes.predict(X), SVC(class_weight="balanced").fit(X, y).predict(X))
    np.testing.assert_array_equal(most_probable.predict(X), most_probable.predict_proba(X).argmax(axis=1))
    if method != "temperature":  # a factor moves no boundary of two classes
        assert (votes.predict(X) != most_probable.predict(X)).any()


@machines
@pytest.mark.parametrize("probability", [False, "deprecated", True, *METHODS])
def test_predict_proba_is_there_as_the_parameter_says_before_and_after_fit(machine, probability):
    model, there = machine(probability=probability), probability not in (False, "deprecated")
    for state in (model, model.fit(*two_classes())):
        assert hasattr(state, "predict_proba") is there
        assert hasattr(state, "predict_log_proba") is there


@pytest.mark.parametrize("name", ["predict_proba", "predict_log_proba"])
def test_probability_switched_on_after_the_fit_asks_for_another(name):
    X, y = two_classes()
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(SVC(probability=True), name)(X)
    model = SVC().fit(X, y).set_params(probability=True)
    with pytest.raises(NotFittedError, match="predict_proba is not available when fitted with probability=False"):
        getattr(model, name)(X)
    fresh = SVC(probability="sigmoid").fit(X, y)
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X), fresh.predict_proba(X))


@pytest.mark.parametrize("name", ["probA_", "probB_"])
@pytest.mark.parametrize("probability", [False, "isotonic", "temperature"])
def test_machines_without_sigmoids_have_empty_ones_and_warn(probability, name):
    model = SVC(probability=probability).fit(*two_classes())
    with pytest.warns(FutureWarning, match=f"Attribute `{name}` was deprecated"):
        assert len(getattr(model, name)) == 0


UNKNOWN = [("probability", "platt"), ("probability", None), ("probability", 2), ("predict_by", "votes")]


@machines
@pytest.mark.parametrize(("name", "value"), UNKNOWN)
def test_unknown_values_are_refused_by_name(machine, name, value):
    with pytest.raises(ParameterError, match=name):
        machine(**{name: value}).fit(*two_classes())


@ways
@methods
def test_clones_and_pickles_have_the_same_probabilities(method, way):
    X, y = four_classes()
    model = SVC(C=3.0, probability=method, multi_class=way, random_state=5).fit(X, y)
    P = model.predict_proba(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), P)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict_proba(X), P)


def test_tools_of_scikit_learn_find_the_probabilities():
    X, y = four_classes()
    steps = make_pipeline(StandardScaler(), SVC(probability=True))
    grid = {"svc__C": [1e-3, 1.0], "svc__probability": [True, "isotonic", "temperature"]}
    search = GridSearchCV(steps, grid, scoring="neg_log_loss", cv=3).fit(X, y)
    assert (search.cv_results_["mean_test_score"] > -np.log(4)).all()
    assert search.best_params_["svc__C"] == 1.0
    P = cross_val_predict(steps, X, y, cv=StratifiedKFold(3), method="predict_proba")
    for fitted, rest in StratifiedKFold(3).split(X, y):
        np.testing.assert_array_equal(P[rest], clone(steps).fit(X[fitted], y[fitted]).predict_proba(X[rest]))
    ours, theirs = (CalibratedClassifierCV(S(tol=1e-6), ensemble=False).fit(X, y) for S in (SVC, sklearn.svm.SVC))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)  # of two fits to 1e-6


SMALL = {
    "a class of one row": iris(50, 50, 1),
    "one row against many": iris(50, 1),
    "three rows a class": iris(3, 3, 3),
    "very unequal classes": iris(50, 4, 2),
    "duplicates of opposite labels": (np.repeat(two_classes()[0][:50], 2, axis=0), np.resize([0, 1], 100)),
}


@pytest.mark.parametrize("problem", SMALL)
@ways
@methods
def test_small_and_unequal_classes_are_about_as_probable_as_frequent(method, way, problem):
    X, y = SMALL[problem]
    P = assert_probabilities(SVC(probability=method, multi_class=way).fit(X, y), X)
    np.testing.assert_allclose(P.mean(axis=0), np.bincount(y) / len(y), atol=2 * OTHER_FOLDS)


@pytest.mark.parametrize("classes", [2, 3])
@ways
@methods
def test_one_row_a_class_allows_no_certainty(method, way, classes):
    X, y = iris(*[1] * classes)
    assert SVC(probability=method, multi_class=way).fit(X, y).predict_proba(X).max() < 0.9  # Platt's target is 2/3


@ways
@methods
def test_hard_margin_has_probabilities_on_the_right_side(method, way):
    X, y = load_iris(return_X_y=True)
    model = SVC(C=np.inf, gamma=1.0, probability=method, multi_class=way, predict_by="probability").fit(X, y)
    assert model.status_ is Status.SOLVED
    assert_probabilities(model, X)
    assert model.score(X, y) > 0.97


@pytest.mark.parametrize("n", [300, 2400])
@methods
@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"time_limit": 1e-9}], ids=["max_iter", "time_limit"])
def test_limits_warn_and_leave_probabilities(limit, method, n):
    X, y = two_classes(n)
    with pytest.warns(UnsolvedWarning):
        model = SVC(C=100.0, tol=1e-9, probability=method, **limit).fit(X, y)
    assert_probabilities(model, X)


@ways
@smooth_methods
def test_warm_start_ends_at_the_probabilities_of_a_cold_one(method, way):
    X, y = four_classes()
    options = {"tol": 1e-6, "probability": method, "multi_class": way}
    warm = SVC(warm_start=True, **options).fit(X, y).set_params(C=3.0).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(warm, SVC(C=3.0, **options).fit(X, y).predict_proba(X), atol=TWO_FITS)


QUALITY = {
    "breast cancer": load_breast_cancer(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "digits": load_digits(return_X_y=True),
    "noise": two_classes(1200, class_sep=0.8),
    "four classes": make_classification(1200, 10, n_informative=6, n_classes=4, flip_y=0.1, random_state=1),
    "many rows": make_classification(5000, 10, n_informative=5, flip_y=0.1, random_state=1),
}


def losses_on_new_rows(data, *models):
    """Of each model, and in the end of the classes' shares."""
    X, new, y, truth = train_test_split(StandardScaler().fit_transform(data[0]), data[1], test_size=0.4, random_state=0)
    shares = np.tile(np.bincount(y) / len(y), (len(new), 1))
    return [log_loss(truth, P) for P in (*(model.fit(X, y).predict_proba(new) for model in models), shares)]


@pytest.mark.parametrize("data", QUALITY)
@methods
def test_log_loss_is_no_worse_than_with_scikit_learns_calibration(method, data):
    reference = CalibratedClassifierCV(sklearn.svm.SVC(), ensemble=False)
    ours, theirs, shares = losses_on_new_rows(QUALITY[data], SVC(probability=method), reference)
    assert ours < FAR_BETTER * shares
    if method != "isotonic":  # which needs more rows than most of these have
        assert ours < NO_WORSE * theirs


@pytest.mark.parametrize(("machine", "parameters"), [(SVC, {}), (NuSVC, {"nu": 0.3})], ids=["SVC", "NuSVC"])
def test_log_loss_over_many_rows_is_no_worse_whatever_the_seed(machine, parameters):
    seeded = [machine(probability=True, random_state=seed, **parameters) for seed in range(4)]
    twin = getattr(sklearn.svm, machine.__name__)(**parameters)
    *ours, theirs, _ = losses_on_new_rows(QUALITY["many rows"], *seeded, CalibratedClassifierCV(twin, ensemble=False))
    assert max(ours) < NO_WORSE * theirs
