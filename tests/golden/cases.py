"""The fits: every estimator on small data of several kinds, and some large enough for what small ones never reach."""

import numpy as np
import scipy.sparse as sp
from sklearn import datasets

from mercer import (
    RBF,
    SVC,
    SVR,
    KernelRegression,
    Laplacian,
    Linear,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    Polynomial,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
)

__all__ = ["CASES"]


def moons(n=120):
    return datasets.make_moons(n, noise=0.3, random_state=1)


def blobs(n=150):
    return datasets.make_blobs(n, centers=4, n_features=3, cluster_std=2.5, random_state=3)


def waves(n=120):
    random = np.random.default_rng(4)
    X = random.normal(size=(n, 4))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * random.normal(size=n)


def text(n=150):
    random = np.random.default_rng(6)
    X = sp.random(n, 300, density=0.04, format="csr", random_state=random)
    score = np.asarray(X[:, :100].sum(axis=1) - X[:, 100:200].sum(axis=1)).ravel()
    return X, (score + 0.3 * random.normal(size=n) > 0).astype(int)


def wide(n=60):
    X = np.random.default_rng(8).normal(size=(n, 300))
    return X, (X[:, :3].sum(axis=1) > 0).astype(int)


def many(n=3000):
    X, y = datasets.make_classification(n, 6, n_informative=5, n_redundant=0, flip_y=0.05, random_state=9)
    return X, y


def separable(n=60):
    X, y = datasets.make_blobs(n, centers=[[-3.0, 0.0], [3.0, 1.0]], cluster_std=0.8, random_state=5)
    return X, y


def offset(n=80):
    X, y = moons(n)
    return 1e4 + X, y


def gram(data):
    X, y = data()
    return RBF(0.7)(X), y


def single(data):
    X, y = data()
    return X.astype(np.float32), y


def weighted(data):
    X, y = data()
    return X, y, np.random.default_rng(5).integers(0, 4, len(y)).astype(float)


def dot_product(A, B):
    """(AᵀB + 1)², from Python."""
    return np.square(A @ B.T + 1.0)


_KERNELS = {
    "rbf": RBF(0.7),
    "linear": Linear(),
    "polynomial": Polynomial(2, 0.5, 1.0),
    "laplacian": Laplacian(0.4),
    "sum": RBF(0.7) + Linear(),
    "product": RBF(0.7) * Polynomial(2),
    "scaled": 2.5 * RBF(0.7),
    "callable": dot_product,
    "auto": "auto",
}

#: name: (model, data); data are X, y and, of some, weights.
CASES = {}


def _add(name, model, data, *how):
    CASES[name] = (model, lambda: data() if not how else how[0](data))


for _name, _kernel in _KERNELS.items():
    _add(f"SVC {_name}", lambda k=_kernel: SVC(kernel=k, C=2.0), moons)
    _add(f"SVR {_name}", lambda k=_kernel: SVR(kernel=k, C=2.0), waves)
for _name in ("rbf", "linear", "polynomial", "laplacian", "sum", "callable"):
    _kernel = _KERNELS[_name]
    _add(f"NuSVC {_name}", lambda k=_kernel: NuSVC(kernel=k, nu=0.4), moons)
    _add(f"NuSVR {_name}", lambda k=_kernel: NuSVR(kernel=k, C=2.0, nu=0.4), waves)
    _add(f"OneClassSVM {_name}", lambda k=_kernel: OneClassSVM(kernel=k, nu=0.3), moons)

_FORMS = {"gram": gram, "float32": single, "weighted": weighted}
for _form, _how in _FORMS.items():
    _kernel = "precomputed" if _form == "gram" else RBF(0.7)
    _add(f"SVC {_form}", lambda k=_kernel: SVC(kernel=k, C=2.0), moons, _how)
    _add(f"NuSVC {_form}", lambda k=_kernel: NuSVC(kernel=k, nu=0.2), moons, _how)
    _add(f"SVR {_form}", lambda k=_kernel: SVR(kernel=k, C=2.0), waves, _how)
    _add(f"NuSVR {_form}", lambda k=_kernel: NuSVR(kernel=k, nu=0.3), waves, _how)
    _add(f"OneClassSVM {_form}", lambda k=_kernel: OneClassSVM(kernel=k, nu=0.3), waves, _how)

