"""Certificates of SVR, NuSVR, OneClassSVM and NuSVC say what the definitions say, and fail where a machine is wrong."""

import copy
import dataclasses
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import InputError, UnsolvedWarning
from tests.contracts.estimator_registry import ENTRIES, named
from tests.reference import problems as twin

TOL = 1e-3
N = 90
GAMMA = 0.5
# Those that scikit-learn has too, and whose definitions stand in `numbers`.
PARAMETERS = {named(entry): entry.parameters for entry in ENTRIES if hasattr(sklearn.svm, named(entry))}
ALL = list(PARAMETERS)
FOUR = ALL[1:]
MODULES = [pytest.param(mercer, id="mercer"), pytest.param(sklearn.svm, id="scikit-learn")]
# Sums of a hundred terms in another order.
ROUNDING = 1e-10
# LIBSVM judges its running gradient, which by the end has gathered the rounding of all its steps.
DRIFT_OF_LIBSVM = 1e-6


def data(kind):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(N, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.4 * rng.normal(size=N)
    return X, np.where(y > 0, 1, -1) if kind in ("SVC", "NuSVC") else y


def weights(weighted):
    rng = np.random.default_rng(12)
    return np.where(rng.random(N) < 0.2, 0.0, rng.uniform(0.5, 2, N)) if weighted else np.ones(N)


def fit(kind, module=sklearn.svm, tol=1e-7, v=None, X=None, **parameters):
    own, y = data(kind)
    model = getattr(module, kind)(**{"gamma": GAMMA, "tol": tol, **PARAMETERS[kind], **parameters})
    return model.fit(own if X is None else X, y, sample_weight=v)


def certify(model, v=None, X=None):
    own, y = data(kind_of(model))
    return mercer.certify(model, own if X is None else X, y, sample_weight=v)


def kind_of(model):
    return type(model).__name__


def coefficients(model, v):
    """dual_coef_ with an entry for each row; scikit-learn numbers support_ among rows of positive weight."""
    full = np.zeros(N)
    dual_coef = model.dual_coef_.toarray() if sp.issparse(model.dual_coef_) else model.dual_coef_
    renumbered = not type(model).__module__.startswith("mercer")
    full[np.flatnonzero(v)[model.support_] if renumbered else model.support_] = dual_coef[0]
    return full


def numbers(model, v, epsilon=None):
    """Primal, dual and violation from the definitions; with the best tube where the model does not tell its own."""
    X, y = data(kind_of(model))
    K, c, b = rbf_kernel(X, gamma=GAMMA), coefficients(model, v), float(model.intercept_[0])
    match kind_of(model):
        case "SVR":
            rest = model.C, model.epsilon
            return (
                twin.svr_primal(K, c, b, y, v, *rest),
                twin.svr_dual(K, c, y, model.epsilon),
                twin.svr_violation(K, c, y, v, *rest),
            )
        case "NuSVR":
            tube = getattr(model, "epsilon_", None) if epsilon is None else epsilon
            tube = twin.nu_svr_best_epsilon(K, c, b, y, v, model.nu) if tube is None else tube
            return (
                twin.nu_svr_primal(K, c, b, y, v, model.C, model.nu, tube),
                twin.nu_svr_dual(K, c, y),
                twin.nu_svr_violation(K, c, y, v, model.C),
            )
        case "OneClassSVM":
            return (
                twin.one_class_primal(K, c, -b, v, model.nu),
                twin.one_class_dual(K, c),
                twin.one_class_violation(K, c, v),
            )
        case "NuSVC":
            c, rho = twin.nu_svc_before_division(c, v, model.nu)
            return (
                twin.nu_svc_primal(K, c, rho * b, rho, y, v, model.nu),
                twin.nu_svc_dual(K, c),
                twin.nu_svc_violation(K, c, y, v),
            )


def optimum(kind):
    return fit(kind, mercer, tol=1e-9).certificate_.dual


def disturbed(model, dual_coef=None, intercept=None):
    other = copy.deepcopy(model)
    if dual_coef is not None:
        other._dual_coef_ = other.dual_coef_ = dual_coef
    if intercept is not None:
        other._intercept_ = other.intercept_ = intercept
        if hasattr(other, "offset_"):
            other.offset_ = -intercept
    return other


def bound(model):
    """The bound of a coefficient of weight one; in NuSVC that after the division by ρ."""
    if kind_of(model) == "NuSVC":
        return np.abs(model.dual_coef_).sum() / (model.nu * N)
    return getattr(model, "C", 1.0) if kind_of(model) != "OneClassSVM" else 1.0


def free(model):
    size = np.abs(model.dual_coef_[0]) / bound(model)
    return np.flatnonzero((size > 0.05) & (size < 0.95))


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-8])
@pytest.mark.parametrize("kind", FOUR)
def test_certificate_of_the_fit_has_the_numbers_of_the_definitions(kind, tol, weighted):
    v = weights(weighted)
    model = fit(kind, mercer, tol, v)
    primal, dual, violation = numbers(model, v)
    proof = model.certificate_
    assert proof.rows == np.count_nonzero(v)
    assert proof.primal == pytest.approx(primal, rel=ROUNDING)
    assert proof.dual == pytest.approx(dual, rel=ROUNDING)
    assert proof.gap == pytest.approx(primal - dual, abs=ROUNDING * abs(primal))
    assert proof.violation == pytest.approx(violation, abs=ROUNDING)
    assert proof.holds(tol)
    assert not proof.holds(violation / 10 - proof.accuracy) if violation > 1e-9 else True


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("kind", FOUR)
def test_certificate_of_scikit_learns_model_has_the_numbers_of_the_definitions(kind, weighted):
    v = weights(weighted)
    model = fit(kind, sklearn.svm, TOL, v)
    primal, dual, violation = numbers(model, v)
    proof = certify(model, v)
    # The division by ρ and the way back are rounded, and the sum of LIBSVM's coefficients is only nearly what it must
    # be; the dual is taken at a feasible point nearby.
    if kind == "NuSVR":
        # The model does not tell its tube: any other than the best costs more, but not more than violated rows can.
        assert primal * (1 - 1e-8) <= proof.primal <= primal + 2 * model.C * v.sum() * violation
    else:
        assert proof.primal == pytest.approx(primal, rel=1e-8)
    assert proof.dual == pytest.approx(dual, rel=1e-8)
    assert proof.violation == pytest.approx(violation, abs=1e-8)
    assert proof.holds(TOL + DRIFT_OF_LIBSVM)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix, sp.csr_array], ids=["dense", "matrix", "array"])
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("kind", ALL)
def test_certify_proves_models_of_all_kinds(kind, module, weighted, layout):
    X, _ = data(kind)
    rows = layout(np.where(np.abs(X) < 0.3, 0, X))
    v = weights(True) if weighted else None
    model = fit(kind, module, 1e-6, v, rows)
    assert certify(model, v, rows).holds(1e-6 + DRIFT_OF_LIBSVM)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("kind", ALL)
