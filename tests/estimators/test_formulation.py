"""Primal or dual, linear or not: the same machine either way, and `plan_` says which and why."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification, make_regression

from mercer import SVC, SVR, Linear, NuSVC, NuSVR, OneClassSVM, ParameterError, Polynomial, Status

# Two solutions of one problem, each within tol of the optimality conditions.
OF_TOL = 1e-4
TIGHT = 1e-7


def classes(rows=900, features=6, **options):
    return make_classification(rows, features, n_informative=4, flip_y=0.1, random_state=0, **options)


def targets(rows=900, features=5):
    X, y = make_regression(rows, features, noise=5.0, random_state=0)
    return X, y / y.std()


def values(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


MACHINES = [
    (SVC(C=2.0, tol=TIGHT), classes()),
    (SVC(C=2.0, tol=TIGHT, class_weight={0: 3.0}), classes(n_classes=3)),
    (NuSVC(nu=0.9, tol=TIGHT), classes()),
    (SVR(C=2.0, tol=TIGHT), targets()),
    (NuSVR(nu=0.3, C=2.0, tol=TIGHT), targets()),
    (OneClassSVM(nu=0.2, tol=TIGHT), (np.random.default_rng(0).normal(3.0, 1.0, (800, 4)), None)),
]


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2, 0.1, 1.0)])
@pytest.mark.parametrize(("model", "data"), MACHINES, ids=lambda value: getattr(type(value), "__name__", ""))
def test_both_formulations_give_the_same_machine(model, data, kernel):
    X, y = data
    primal, dual = (
        type(model)(**{**model.get_params(), "kernel": kernel, "formulation": way}).fit(X, y)
        for way in ("primal", "dual")
    )
    assert primal.status_ is dual.status_ is Status.SOLVED
    assert "its weights" in primal.plan_
    assert "kernel values" in dual.plan_
    assert primal.certificate_.dual == pytest.approx(dual.certificate_.dual, rel=1e-5)
    np.testing.assert_allclose(values(primal, X), values(dual, X), atol=OF_TOL)


def test_sparse_rows_give_the_machine_of_dense_ones():
    X, y = classes()
    X[np.abs(X) < 0.5] = 0.0
    dense = SVC(kernel="linear", formulation="primal", tol=TIGHT).fit(X, y)
    sparse = SVC(kernel="linear", formulation="primal", tol=TIGHT).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.coef_.toarray(), dense.coef_, atol=OF_TOL)


def test_auto_takes_weights_for_many_rows_and_kernel_values_for_few():
    X, y = classes(rows=3000)
    assert "its weights" in SVC(kernel="linear").fit(X, y).plan_
    assert "kernel values" in SVC(kernel="linear").fit(X[:60], y[:60]).plan_
    assert "no finite feature map" in SVC().fit(X[:60], y[:60]).plan_


def test_primal_is_refused_where_the_kernel_has_no_map():
    X, y = classes(rows=60)
    with pytest.raises(ParameterError, match="expected a kernel with a finite feature map"):
        SVC(formulation="primal").fit(X, y)
    with pytest.raises(ParameterError, match="hard margin"):
        SVC(kernel="linear", C=np.inf, formulation="primal").fit(X, y)
    with pytest.raises(ParameterError, match="formulation"):
        SVC(formulation="both").fit(X, y)


def test_warm_start_goes_on_through_weights():
    X, y = classes(rows=3000)
    model = SVC(kernel="linear", formulation="primal", warm_start=True).fit(X, y)
    first = int(model.n_iter_[0])
    model.fit(X, y)
    assert model.status_ is Status.SOLVED
    assert int(model.n_iter_[0]) < first


def test_kernel_auto_keeps_the_linear_kernel_unless_another_pays():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    straight = (X @ [1.0, -1.0, 0.5, 0.0] + 0.3 * rng.normal(size=3000) > 0).astype(int)
    round_ = (np.linalg.norm(X, axis=1) > 1.8).astype(int)
    model = SVC(kernel="auto").fit(X, straight)
    assert isinstance(model.kernel_, Linear)
    assert "is not significantly better" in model.plan_
    assert model.kernel == "auto"
    assert not isinstance(SVC(kernel="auto").fit(X, round_).kernel_, Linear)
    assert isinstance(SVR(kernel="auto").fit(X, X @ [1.0, 2.0, 0.0, 0.0]).kernel_, Linear)


def test_kernel_auto_judges_machines_as_they_predict():
    """Far from the origin, with a large C, only sums in twice the precision tell what a linear machine says."""
    rng = np.random.default_rng(0)
    rng.normal(size=(120, 3))
    X = rng.normal(size=(120, 3))
    y = ((X**2)[:, :2].sum(axis=1) > 1.5).astype(int)
    far, near = (SVC(kernel="auto", C=1e3).fit(X + offset, y).plan_ for offset in (1e6, 0.0))
    scores = [float(plan.partition("scores are linear ")[2].partition(",")[0]) for plan in (far, near)]
    assert scores[0] == pytest.approx(scores[1], abs=0.1)


def test_kernel_auto_gives_the_machine_of_the_kernel_it_takes():
    X, y = classes()
    model = SVC(kernel="auto").fit(X, y)
    other = SVC(kernel="linear" if isinstance(model.kernel_, Linear) else "rbf").fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))


def test_kernel_auto_asks_for_targets():
    with pytest.raises(ParameterError, match="expected targets to compare machines by"):
        OneClassSVM(kernel="auto").fit(np.ones((5, 2)))


def test_kernel_auto_takes_rbf_where_rows_are_too_few_to_compare():
    assert "too few rows" in SVC(kernel="auto").fit([[0.0], [1.0], [2.0]], [0, 1, 1]).plan_


def test_kernel_auto_reads_data_as_every_kernel_does():
    X, y = classes(300)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SVC(kernel="auto").fit(X, y[:-5])
    dense, sparse = SVC(kernel="auto").fit(X, y), SVC(kernel="auto").fit(sp.coo_matrix(X), y)
    assert dense.kernel_ == sparse.kernel_


@pytest.mark.parametrize("place", range(6))
def test_kernel_auto_compares_whatever_the_place_of_a_rare_class(place):
    X, y = classes(600)
    y = y.astype(int)
    y[place] = 2
    assert "held-out rows" in SVC(kernel="auto").fit(X, y).plan_


def test_kernel_auto_leaves_rows_without_weight_out():
    X, y = classes(600)
    weights = np.repeat([1.0, 0.0], 300)
    wrong = np.concatenate([y[:300], 1 - y[300:]])
    assert SVC(kernel="auto").fit(X, wrong, weights).plan_ == SVC(kernel="auto").fit(X, y, weights).plan_
