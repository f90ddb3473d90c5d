"""scikit-learn's own contract for estimators, kept by all of them under every kind of kernel, and its interface."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.gaussian_process
import sklearn.kernel_approximation
import sklearn.kernel_ridge
import sklearn.svm
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import (
    RBF,
    SVC,
    SVR,
    FeatureMap,
    FeatureRelevance,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelDensity,
    KernelRegression,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    KNeighborsClassifier,
    KNeighborsRegressor,
    KNNImputer,
    Linear,
    LinearSVC,
    LinearSVR,
    LocallyWeightedRegression,
    NearestNeighbors,
    NuSVC,
    NuSVR,
    Nystroem,
    OneClassSVM,
    ParzenClassifier,
    ParzenRegressor,
    Perceptron,
    Polynomial,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    RBFSampler,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
    SparseGaussianProcessRegressor,
    SparseKernelRidge,
    SparseKernelRidgeCV,
)

# The check compares decision values to 1e-9, and two fits agree to their tolerance: at tol=1e-12 it must pass, with a
# gamma in numbers, since "scale" looks at all rows as scikit-learn's does.
WITHIN_TOLERANCE_ONLY = {
    f"check_sample_weight_equivalence_on_{kind}_data": "two fits agree to tol; exact at tol=1e-12"
    for kind in ("dense", "sparse")
}


# Weights of 1e3 and 1e-4, under which no nu but a tiny one is feasible; scikit-learn's NuSVC ignores class_weight.
FEASIBLE_ONLY = {"check_class_weight_classifiers": "nu is infeasible under the weights of the check"}

# These give a table of features where kernel values are expected.
FEATURES_ONLY = dict.fromkeys(
    ("check_outliers_train", "check_outliers_train(readonly_memmap=True)", "check_outliers_fit_predict"),
    "the check knows no kernel values",
)


# A row of weight k makes one long step and k rows make k short ones: the objective is the same, the way to it is not.
# scikit-learn exempts its own for the same reason.
OTHER_STEPS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "other steps; equal where a step takes all rows"
    for kind in ("dense", "sparse")
}

# Fits twice and compares bits; and asks that a weight of 1e3 moves the boundary beyond nearly all rows.
FROM_WHERE_IT_WAS = {"check_supervised_y_2d": "the second fit goes on from the first, so that they agree to tol"}
THROUGH_THE_ORIGIN = {"check_class_weight_classifiers": "a plane through the origin cannot move, as in scikit-learn"}


def exempt_linear(estimator):
    # Newton's last step on a squared loss is exact; other ways stop within tol.
    steps = estimator.solver == "coordinate-descent" or getattr(estimator, "multi_class", None) == "crammer_singer"
    is_exact = estimator.tol <= 1e-12 or (estimator.loss.startswith("squared") and not steps)
    fixed = isinstance(estimator, LinearSVC) and not estimator.fit_intercept
    # Labels of two fits that agree to tol; values, and those of rows that tie, differ.
    predicts_the_same = isinstance(estimator, LinearSVC) and estimator.multi_class == "ovr"
    return {
        **({} if is_exact else WITHIN_TOLERANCE_ONLY),
        **(FROM_WHERE_IT_WAS if estimator.warm_start and not predicts_the_same else {}),
        **(THROUGH_THE_ORIGIN if fixed else {}),
    }


# A row of weight two is left out as one, and its duplicates one at a time.
LEFT_OUT_WHOLE = {
    "check_sample_weight_equivalence_on_dense_data": "a row of weight two is one row that is left out",
}

# The check asks that a weight of 1e7 decides of all queries, between rows that are many windows apart.
NARROW = {"check_class_weight_classifiers": "no weight reaches beyond the window of a row"}

# A row of weight two is one neighbour that counts twice, and not two neighbours.
ONE_NEIGHBOUR = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a row that is there twice takes the place of another"
    for kind in ("dense", "sparse")
}


def takes_one_neighbour(estimator):
    kinds = ("dense", "sparse") if estimator.__sklearn_tags__().input_tags.sparse else ("dense",)
    return {name: why for name, why in ONE_NEIGHBOUR.items() if any(kind in name for kind in kinds)}


def exempt(estimator):
    if isinstance(estimator, (KernelDensity, ParzenClassifier, ParzenRegressor)):
        is_chosen = estimator.bandwidth == "leave-one-out"
        is_narrow = isinstance(estimator, ParzenClassifier) and (is_chosen or estimator.kernel == "tophat")
        return {**(LEFT_OUT_WHOLE if is_chosen else {}), **(NARROW if is_narrow else {})}
    if isinstance(estimator, LocallyWeightedRegression):
        return takes_one_neighbour(estimator) if estimator.bandwidth is None else {}
    if isinstance(estimator, (RadiusNeighborsClassifier, RadiusNeighborsRegressor)):
        return {}
    if isinstance(estimator, (NearestNeighbors, KNeighborsClassifier, KNeighborsRegressor)):
        similar = {"check_class_weight_classifiers": "the check gives similarities where distances are expected"}
        is_given = estimator.metric == "precomputed"
        weighs = not isinstance(estimator, NearestNeighbors)
        return {**(takes_one_neighbour(estimator) if weighs else {}), **(similar if is_given else {})}
    if isinstance(estimator, SparseKernelRidgeCV):
        return dict.fromkeys(WITHIN_TOLERANCE_ONLY, "a row of weight two is one row that is left out")
    if isinstance(estimator, SparseKernelRidge):
        return {}
    if isinstance(estimator, (FeatureMap, KNNImputer, KernelRidge, KernelRidgeClassifier, KernelRidgeCV)):
        return {}
    if isinstance(estimator, (FeatureRelevance, Nystroem, RBFSampler)):
        return {}
    if isinstance(estimator, (GaussianProcessClassifier, GaussianProcessRegressor, SparseGaussianProcessRegressor)):
        return {}
    if isinstance(estimator, (SGDClassifier, SGDOneClassSVM, SGDRegressor)):
        return OTHER_STEPS
    if isinstance(estimator, KernelRegression):
        # Sums of k equal rows and of one row of weight k are the same where a step takes all of them.
        compares = estimator.batch_size is not None and estimator.kernel != "precomputed"
        return {**(OTHER_STEPS if compares else {}), **(FROM_WHERE_IT_WAS if estimator.warm_start else {})}
    if isinstance(estimator, Perceptron):
        return OTHER_STEPS if estimator.kernel != "precomputed" else {}
    if isinstance(estimator, (LinearSVC, LinearSVR)):
        return exempt_linear(estimator)
    # Free support vectors of one class lie on the boundary: rounding decides their label at any tol.
    # Few rows are solved further than they are asked to be, which is enough for a polynomial.
    is_fine = estimator.tol <= 1e-12 or (isinstance(estimator, SVC) and estimator.kernel == "poly")
    is_exact = is_fine and not isinstance(estimator, OneClassSVM)
    compares = not is_exact and estimator.kernel != "precomputed"
    return {
        **(WITHIN_TOLERANCE_ONLY if compares else {}),
        **(FEASIBLE_ONLY if isinstance(estimator, NuSVC) else {}),
        # Random labels have next to no margin, so that any difference decides.
        **(FROM_WHERE_IT_WAS if isinstance(estimator, NuSVC) and estimator.warm_start else {}),
        **(FEATURES_ONLY if isinstance(estimator, OneClassSVM) and estimator.kernel == "precomputed" else {}),
    }


# Some checks draw labels at random, for rows far from the origin; a polynomial stalls there, a margin vanishes, and a
# warning is right.
@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.SkipTestWarning", "ignore::mercer.UnsolvedWarning", "ignore::mercer.NumericsWarning"
)
@parametrize_with_checks(
    [
        FeatureMap(),
        FeatureMap(2 * Linear() + Polynomial(2, "scale")),
        FeatureMap(RBF(), degree=2),
        FeatureRelevance(),
        FeatureRelevance("svr"),
        FeatureRelevance("ridge"),
        FeatureRelevance(GaussianProcessRegressor()),
        SVC(),
        SVC(tol=1e-12, gamma=0.1),
        SVC(tol=1e-12, gamma=0.1, class_weight="balanced"),
        SVC(kernel="linear", tol=1e-12),
        SVC(kernel="poly"),
        SVC(kernel="sigmoid"),
        SVC(kernel="laplacian"),
        SVC(kernel="precomputed"),
        SVC(kernel=RBF(0.5) + Linear(), tol=1e-12),
        SVC(class_weight="balanced", n_jobs=1),
        SVC(warm_start=True, random_state=0),
        SVC(probability=True),
        SVC(probability="temperature", multi_class="ovr", predict_by="probability"),
        SVC(break_ties=True, gap_tol=1e-4),
        NuSVC(nu=0.3),
        NuSVC(nu=0.3, tol=1e-12, gamma=0.1),
        NuSVC(nu=0.3, kernel="linear", warm_start=True),
        NuSVC(nu=0.2, kernel="precomputed"),
        SVR(),
        SVR(tol=1e-12, gamma=0.1),
        SVR(kernel="linear", tol=1e-12),
        SVR(kernel="precomputed"),
        SVR(kernel=RBF(0.5) + Linear(), epsilon=0.0, warm_start=True),
        NuSVR(),
        NuSVR(tol=1e-12, gamma=0.1),
        NuSVR(nu=1.0, kernel="poly"),
        NuSVR(kernel="precomputed"),
        OneClassSVM(),
        OneClassSVM(tol=1e-12, gamma=0.1),
        OneClassSVM(nu=0.1, kernel="linear"),
        OneClassSVM(kernel="precomputed", random_state=0),
        SGDClassifier(),
        # A check weighs a class 1000: the first steps of "optimal" by so much would dominate an average of few.
        SGDClassifier("log_loss", average=True, batch_size=16, learning_rate="adaptive"),
        SGDClassifier("softmax"),
        SGDClassifier("log_loss", penalty="elasticnet", learning_rate="adaptive"),
        SGDRegressor(),
        SGDRegressor("epsilon_insensitive", penalty="l1", average=True),
        SGDRegressor("squared_epsilon_insensitive", learning_rate="constant", eta0=0.001, batch_size=4),
        SGDClassifier("modified_huber", learning_rate="invscaling"),
        SGDClassifier("perceptron", learning_rate="constant", penalty=None),
        SGDRegressor("huber", epsilon=1.35),
        SGDOneClassSVM(),
        SGDOneClassSVM(nu=0.1, average=True, learning_rate="invscaling", batch_size=8),
        KernelDensity(),
        KernelDensity(kernel="epanechnikov", bandwidth="scott"),
        ParzenClassifier(),
        ParzenClassifier(1.0, kernel="tophat"),
        ParzenClassifier(20.0, class_weight="balanced"),
        ParzenRegressor(),
        ParzenRegressor("normal-reference", kernel="linear", empty="prior"),
        NearestNeighbors(),
        NearestNeighbors(metric="manhattan", n_jobs=1),
        GaussianProcessClassifier(),
        GaussianProcessRegressor(),
        GaussianProcessRegressor(normalize_y=True, n_restarts_optimizer=1, random_state=0),
        SparseGaussianProcessRegressor(),
        SparseGaussianProcessRegressor(n_inducing=15, normalize_y=True, random_state=0),
        SparseGaussianProcessRegressor(n_inducing=60, selection="pivoted", random_state=0),
        KNeighborsClassifier(),
        KNeighborsClassifier(weights="distance", metric="cosine"),
        KNeighborsClassifier(metric="precomputed"),
        KNeighborsClassifier(7, class_weight="balanced", p=1),
        RadiusNeighborsClassifier(outlier_label="most_frequent"),
        RadiusNeighborsRegressor(),
        LocallyWeightedRegression(),
        LocallyWeightedRegression(bandwidth=2.0, kernel="gaussian"),
        LocallyWeightedRegression(frac=0.8, robust_iterations=2),
        KNeighborsRegressor(),
        KNeighborsRegressor(metric="nan_euclidean"),
        KNNImputer(),
        Nystroem(random_state=0),
        Nystroem("poly", n_components=5, selection="pivoted"),
        Nystroem(RBF(0.5) + Linear(), n_components=3, selection="kmeans", random_state=0),
        Nystroem("precomputed", n_components=5, random_state=0),
        RBFSampler(random_state=0),
        KNeighborsRegressor(weights="distance", metric=RBF(0.1)),
        KernelRegression(),
        KernelRegression(gamma=0.1, batch_size=None),
        KernelRegression(kernel="linear", validation_fraction=0.2),
        KernelRegression(kernel="precomputed", warm_start=True),
        KernelRidge(),
        KernelRidge(kernel="rbf", fit_intercept=True),
        KernelRidge(kernel="precomputed"),
        KernelRidge(kernel="laplacian", solver="cg", tol=1e-12),
        KernelRidgeCV(kernel="rbf"),
        KernelRidgeCV(fit_intercept=True, cv=3),
        SparseKernelRidge(),
        SparseKernelRidge(kernel="precomputed", fit_intercept=True, selection="pivoted"),
        SparseKernelRidge(fit_intercept=True, n_components=20, selection="kmeans", random_state=0),
        SparseKernelRidgeCV(fit_intercept=True),
        KernelRidgeClassifier(),
        KernelRidgeClassifier(kernel="precomputed"),
        Perceptron(),
        Perceptron(penalty="elasticnet", eta0=0.1),
        Perceptron(tol=None, max_iter=100, fit_intercept=False),
        Perceptron(kernel=Linear(), shuffle=False),
        Perceptron(kernel="rbf"),
        Perceptron(kernel="poly", max_iter=50),
        Perceptron(kernel="precomputed"),
        LinearSVC(),
        LinearSVC(tol=1e-12),
        LinearSVC(loss="hinge"),
        LinearSVC(solver="coordinate-descent", random_state=0),
        LinearSVC(solver="newton", class_weight="balanced"),
        LinearSVC(loss="hinge", solver="coordinate-descent", warm_start=True),
        LinearSVC(regularize_intercept=False),
        LinearSVC(loss="hinge", regularize_intercept=False, n_jobs=1),
        LinearSVC(fit_intercept=False, intercept_scaling=2.0),
        LinearSVC(penalty="l1"),
        LinearSVC(penalty="l1", regularize_intercept=False, warm_start=True),
        LinearSVC(multi_class="crammer_singer"),
        LinearSVC(multi_class="crammer_singer", fit_intercept=False, warm_start=True),
        LinearSVR(),
        LinearSVR(loss="squared_epsilon_insensitive"),
        LinearSVR(loss="squared_epsilon_insensitive", tol=1e-12),
        LinearSVR(solver="coordinate-descent", random_state=0),
        LinearSVR(solver="newton", epsilon=0.1, warm_start=True),
        LinearSVR(regularize_intercept=False),
        LinearSVR(loss="squared_epsilon_insensitive", regularize_intercept=False, n_jobs=1),
        LinearSVR(fit_intercept=False),
    ],
    expected_failed_checks=exempt,
)
def test_estimator_keeps_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "twin",
    [
        sklearn.kernel_ridge.KernelRidge,
        sklearn.gaussian_process.GaussianProcessRegressor,
        sklearn.gaussian_process.GaussianProcessClassifier,
        sklearn.kernel_approximation.Nystroem,
        sklearn.kernel_approximation.RBFSampler,
    ],
)
def test_every_parameter_is_in_the_place_that_scikit_learn_has_it(twin):
    ours = inspect.signature(getattr(mercer, twin.__name__)).parameters
    for name, parameter in inspect.signature(twin).parameters.items():
        assert ours[name].kind is parameter.kind
        assert ours[name].default == parameter.default


@pytest.mark.parametrize("model", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_every_parameter_of_scikit_learn_is_taken_with_its_default(model):
    twin = getattr(sklearn.svm, model.__name__)
    ours, theirs = inspect.signature(model).parameters, inspect.signature(twin).parameters
    # scikit-learn is removing probability; the budget of cache_size covers more than a cache.
    different = {"cache_size"}
    for name, parameter in theirs.items():
        if name == "probability":
            continue
        assert name in ours
        assert ours[name].kind is inspect.Parameter.KEYWORD_ONLY
        if name not in different:
            assert ours[name].default == parameter.default


@pytest.fixture(scope="module", params=[2, 4], ids=["two classes", "four classes"])
def labelled(request):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((160, 3))
    return X, np.array(["a", "b", "c", "d"])[rng.integers(0, request.param, 160)]


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "precomputed"])
def test_every_fitted_attribute_of_scikit_learn_exists_with_its_shape_and_kind(labelled, kernel):
    X, y = labelled
    X = X @ X.T if kernel == "precomputed" else X
    ours, theirs = SVC(kernel=kernel).fit(X, y), sklearn.svm.SVC(kernel=kernel).fit(X, y)
    for name in [name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")]:
        # scikit-learn keeps the sparseness of the last fit and the coefficients of a removed feature here.
        if name in ("probA_", "probB_"):
            continue
        mine, other = getattr(ours, name), getattr(theirs, name)
        if name in ("support_", "support_vectors_", "dual_coef_"):
            assert mine.ndim == other.ndim, name
            assert mine.dtype == other.dtype, name
        else:
            assert np.shape(mine) == np.shape(other), name
            assert np.asarray(mine).dtype.kind == np.asarray(other).dtype.kind, name


@pytest.mark.parametrize("model", [NuSVC(), SVR(), NuSVR(), OneClassSVM()])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
def test_every_fitted_attribute_of_the_other_machines_exists_with_its_shape_and_kind(model, kernel):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = X[:, 0] + 0.3 * rng.standard_normal(80)
    y = (y > 0).astype(int) if isinstance(model, NuSVC) else y
    X = X @ X.T if kernel == "precomputed" else X
    shared = {"nu": model.nu} if hasattr(model, "nu") else {}
    theirs = getattr(sklearn.svm, type(model).__name__)(kernel=kernel, **shared).fit(X, y)
    ours = clone(model).set_params(kernel=kernel).fit(X, y)
    names = [name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")]
    for name in [*names, "n_support_", "support_", "dual_coef_", "intercept_"]:
        if name in ("probA_", "probB_"):
            continue
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert np.ndim(mine) == np.ndim(other), name
        assert np.asarray(mine).dtype.kind == np.asarray(other).dtype.kind, name


def test_attribute_of_the_wrong_kernel_is_absent_as_in_scikit_learn(labelled):
    X, y = labelled
    assert not hasattr(SVC().fit(X, y), "coef_")
    assert hasattr(SVC(kernel="linear").fit(X, y), "coef_")
    for name in ("support_", "coef_", "dual_coef_", "intercept_", "n_support_"):
        assert not hasattr(SVC(kernel="linear"), name)


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_decision_function_has_scikit_learns_shape_and_signs(labelled, shape):
    X, y = labelled
    ours = SVC(tol=1e-8, decision_function_shape=shape).fit(X, y).decision_function(X)
    theirs = sklearn.svm.SVC(tol=1e-8, decision_function_shape=shape).fit(X, y).decision_function(X)
    # Both are within tol of the optimum; the free support vectors fix the values up to that.
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_sparse_fit_gives_sparse_attributes_as_in_scikit_learn(labelled):
    X, y = labelled
    ours, theirs = (model(kernel="linear").fit(sp.csr_matrix(X), y) for model in (SVC, sklearn.svm.SVC))
    for name in ("support_vectors_", "dual_coef_", "coef_"):
        assert sp.issparse(getattr(ours, name)) == sp.issparse(getattr(theirs, name)), name
