"""The certificate of a fitted SVC holds the numbers that the naive twin computes from a full Gram matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_blobs, make_moons

import mercer
from tests.reference import kernels as twin
from tests.reference.svc import binary_machines

# Sums over a hundred terms, each a kernel value of order one times a multiplier of order C.
ROUNDING = 1e-10

GAMMA = 0.4


def moons():
    return make_moons(60, noise=0.3, random_state=1)


def blobs():
    return make_blobs([30, 20], centers=[[0, 0], [2, 1]], random_state=2)


def iris():
    X, y = load_iris(return_X_y=True)
    return X[::2], y[::2]


def weighted(X, y):
    weights = np.linspace(0.2, 3.0, len(y))
    weights[::7] = 0
    return weights


CASES = [
    pytest.param(moons, {"kernel": "rbf"}, None, id="rbf"),
    pytest.param(moons, {"kernel": "rbf", "C": 100.0}, None, id="large C"),
    pytest.param(moons, {"kernel": "rbf", "C": 1e-3}, None, id="small C"),
    pytest.param(blobs, {"kernel": "linear"}, None, id="linear"),
    pytest.param(blobs, {"kernel": "poly", "degree": 2, "coef0": 1.0}, None, id="poly"),
    pytest.param(blobs, {"kernel": "laplacian"}, None, id="laplacian"),
    pytest.param(moons, {"kernel": "rbf"}, weighted, id="weighted"),
    pytest.param(moons, {"kernel": "rbf", "tol": 0.5}, None, id="far from the optimum"),
    pytest.param(iris, {"kernel": "rbf"}, None, id="three classes"),
    pytest.param(iris, {"kernel": "linear", "C": 10.0}, weighted, id="three classes weighted"),
]


def formula(parameters):
    return {
        "rbf": twin.rbf(GAMMA),
        "linear": twin.linear(),
        "poly": twin.polynomial(2, GAMMA, 1.0),
        "laplacian": twin.laplacian(GAMMA),
    }[parameters["kernel"]]


def assert_equals_twin(certificate, machine):
    size = max(1.0, np.abs(machine.coef).sum() * np.abs(machine.K).max())
    close = {"rel": ROUNDING, "abs": ROUNDING * size}
    assert certificate.primal == pytest.approx(machine.primal(), **close)
    assert certificate.dual == pytest.approx(machine.dual(), **close)
    assert certificate.gap == pytest.approx(machine.primal() - machine.dual(), **close)
    assert certificate.relative_gap == pytest.approx(
        (machine.primal() - machine.dual()) / max(abs(machine.primal()), abs(machine.dual())), **close
    )
    assert certificate.violation == pytest.approx(machine.violation(), **close)
    assert certificate.kkt_residuals == pytest.approx(machine.kkt_residuals(), **close)
    assert certificate.intercept_interval == pytest.approx(sorted(machine.intercept_interval()), **close)
    assert certificate.margin == pytest.approx(machine.margin(), **close)
    assert certificate.rows == len(machine.t)
    positions = {name: certificate.counts[name] for name in ("non-support", "free", "bounded")}
    assert positions == {name: machine.counts()[name] for name in positions}
    assert sum(certificate.counts[name] for name in ("outside", "inside the margin", "misclassified")) == len(machine.t)
    assert certificate.counts["misclassified"] == machine.counts()["misclassified"]
    # Free vectors have a slack of zero up to the sign of a rounding error.
    assert abs(certificate.counts["outside"] - machine.counts()["outside"]) <= machine.counts()["free"]
    assert certificate.feasibility_residuals["box"] <= ROUNDING
    assert certificate.feasibility_residuals["sum"] <= ROUNDING


@pytest.mark.parametrize(("data", "parameters", "weigh"), CASES)
@pytest.mark.parametrize("anew", [False, True], ids=["of the fit", "by certify"])
def test_certificate_equals_the_naive_twin(data, parameters, weigh, anew):
    X, y = data()
    weights = weigh(X, y) if weigh else None
    model = mercer.SVC(gamma=GAMMA, **parameters).fit(X, y, sample_weight=weights)
    certificate = mercer.certify(model, X, y, sample_weight=weights) if anew else model.certificate_
    machines = binary_machines(model, twin.gram(formula(parameters), X), y, weights)
    parts = certificate.parts or (certificate,)
    assert len(parts) == len(machines)
    for part, machine in zip(parts, machines, strict=True):
        assert_equals_twin(part, machine)


def test_certificate_of_several_classes_adds_up_its_parts():
    X, y = iris()
    certificate = mercer.SVC(gamma=GAMMA).fit(X, y).certificate_
    parts = certificate.parts
    assert len(parts) == 3
    assert certificate.primal == pytest.approx(sum(part.primal for part in parts))
    assert certificate.dual == pytest.approx(sum(part.dual for part in parts))
    assert certificate.rows == sum(part.rows for part in parts) == 2 * len(y)
    assert certificate.violation == max(part.violation for part in parts)
    assert certificate.margin == min(part.margin for part in parts)
    for name in certificate.counts:
        assert certificate.counts[name] == sum(part.counts[name] for part in parts)
    for name in certificate.kkt_residuals:
        assert certificate.kkt_residuals[name] == max(part.kkt_residuals[name] for part in parts)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_certificate_is_in_float64_whatever_the_data(dtype, layout):
    X, y = moons()
    X = X.astype(dtype)
    model = mercer.SVC(gamma=GAMMA, tol=1e-5).fit(layout(X), y)
    (machine,) = binary_machines(model, twin.gram(twin.rbf(GAMMA), X), y)
    assert_equals_twin(model.certificate_, machine)
    assert_equals_twin(mercer.certify(model, layout(X), y), machine)


def test_certificate_bounds_the_true_distance_from_the_optimum():
    X, y = moons()
    best = mercer.SVC(gamma=GAMMA, tol=1e-9).fit(X, y).certificate_
    for tol in (1.0, 0.1, 1e-2, 1e-3):
        rough = mercer.SVC(gamma=GAMMA, tol=tol).fit(X, y).certificate_
        assert rough.dual <= best.primal * (1 + ROUNDING)
        assert rough.primal >= best.dual * (1 - ROUNDING)
        assert rough.primal - best.dual <= rough.gap + best.gap + ROUNDING


def test_certificate_at_the_optimum_has_no_gap():
    X, y = moons()
    certificate = mercer.SVC(gamma=GAMMA, tol=1e-9).fit(X, y).certificate_
    assert certificate.violation <= 1e-9 + certificate.accuracy
    assert 0 <= certificate.relative_gap + ROUNDING <= 1e-8
    assert max(certificate.kkt_residuals.values()) <= 1e-8
    assert certificate.accuracy < 1e-9


def test_intercept_lies_in_the_interval_of_the_certificate():
    X, y = moons()
    model = mercer.SVC(gamma=GAMMA, tol=1e-6).fit(X, y)
    (machine,) = binary_machines(model, twin.gram(twin.rbf(GAMMA), X), y)
    least, largest = model.certificate_.intercept_interval
    assert least - ROUNDING <= model.intercept_[0] <= largest + ROUNDING
    assert model.intercept_[0] == pytest.approx(machine.best_intercept(), abs=1e-9)


def test_certificate_of_a_dictator_class_has_an_interval_for_the_intercept():
    """Every multiplier at its bound: any intercept between two values is optimal, and the interval says which."""
    X, y = np.array([[0.0], [1.0]]), [0, 1]
    model = mercer.SVC(kernel="linear", C=0.1).fit(X, y)
    least, largest = model.certificate_.intercept_interval
    # α = C on both rows, so f(x) = 0.1 x + b, and both slacks stay positive for −1 ≤ b ≤ 0.9.
    assert (least, largest) == pytest.approx((-1.0, 0.9))
    assert model.intercept_[0] == pytest.approx(-0.05)
    assert model.certificate_.counts["bounded"] == 2


def test_hard_margin_certificate_equals_the_naive_twin():
    X, y = make_blobs([15, 12], centers=[[0, 0], [6, 6]], random_state=0)
    model = mercer.SVC(kernel="linear", C=np.inf, tol=1e-8).fit(X, y)
    (machine,) = binary_machines(model, twin.gram(twin.linear(), X), y)
    certificate = mercer.certify(model, X, y)
    assert certificate.primal == pytest.approx(machine.primal(), rel=1e-9)
    assert certificate.dual == pytest.approx(machine.dual(), rel=1e-9)
    assert 0 <= certificate.relative_gap + ROUNDING < 1e-6
    assert certificate.counts["bounded"] == 0
    assert certificate.margin == pytest.approx(1 / np.linalg.norm(model.coef_), rel=1e-9)
    assert "hard" in str(certificate).lower()


def test_certificate_reads_as_a_paragraph():
    X, y = moons()
    certificate = mercer.SVC(gamma=GAMMA).fit(X, y).certificate_
    text = str(certificate)
    support_vectors = certificate.counts["free"] + certificate.counts["bounded"]
    assert f"{support_vectors} support vectors" in text
    assert f"{certificate.gap:.2g}" in text
    assert "from the optimum" in text
    assert "3 binary problems" in str(mercer.SVC(gamma=GAMMA).fit(*iris()).certificate_)


def test_accuracy_of_an_indefinite_kernel_covers_values_off_its_diagonal(random):
    # tanh of nearly nothing on the diagonal, of much off it.
    X = random.normal(size=(40, 2)) * 1e-9
    X[20:] += [1e3, 0]
    model = mercer.SVC(kernel=mercer.kernels.Sigmoid(gamma=1.0)).fit(X, np.arange(40) % 2)
    K = np.tanh(X @ X.T)
    largest = np.abs(K).max() * np.abs(model.dual_coef_).sum()
    assert model.certificate_.accuracy >= np.finfo(float).eps * largest


def test_accuracy_of_a_sum_of_kernels_is_that_of_its_terms(random):
    # A long row rounds much in the RBF kernel, where its values are tiny, and has large values in the linear one.
    X, y = random.normal(size=(200, 5)), np.arange(200) % 2
    X[:10, -1] = 300
    model = mercer.SVC(kernel=mercer.kernels.RBF(0.5) + mercer.kernels.Linear(), tol=1e-6).fit(X, y)
    assert model.status_.name == "SOLVED"
    assert model.certificate_.accuracy < 1e-7