_add("SVC four classes", lambda: SVC(), blobs)
_add("SVC four classes weighted", lambda: SVC(class_weight="balanced"), blobs, weighted)
_add("SVC four classes ovr", lambda: SVC(multi_class="ovr"), blobs)
_add("SVC four classes gram", lambda: SVC(kernel="precomputed"), blobs, gram)
for _kind in ("sigmoid", "isotonic", "temperature"):
    _add(f"SVC {_kind}", lambda k=_kind: SVC(probability=k, C=2.0), moons)
    _add(f"SVC four classes {_kind}", lambda k=_kind: SVC(probability=k, random_state=3), blobs)
    _add(f"SVC many rows {_kind}", lambda k=_kind: SVC(probability=k), many)
_add("SVC four classes ovr sigmoid", lambda: SVC(multi_class="ovr", probability=True), blobs)
_add("NuSVC sigmoid", lambda: NuSVC(nu=0.2, probability=True), blobs)
_add("SVR hard tube", lambda: SVR(C=np.inf), waves)
_add("NuSVC four classes", lambda: NuSVC(nu=0.2), blobs)
_add("SVC sparse", lambda: SVC(C=3.0, gamma=0.5), text)
_add("SVC sparse linear", lambda: SVC(kernel="linear"), text)
_add("SVC sparse linear dual", lambda: SVC(kernel="linear", formulation="dual"), text)
_add("OneClassSVM sparse", lambda: OneClassSVM(gamma=0.5, nu=0.2), text)
_add("SVC wide", lambda: SVC(), wide)
_add("SVC wide linear", lambda: SVC(kernel="linear"), wide)
_add("SVC sigmoid", lambda: SVC(kernel="sigmoid", gamma=0.1), moons)
_add("SVC many", lambda: SVC(C=10.0, gamma=0.3), many)
_add("SVC many one thread", lambda: SVC(C=10.0, gamma=0.3, n_jobs=1), many)
_add("SVC many small budget", lambda: SVC(C=10.0, gamma=0.3, cache_size=2), many)
_add("SVC many without shrinking", lambda: SVC(C=10.0, gamma=0.3, shrinking=False), many)
_add("SVC many polynomial dual", lambda: SVC(kernel="poly", gamma=0.2, coef0=1.0, formulation="dual"), many)
_add("SVC many primal", lambda: SVC(kernel="poly", degree=2, gamma=0.2, coef0=1.0, formulation="primal"), many)
_add("SVC many linear", lambda: SVC(kernel="linear"), many)
_add("NuSVC many", lambda: NuSVC(gamma=0.3, nu=0.2), many)
_add("SVR many", lambda: SVR(C=10.0, gamma=0.3), lambda: waves(2500))
_add("NuSVR many", lambda: NuSVR(C=10.0, gamma=0.3, nu=0.3), lambda: waves(1500))
_add("OneClassSVM many", lambda: OneClassSVM(gamma=0.3, nu=0.1), many)
_add("SVC tight", lambda: SVC(C=5.0, tol=1e-8), moons)
_add("SVC gap", lambda: SVC(C=5.0, gap_tol=1e-7), moons)
_add("SVR gap", lambda: SVR(C=5.0, gap_tol=1e-7), waves)
_add("NuSVR gap", lambda: NuSVR(C=5.0, gap_tol=1e-7), waves)
_add("SVC polished", lambda: SVC(C=5.0, polish=True), moons)
_add("SVR polished", lambda: SVR(C=5.0, polish=True), waves)
_add("NuSVC polished", lambda: NuSVC(nu=0.3, polish=True), moons)
_add("SVC large C", lambda: SVC(C=1e6, gamma=1.0), moons)
_add("SVC offset", lambda: SVC(kernel="linear", C=1e3), offset)
_add("SVR offset", lambda: SVR(kernel="linear", C=1e3), lambda: (1e4 + waves()[0], waves()[1]))
_add("SVC hard margin", lambda: SVC(C=np.inf, kernel="linear"), separable)
_add("SVC hard margin rbf", lambda: SVC(C=np.inf, gamma=1.0), moons)
for _solver in ("smo-sketch", "active-set", "qp-primal", "qp-dual", "qp-bidual", "sgd", "coordinate-ascent"):
    _add(f"SVC {_solver}", lambda s=_solver: SVC(kernel="linear", solver=s, tol=1e-2), separable)
