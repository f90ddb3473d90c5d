"""Probabilities of SVC and NuSVC: held-out values calibrated, coupled over classes, and decided by the seed alone."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, NuSVC, ParameterError, UnsolvedWarning

METHODS = ["sigmoid", "isotonic", "temperature"]
KERNELS = {"rbf": rbf_kernel, "poly": polynomial_kernel, "linear": lambda A, B, gamma: A @ B.T}
BAD = [{"probability": "platt"}, {"probability": None}, {"probability": 2}, {"predict_by": "votes"}]

# Sums and logarithms in float64.
ROUNDING = 1e-9
# LIBSVM keeps the share of each pair within 1e-7 of 0 and 1.
CLIPPED = 1e-6
# Two ways to one optimum: what the precision of the machines that are fitted without a fold leaves of probabilities.
TWO_FITS = 0.005
# Other folds: the standard error of two calibrations on a few hundred rows, and relatively of their slopes.
OTHER_FOLDS, OTHER_SLOPES = 0.05, 0.15
# Of values that mean nothing; those that a machine has learnt by heart would be off by nearly 0.5.
ONE_FOLD = 0.1  # two numbers that are learnt from the five hundred rows of one fold
NEAR_ONE_HALF = 0.12
# What is promised of the loss of scikit-learn's calibration, and what of that of the classes' shares shows knowledge.
NO_WORSE, FAR_BETTER = 1.05, 0.8

methods = pytest.mark.parametrize("method", METHODS)
smooth_methods = pytest.mark.parametrize("method", ["sigmoid", "temperature"])
ways = pytest.mark.parametrize("way", ["ovo", "ovr"])
machines = pytest.mark.parametrize("machine", [SVC, NuSVC])


def two_classes(n=300, **options):
    return make_classification(n, 6, n_informative=4, flip_y=0.1, random_state=0, **options)


def four_classes():
    return make_classification(400, 6, n_informative=4, n_classes=4, n_clusters_per_class=1, random_state=0)


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


@pytest.mark.parametrize("kernel", KERNELS)
@ways
@methods
def test_probabilities_sum_to_one_and_are_never_certain_even_far_away(method, way, kernel):
    for X, y in (two_classes(), iris(50, 50, 50)):
        model = SVC(kernel=kernel, probability=method, multi_class=way).fit(X, y)
        for distance in (1, 1e3, 1e6):
            assert_probabilities(model, distance * X)


@pytest.mark.filterwarnings("ignore:.*deprecated in:FutureWarning:sklearn")  # scikit-learn's own probabilities
@pytest.mark.parametrize("data", [two_classes(), iris(0, 50, 50), two_classes(2400)], ids=["300", "iris", "2400"])
@machines
def test_sigmoid_of_two_classes_is_libsvms(machine, data):
    X, y = data
    ours = machine(probability=True).fit(X, y)
    theirs = getattr(sklearn.svm, machine.__name__)(probability=True, random_state=0).fit(X, y)
    assert ours.probA_[0] < 0
    P, f = ours.predict_proba(X), -ours.decision_function(X)
    np.testing.assert_allclose(P[:, 0], 1 / (1 + np.exp(ours.probA_[0] * f + ours.probB_[0])), atol=CLIPPED)
    np.testing.assert_allclose(P, theirs.predict_proba(X), atol=OTHER_FOLDS if len(y) <= 2000 else ONE_FOLD)
    np.testing.assert_allclose(ours.probA_, theirs.probA_, rtol=OTHER_SLOPES)


def test_coupled_pairs_are_the_optimum_of_wu_lin_and_weng():
    X, y = four_classes()
    model = SVC(probability=True, decision_function_shape="ovo").fit(X, y)
    assert (model.probA_ < 0).all()
    first, second = np.triu_indices(4, 1)
    expected = []
    for row in expit(-(model.probA_ * model.decision_function(X) + model.probB_)):
        r = np.zeros((4, 4))  # r[i, j] is P(i | i or j); minimise Σ (r_ji p_i − r_ij p_j)² where Σ p = 1
        r[first, second], r[second, first] = row, 1 - row
        system = np.pad(np.diag((r**2).sum(axis=0)) - r * r.T, (0, 1), constant_values=1)
        system[4, 4] = 0
        expected.append(np.linalg.solve(system, [0, 0, 0, 0, 1])[:4])
    P = model.predict_proba(X)
    np.testing.assert_allclose(P, expected, atol=CLIPPED)
    np.testing.assert_array_equal(model.set_params(decision_function_shape="ovr").predict_proba(X), P)


@pytest.mark.parametrize("n", [1500, 4000])
@ways
@methods
def test_probabilities_are_the_true_ones_of_normal_classes(method, way, n, random):
    centres = 1.2 * np.array([[0, 1], [0.87, -0.5], [-0.87, -0.5]])
    y = random.integers(0, 3, n)
    X = centres[y] + random.standard_normal((n, 2))
    P = SVC(C=0.1, gamma=0.1, probability=method, multi_class=way).fit(X, y).predict_proba(X)
    assert np.abs(P - softmax(X @ centres.T, axis=1)).mean() < OTHER_FOLDS


@pytest.mark.parametrize("n", [400, 2400])
@methods
@pytest.mark.parametrize("model", [SVC(C=100.0, gamma=1.0), NuSVC(nu=0.1, gamma=1.0)], ids=["SVC", "NuSVC"])
def test_probabilities_of_noise_learnt_by_heart_stay_near_one_half(model, method, n, random):
    X, y = random.standard_normal((n, 5)), random.integers(0, 2, n)
    model = clone(model).set_params(probability=method).fit(X, y)
    assert model.score(X, y) > 0.95
    assert np.abs(model.predict_proba(X) - 0.5).mean() < NEAR_ONE_HALF


@pytest.mark.parametrize("weights", [[1], [3, 1, 2]], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("spread", [0, 1], ids=["constant", "useless"])
@methods
def test_features_that_tell_nothing_give_the_shares_of_the_classes(method, spread, weights, random):
    X, y, weight = spread * random.standard_normal((80, 2)), np.repeat([0, 1], [60, 20]), np.resize(weights, 80)
    counts = weight / weight.mean()  # a row of the usual weight counts as a row
    light, heavy = counts[y == 1].sum(), counts[y == 0].sum()
    P = SVC(kernel="linear", probability=method).fit(X, y, sample_weight=weight).predict_proba(X)[:, 1]
    assert abs(P.mean() - light / (light + heavy)) < OTHER_FOLDS
    if method == "sigmoid" and not spread:  # the mean of Platt's targets
        targets = light * (light + 1) / (light + 2) + heavy / (heavy + 2)
        np.testing.assert_allclose(P, targets / (light + heavy), atol=CLIPPED)


@ways
@methods
def test_seed_decides_the_folds_and_never_the_machine(method, way):
    X, y = four_classes()
    bare, P = SVC(multi_class=way).fit(X, y), []
    for seed in (0, 0, 1, None, None):
        model = SVC(multi_class=way, probability=method, random_state=seed).fit(X, y)
        np.testing.assert_array_equal(model.dual_coef_, bare.dual_coef_)
        P.append(model.predict_proba(X))
    np.testing.assert_array_equal(P[0], P[1])
    np.testing.assert_array_equal(P[3], P[4])
    assert 0 < np.abs(P[0] - P[2]).mean() < OTHER_FOLDS


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n", [300, 2400])
@methods
def test_sparse_rows_have_the_probabilities_of_dense_ones(method, n, kernel):
    X, y = two_classes(n)
    dense, sparse = (SVC(kernel=kernel, probability=method).fit(rows, y) for rows in (X, sp.csr_array(X)))
    np.testing.assert_allclose(sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), atol=ROUNDING)


@pytest.mark.parametrize("kernel", KERNELS)
@smooth_methods
def test_callable_and_precomputed_kernels_have_the_probabilities_of_the_named_one(method, kernel):
    X, y = two_classes()
    K, options = KERNELS[kernel](X, X, gamma=0.2), {"tol": 1e-6, "probability": method}
    named = SVC(kernel=kernel, gamma=0.2, coef0=1.0, **options).fit(X, y).predict_proba(X)
    called = SVC(kernel=lambda A, B: KERNELS[kernel](A, B, gamma=0.2), **options).fit(X, y).predict_proba(X)
    given = SVC(kernel="precomputed", **options).fit(K, y).predict_proba(K)
    np.testing.assert_allclose(called, named, atol=TWO_FITS)
    np.testing.assert_allclose(given, named, atol=TWO_FITS)


@pytest.mark.parametrize("n", [300, 2600, 3500])  # 215, 1,858 and 2,500 of which count
@smooth_methods
def test_rows_of_weight_zero_are_absent(method, n):
    X, y = two_classes(n)
    weight = np.resize([1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0], n)
    weighted, without = (SVC(gamma=0.2, tol=1e-6, probability=method) for _ in range(2))
    weighted.fit(X, y, sample_weight=weight)
    without.fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(weighted.predict_proba(X), without.predict_proba(X), atol=TWO_FITS)


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
    assert abs(model.predict_proba(X)[:, 1].mean() - y.mean()) < OTHER_FOLDS


@methods
def test_predict_by_probability_is_the_most_probable_class(method):
    X, y = two_classes(weights=[0.7], class_sep=0.5)
    y = np.array(["b", "a"])[y]
    votes, most_probable = (SVC(probability=method, predict_by=by).fit(X, y) for by in ("decision", "probability"))
    np.testing.assert_array_equal(votes.predict(X), SVC().fit(X, y).predict(X))
    best = most_probable.predict_proba(X).argmax(axis=1)
    np.testing.assert_array_equal(most_probable.predict(X), most_probable.classes_[best])
    assert most_probable.score(X, y) > 0.8
    moved = (votes.predict(X) != most_probable.predict(X)).any()
    assert moved == (method != "temperature")  # a factor moves no boundary of two classes


@machines
@pytest.mark.parametrize("probability", [False, "deprecated", True, *METHODS])
def test_predict_proba_is_there_as_the_parameter_says_before_and_after_fit(machine, probability):
    there = probability not in (False, "deprecated")
    for model in (machine(probability=probability), machine(probability=probability).fit(*two_classes())):
        assert hasattr(model, "predict_proba") is there


def test_probability_switched_on_after_the_fit_asks_for_another():
    X, y = two_classes()
    model = SVC().fit(X, y).set_params(probability=True)
    with pytest.raises(NotFittedError, match="predict_proba is not available when fitted with probability=False"):
        model.predict_proba(X)
    fresh = SVC(probability="sigmoid").fit(X, y)
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X), fresh.predict_proba(X))


@pytest.mark.parametrize("name", ["probA_", "probB_"])
@pytest.mark.parametrize("probability", [False, "isotonic", "temperature"])
def test_machines_without_sigmoids_have_empty_ones_and_warn(probability, name):
    model = SVC(probability=probability).fit(*two_classes())
    with pytest.warns(FutureWarning, match=f"Attribute `{name}` was deprecated"):
        assert len(getattr(model, name)) == 0


@machines
@pytest.mark.parametrize("bad", BAD)
def test_unknown_values_are_refused_by_name(machine, bad):
    with pytest.raises(ParameterError, match=f"^{next(iter(bad))}: "):
        machine(**bad).fit(*two_classes())


@pytest.mark.parametrize("data", [two_classes(), four_classes()], ids=["two classes", "four classes"])
@methods
def test_threads_clones_and_pickles_change_no_bit(method, data):
    model = SVC(C=3.0, probability=method, random_state=5, n_jobs=1).fit(*data)
    for same in (clone(model).set_params(n_jobs=2).fit(*data), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(same.predict_proba(data[0]), model.predict_proba(data[0]))


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
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=TWO_FITS)


SMALL = {
    "a class of one row": ({}, iris(50, 50, 1)),
    "one row against many": ({}, iris(50, 1)),
    "three rows a class": ({}, iris(3, 3, 3)),
    "very unequal classes": ({}, iris(50, 4, 2)),
    "duplicates of opposite labels": ({}, (np.repeat(two_classes()[0][:50], 2, axis=0), np.resize([0, 1], 100))),
    "hard margin": ({"C": np.inf, "gamma": 1.0}, iris(50, 50, 50)),
}


@pytest.mark.parametrize("problem", SMALL)
@ways
@methods
def test_classes_of_small_problems_are_about_as_probable_as_frequent(method, way, problem):
    parameters, (X, y) = SMALL[problem]
    P = assert_probabilities(SVC(probability=method, multi_class=way, **parameters).fit(X, y), X)
    np.testing.assert_allclose(P.mean(axis=0), np.bincount(y) / len(y), atol=2 * OTHER_FOLDS)


@pytest.mark.parametrize("classes", [2, 3])
@ways
@methods
def test_one_row_a_class_allows_no_certainty(method, way, classes):
    X, y = iris(*[1] * classes)
    assert SVC(probability=method, multi_class=way).fit(X, y).predict_proba(X).max() < 0.9  # Platt's target is 2/3


@pytest.mark.parametrize("n", [300, 2400])
@methods
@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"time_limit": 1e-9}], ids=["max_iter", "time_limit"])
def test_limits_warn_and_leave_probabilities(limit, method, n):
    X, y = two_classes(n)
    with pytest.warns(UnsolvedWarning):
        model = SVC(C=100.0, probability=method, **limit).fit(X, y)
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
    "digits": load_digits(n_class=6, return_X_y=True),
    "four classes": make_classification(1200, 10, n_informative=6, n_classes=4, flip_y=0.1, random_state=1),
    "many rows": make_classification(6000, 8, n_informative=5, flip_y=0.1, random_state=3),
}


def losses_on_new_rows(data, *models):
    """Of each model, and in the end of the classes' shares."""
    X, new, y, truth = train_test_split(StandardScaler().fit_transform(data[0]), data[1], test_size=0.4, random_state=0)
    shares = np.tile(np.bincount(y) / len(y), (len(new), 1))
    return [log_loss(truth, P) for P in (*(model.fit(X, y).predict_proba(new) for model in models), shares)]


@pytest.mark.parametrize("data", QUALITY)
def test_log_loss_is_no_worse_than_with_scikit_learns_calibration(data):
    ours, reference = [SVC(probability=method) for method in METHODS], sklearn.svm.SVC()
    losses = losses_on_new_rows(QUALITY[data], *ours, CalibratedClassifierCV(reference, ensemble=False))
    sigmoid, isotonic, temperature, theirs, shares = losses
    assert max(sigmoid, temperature) < NO_WORSE * theirs
    assert max(sigmoid, isotonic, temperature) < FAR_BETTER * shares


@pytest.mark.parametrize("model", [SVC(), NuSVC(nu=0.3)], ids=["SVC", "NuSVC"])
def test_log_loss_over_many_rows_is_no_worse_whatever_the_seed(model):
    seeded = [clone(model).set_params(probability=True, random_state=seed) for seed in range(4)]
    *ours, theirs, _ = losses_on_new_rows(QUALITY["many rows"], *seeded, CalibratedClassifierCV(model, ensemble=False))
    assert max(ours) < NO_WORSE * theirs