def test_certify_needs_the_weights_of_the_fit(kind, module):
    v = np.linspace(0.5, 2, N)
    model = fit(kind, module, 1e-6, v)
    assert certify(model, v).holds(TOL)
    assert not certify(model).holds(TOL)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("kind", ALL)
def test_certify_takes_precomputed_values_with_and_without_weights(kind, module, weighted):
    K = rbf_kernel(data(kind)[0], gamma=GAMMA)
    v = weights(True) if weighted else None
    model = fit(kind, module, 1e-6, v, K, kernel="precomputed")
    assert certify(model, v, K).holds(1e-6 + DRIFT_OF_LIBSVM)


@pytest.mark.parametrize("kernel", ["linear", "poly", lambda A, B: A @ B.T + 1], ids=["linear", "poly", "callable"])
@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("kind", ALL)
def test_certify_proves_models_of_other_kernels(kind, module, kernel):
    nu = {"nu": 0.7} if kind == "NuSVC" else {}  # a plane separates too little of these rows for less
    model = fit(kind, module, 1e-5, kernel=kernel, coef0=1.0, **nu)
    assert certify(model).holds(1e-5 + 10 * DRIFT_OF_LIBSVM)


@pytest.mark.parametrize("kind", ["SVR", "NuSVR", "OneClassSVM"])
def test_certify_ignores_what_the_problem_does_not_have(kind):
    """One class has no targets: any y is taken and none is needed. Regression needs them."""
    model = fit(kind)
    X, y = data(kind)
    if kind == "OneClassSVM":
        assert mercer.certify(model, X).dual == mercer.certify(model, X, y).dual
    else:
        with pytest.raises(ValueError, match="y"):
            mercer.certify(model, X)


def test_class_weight_that_scikit_learns_nu_svc_ignores_is_ignored():
    model = fit("NuSVC", class_weight={1: 1.7})
    assert certify(model).holds(1e-6)
    ours = fit("NuSVC", mercer, class_weight={1: 1.7})
    assert certify(ours).holds(1e-6)
    assert abs(certify(ours).dual - certify(model).dual) > 1e-3