_add("SVC smo-sketch traced", lambda: SVC(solver="smo-sketch", trace=True), moons)
_add("SVC traced", lambda: SVC(trace=True), moons)

for _loss in ("hinge", "squared_hinge"):
    for _free in (True, False):
        _way = {"loss": _loss, "regularize_intercept": _free}
        _add(f"LinearSVC {_loss} {_free}", lambda w=_way: LinearSVC(**w), moons)
        _add(f"LinearSVC sparse {_loss} {_free}", lambda w=_way: LinearSVC(**w), text)
_add("LinearSVC dual", lambda: LinearSVC(loss="hinge", solver="coordinate-descent"), many)
_add("LinearSVC many", lambda: LinearSVC(loss="hinge"), many)
_add("LinearSVC no intercept", lambda: LinearSVC(fit_intercept=False), moons)
_add("LinearSVC four classes", lambda: LinearSVC(), blobs)
_add("LinearSVC four classes weighted", lambda: LinearSVC(), blobs, weighted)
_add("LinearSVC wide", lambda: LinearSVC(), wide)
_add("LinearSVC l1", lambda: LinearSVC(penalty="l1"), wide)
_add("LinearSVC l1 sparse", lambda: LinearSVC(penalty="l1"), text)
_add("LinearSVC Crammer Singer", lambda: LinearSVC(multi_class="crammer_singer"), blobs)
_add("LinearSVC offset", lambda: LinearSVC(loss="hinge", C=1e3, regularize_intercept=False), offset)
for _loss in ("epsilon_insensitive", "squared_epsilon_insensitive"):
    _add(f"LinearSVR {_loss}", lambda lo=_loss: LinearSVR(loss=lo, epsilon=0.1), waves)
    _add(f"LinearSVR free {_loss}", lambda lo=_loss: LinearSVR(loss=lo, epsilon=0.1, regularize_intercept=False), waves)
_SEEDED = {"max_iter": 5, "tol": None, "random_state": 0}
_add("SGDClassifier", lambda: SGDClassifier(**_SEEDED), moons)
_add("SGDClassifier four classes", lambda: SGDClassifier(loss="log_loss", average=True, **_SEEDED), blobs)
_add("SGDClassifier l1 sparse", lambda: SGDClassifier(penalty="l1", **_SEEDED), text)
_add("SGDRegressor", lambda: SGDRegressor(**_SEEDED), waves)
_add("SGDOneClassSVM", lambda: SGDOneClassSVM(**_SEEDED), moons)
_add("Perceptron", lambda: Perceptron(random_state=0, max_iter=5, tol=None), moons)
_add("Perceptron rbf", lambda: Perceptron("rbf", random_state=0, max_iter=5, tol=None), moons)
_add("Perceptron four classes", lambda: Perceptron(random_state=0, max_iter=5, tol=None), blobs)
_add("KernelRegression", lambda: KernelRegression(max_passes=5, random_state=0), waves)
_add("KernelRegression gram", lambda: KernelRegression(kernel="precomputed", max_passes=5, random_state=0), waves, gram)
