"""Contributions are the summands of what a machine says."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_iris, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, InputError, KernelRegression, LinearSVC, NuSVC, NuSVR, OneClassSVM
from mercer.inspection import contributions
from tests.names import plain

ROUNDING = 1e-9


def says(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def rbf(A, B):
    A, B = (M.toarray() if sp.issparse(M) else M for M in (A, B))
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=2))


@pytest.fixture(scope="module")
def moons():
    return make_moons(60, noise=0.2, random_state=0)


MODELS = [
    SVC(),
    SVC(kernel="linear"),
    SVC(kernel=rbf),
    NuSVC(nu=0.3),
    SVR(kernel="poly", coef0=1.0),
    NuSVR(kernel="laplacian"),
    OneClassSVM(nu=0.3),
    KernelRegression(random_state=0),
    sklearn.svm.SVC(),
    sklearn.svm.SVC(kernel=rbf),
    sklearn.svm.NuSVR(kernel="sigmoid", gamma=0.1),
    sklearn.svm.OneClassSVM(),
]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("model", MODELS, ids=plain)
def test_contributions_and_the_intercept_sum_to_what_the_model_says(model, form, moons):
    X, y = moons
    if isinstance(model, sklearn.svm.SVC) and callable(model.kernel) and form is sp.csr_matrix:
        pytest.skip("scikit-learn refuses sparse rows with a callable kernel")
    model.fit(form(X), y)
    queries = X[::7] + 0.1
    parts = contributions(model, form(queries))
    assert parts.shape == (len(queries), len(model.support_))
    np.testing.assert_allclose(parts.sum(axis=1) + model.intercept_[0], says(model, form(queries)), atol=ROUNDING)


def test_callable_kernel_sees_rows_in_the_form_of_the_fit(moons):
    X, y = moons

    def products(A, B):
        assert sp.issparse(A)
        assert sp.issparse(B)
        return (A @ B.T).toarray()

    model = SVC(kernel=products).fit(sp.csr_matrix(X), y)
    dense = SVC(kernel=lambda A, B: np.dot(A, B.T)).fit(X, y)
    for fitted in (model, dense):
        np.testing.assert_allclose(
            contributions(fitted, X[:4]), contributions(fitted, sp.csr_matrix(X[:4])), atol=ROUNDING
        )


def test_contribution_is_the_coefficient_times_the_kernel(moons):
    X, y = moons
    model = SVC(gamma=0.5).fit(X, y)
    by_hand = model.dual_coef_[0, 3] * np.exp(-0.5 * np.sum((X[model.support_[3]] - X[11]) ** 2))
    assert contributions(model, X[11:12])[0, 3] == pytest.approx(by_hand)


@pytest.mark.parametrize("kind", [SVC, sklearn.svm.SVC])
def test_precomputed_kernel_takes_values_with_the_training_rows(kind, moons):
    X, y = moons
    K = rbf(X, X)
    model = kind(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(
        contributions(model, K[:5]).sum(axis=1) + model.intercept_, model.decision_function(K[:5]), atol=ROUNDING
    )


@pytest.mark.parametrize(
    "model",
    [SVC(decision_function_shape="ovo"), SVC(multi_class="ovr"), sklearn.svm.SVC(decision_function_shape="ovo")],
    ids=plain,
)
def test_every_function_of_several_classes_can_be_asked_for(model):
    X, y = load_iris(return_X_y=True)
    model.fit(X, y)
    values = model.decision_function(X)
    for k in range(3):
        parts = contributions(model, X, function=k)
        np.testing.assert_allclose(parts.sum(axis=1) + model.intercept_[k], values[:, k], atol=ROUNDING)


def test_function_of_several_classes_must_be_named():
    X, y = load_iris(return_X_y=True)
    model = SVC().fit(X, np.array(["a", "b", "c"])[y])
    with pytest.raises(InputError, match="0: a against b; 1: a against c; 2: b against c"):
        contributions(model, X)
    with pytest.raises(InputError, match="got 3"):
        contributions(model, X, function=3)


def test_what_has_no_support_vectors_is_refused(moons):
    X, y = moons
    with pytest.raises(InputError, match="keeps weights only"):
        contributions(LinearSVC().fit(X, y), X)
    with pytest.raises(InputError, match="last step"):
        contributions(make_pipeline(StandardScaler(), SVC()).fit(X, y), X)
    with pytest.raises(InputError, match="expected 2 columns"):
        contributions(SVC().fit(X, y), X[:, :1])
    with pytest.raises(ValueError, match="NaN"):
        contributions(SVC().fit(X, y), np.full((1, 2), np.nan))
    with pytest.raises(ValueError, match="not fitted"):
        contributions(SVC(), X)