@pytest.mark.parametrize("module", MODULES)
def test_nu_svc_of_three_classes_is_certified_pair_by_pair(module):
    X, y = load_iris(return_X_y=True)
    model = module.NuSVC(nu=0.3, gamma=GAMMA, tol=1e-6).fit(X, y)
    proof = mercer.certify(model, X, y)
    assert proof.holds(1e-6 + DRIFT_OF_LIBSVM)
    assert len(proof.parts) == 3
    for part, pair in zip(proof.parts, [(0, 1), (0, 2), (1, 2)], strict=True):
        rows = np.isin(y, pair)
        alone = module.NuSVC(nu=0.3, gamma=GAMMA, tol=1e-6).fit(X[rows], y[rows])
        # Two fits at tol = 1e-6: their objectives differ by far less than that.
        assert part.dual == pytest.approx(mercer.certify(alone, X[rows], y[rows]).dual, rel=1e-6)
    assert proof.dual == pytest.approx(sum(part.dual for part in proof.parts))


@pytest.mark.parametrize("kind", FOUR)
def test_undisturbed_model_is_proved(kind):
    model = fit(kind)
    assert certify(model).holds(1e-6)
    assert certify(disturbed(model, model.dual_coef_.copy(), model.intercept_.copy())).holds(1e-6)
    assert len(free(model)) >= 4


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("kind", FOUR)
def test_disturbed_coefficient_fails(kind, number):
    model = fit(kind)
    dual_coef = model.dual_coef_.copy()
    dual_coef[0, free(model)[number]] *= 1.5
    broken = certify(disturbed(model, dual_coef))
    assert not broken.holds(TOL)
    assert broken.gap > 10 * certify(model).gap


@pytest.mark.parametrize("kind", FOUR)
def test_swapped_coefficients_fail(kind):
    """Of the same sign, so every sum stays: only optimality is lost."""
    model = fit(kind)
    dual_coef = model.dual_coef_.copy()
    same = [i for i in free(model) if dual_coef[0, i] > 0]
    low, high = min(same, key=lambda i: dual_coef[0, i]), max(same, key=lambda i: dual_coef[0, i])
    assert dual_coef[0, high] > 1.2 * dual_coef[0, low]
    dual_coef[0, [low, high]] = dual_coef[0, [high, low]]
    broken = certify(disturbed(model, dual_coef))
    assert not broken.holds(TOL)
    assert max(broken.feasibility_residuals.values()) < 1e-6
    assert broken.violation > TOL
    assert broken.gap > 10 * certify(model).gap


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("kind", FOUR)
def test_disturbed_intercept_fails(kind, sign):
    model = fit(kind)
    broken = certify(disturbed(model, intercept=model.intercept_ + sign * 10 * TOL))
    assert broken.dual == pytest.approx(certify(model).dual, rel=1e-9)
    assert broken.gap > 10 * certify(model).gap
    assert not broken.holds(TOL)


@pytest.mark.parametrize("kind", FOUR)
def test_coefficient_beyond_its_bound_fails(kind):
    """Another takes up the difference, so that the sums stay."""
    model = fit(kind)
    dual_coef = model.dual_coef_.copy()
    size = np.abs(dual_coef[0]) / bound(model)
    full = int(np.flatnonzero(size > 0.99)[0])
    other = max((i for i in free(model) if dual_coef[0, i] * dual_coef[0, full] > 0), key=lambda i: size[i])
    share = 0.5 * size[other] * bound(model) * np.sign(dual_coef[0, full])
    dual_coef[0, full] += share
    dual_coef[0, other] -= share
    broken = certify(disturbed(model, dual_coef))
    assert not broken.holds(TOL)
    assert broken.feasibility_residuals["box"] > 0.01


@pytest.mark.parametrize("kind", ["OneClassSVM", "NuSVC"])
def test_coefficient_of_wrong_sign_fails(kind):
    model = fit(kind)
    dual_coef = model.dual_coef_.copy()
    dual_coef[0, 0] *= -1
    assert not certify(disturbed(model, dual_coef)).holds(TOL)


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("SVR", {"C": 4.0}),
        ("SVR", {"epsilon": 0.3}),
        ("NuSVR", {"C": 4.0}),
        ("NuSVR", {"nu": 0.6}),
        ("OneClassSVM", {"nu": 0.5}),
        ("NuSVC", {"nu": 0.5}),
        ("NuSVC", {"gamma": 0.6}),
    ],
)
def test_model_of_another_problem_fails(kind, changed):
    model = fit(kind).set_params(**changed)
    if "gamma" in changed:
        model._gamma = changed["gamma"]
    assert not certify(model).holds(TOL)


@pytest.mark.parametrize("max_iter", [0, 1, 3, 10])
@pytest.mark.parametrize("kind", ALL)
def test_primal_and_dual_enclose_the_optimum_however_early_the_fit_stops(kind, max_iter):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsolvedWarning)
        model = fit(kind, mercer, 1e-7, max_iter=max_iter)
    best = optimum(kind)
    proof = model.certificate_
    assert model.status_ is mercer.Status.ITERATION_LIMIT
    assert not proof.holds(TOL)
    assert proof.dual < best < proof.primal
    assert proof.gap == proof.primal - proof.dual
    if kind != "SVC":
        assert proof.primal == pytest.approx(numbers(model, np.ones(N))[0], rel=ROUNDING)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ALL)
def test_primal_and_dual_enclose_the_optimum_for_any_coefficients(kind, seed):
    """Neither inside the box nor of the right sum: the dual is that of some feasible point, or there is none."""
    rng = np.random.default_rng(seed)
    model = fit(kind)
    size = np.abs(model.dual_coef_).max()
    noise = rng.normal(size=model.dual_coef_.shape) * size * 10.0 ** rng.integers(-3, 2)
    broken = certify(disturbed(model, model.dual_coef_ + noise, model.intercept_ + rng.normal()))
    best = optimum(kind)
    assert broken.dual <= best + 1e-8 * abs(best)
    assert broken.primal >= best - 1e-8 * abs(best)
    assert not broken.holds(TOL)


@pytest.mark.parametrize("factor", [0.1, 0.9, 0.9999, 1.0001, 1.1, 2.0])
@pytest.mark.parametrize("kind", FOUR)
def test_primal_and_dual_enclose_the_optimum_for_coefficients_of_another_sum(kind, factor):
    model = fit(kind)
    proof = certify(disturbed(model, factor * model.dual_coef_))
    best = optimum(kind)
    assert proof.dual <= best + 1e-8 * abs(best)
    assert proof.primal >= best - 1e-8 * abs(best)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["coefficient", "intercept"])
@pytest.mark.parametrize("kind", FOUR)
def test_numbers_that_are_none_prove_nothing(kind, where, bad):
    model = fit(kind)
    dual_coef, intercept = model.dual_coef_.copy(), model.intercept_.copy()
    if where == "coefficient":
        dual_coef[0, 0] = bad
    else:
        intercept[0] = bad
    try:
        with np.errstate(all="ignore"):
            proof = certify(disturbed(model, dual_coef, intercept))
    except mercer.MercerError:
        return
    assert not proof.holds(1e3)


@pytest.mark.parametrize(("primal", "dual"), [(np.nan, np.nan), (np.nan, -np.inf), (1.0, np.nan), (np.inf, 1.0)])
def test_gap_that_is_no_number_is_not_a_relative_gap_of_nothing(primal, dual):
    proof = dataclasses.replace(fit("SVR", mercer).certificate_, primal=primal, dual=dual)
    assert not proof.relative_gap < 1
    assert not proof.holds(1e3, gap_tol=0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X[:, :1], y), "features"),
        (lambda X, y: (X[::-1], y), "same order"),
        (lambda X, y: (X[:10], y[:10]), "the data the model was fitted on"),
        (lambda X, y: (X + 1e-3, y), "the data the model was fitted on"),
        (lambda X, y: (X, y, np.ones(N - 1)), "sample_weight"),
        (lambda X, y: (X, y, -np.ones(N)), "weight"),
        (lambda X, y: (np.where(X[3, 1] == X, np.nan, X), y), "NaN"),
    ],
    ids=["features", "order", "too few", "moved", "weights", "negative weights", "NaN"],
)
@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("kind", FOUR)
def test_certify_refuses_other_data(kind, module, change, message):
    model = fit(kind, module)
    with pytest.raises(ValueError, match=message):
        mercer.certify(model, *change(*data(kind)))


@pytest.mark.parametrize("y", [np.ones(N - 1), np.full(N, "a"), np.full(N, np.nan)], ids=["short", "text", "NaN"])
@pytest.mark.parametrize("kind", ["NuSVC", "SVR", "NuSVR"])
def test_certify_refuses_targets_that_are_none(kind, y):
    with pytest.raises(ValueError, match=r"."):
        mercer.certify(fit(kind), data(kind)[0], y)


@pytest.mark.parametrize("kind", ["SVR", "NuSVR"])
def test_other_targets_prove_nothing(kind):
    X, y = data(kind)
    assert not mercer.certify(fit(kind), X, y[::-1]).holds(TOL)
    assert not mercer.certify(fit(kind), X, y + 0.1).holds(TOL)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("kind", ALL)
def test_certify_refuses_a_model_that_is_not_fitted(kind, module):
    with pytest.raises(NotFittedError):
        mercer.certify(getattr(module, kind)(), *data(kind))


def test_certify_refuses_another_regressor():
    with pytest.raises(InputError, match="expected a fitted"):
        mercer.certify(Ridge(), *data("SVR"))


@pytest.mark.parametrize("kind", ALL)
def test_certify_does_not_change_the_model(kind):
    model = fit(kind)
    before = model.dual_coef_.copy(), model.predict(data(kind)[0])
    certify(model)
    np.testing.assert_array_equal(model.dual_coef_, before[0])
    np.testing.assert_array_equal(model.predict(data(kind)[0]), before[1])
    assert model.dual_coef_.flags.writeable
