"""Small datasets of several kinds, each with the parameters that make an interesting SVC of it."""

import numpy as np
import scipy.sparse as sp
from sklearn import datasets
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import scale


def _scaled(load):
    X, y = load(return_X_y=True)
    return scale(X), y


def _digits():
    X, y = datasets.load_digits(n_class=6, return_X_y=True)
    return X[:300] / 16, y[:300]


def _imbalanced():
    return datasets.make_classification(300, 8, n_informative=5, weights=[0.93], flip_y=0.05, random_state=5)


def _text():
    """Rows as a bag of words has them: few entries, none negative, of length one."""
    random = np.random.default_rng(6)
    X = sp.random(250, 600, density=0.03, format="csr", random_state=random)
    X = sp.diags(1 / np.maximum(np.sqrt(X.multiply(X).sum(axis=1).A1), 1e-9)) @ X
    topic = np.asarray(X[:, :200].sum(axis=1)).ravel() - np.asarray(X[:, 200:400].sum(axis=1)).ravel()
    return X.tocsr(), (topic + 0.3 * random.normal(size=250) > 0).astype(int)


def _wide():
    random = np.random.default_rng(8)
    X = random.normal(size=(60, 500))
    return X, (X[:, :3].sum(axis=1) > 0).astype(int)


def _duplicated():
    X, y = datasets.make_moons(60, noise=0.3, random_state=9)
    rows = np.random.default_rng(9).integers(60, size=180)
    return X[rows], y[rows]


def _strings():
    X, y = datasets.load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def _precomputed():
    X, y = datasets.make_moons(120, noise=0.25, random_state=10)
    return rbf_kernel(X, gamma=0.7), y


# name: (data, parameters); rows of X may repeat and kernels may be degenerate, see UNIQUE.
DATASETS = {
    "iris": (lambda: datasets.load_iris(return_X_y=True), {"C": 2.0}),
    "wine": (lambda: _scaled(datasets.load_wine), {"C": 1.0}),
    "breast cancer": (lambda: _scaled(datasets.load_breast_cancer), {"C": 10.0}),
    "digits": (_digits, {"C": 1.0}),
    "moons": (lambda: datasets.make_moons(250, noise=0.3, random_state=1), {"C": 5.0, "gamma": 1.0}),
    "circles": (lambda: datasets.make_circles(200, noise=0.15, factor=0.5, random_state=2), {"C": 1.0}),
    "blobs": (lambda: datasets.make_blobs(200, centers=4, cluster_std=2.5, random_state=3), {"C": 0.5}),
    "imbalanced": (_imbalanced, {"C": 10.0, "class_weight": "balanced"}),
    "sparse text": (_text, {"C": 1.0, "kernel": "linear"}),
    "sparse text rbf": (_text, {"C": 3.0, "gamma": 0.5}),
    "more features than rows": (_wide, {"C": 1.0}),
    "duplicated rows": (_duplicated, {"C": 2.0}),
    "linear": (lambda: _scaled(datasets.load_breast_cancer), {"C": 0.5, "kernel": "linear"}),
    "poly": (lambda: _scaled(datasets.load_wine), {"C": 1.0, "kernel": "poly", "degree": 2, "coef0": 1.0}),
    "sigmoid": (lambda: _scaled(datasets.load_iris), {"C": 1.0, "kernel": "sigmoid", "gamma": 0.05}),
    "precomputed": (_precomputed, {"C": 2.0, "kernel": "precomputed"}),
    "string labels": (_strings, {"C": 1.0, "gamma": "auto"}),
    "very small C": (lambda: datasets.make_moons(100, noise=0.3, random_state=11), {"C": 1e-3}),
    "large C": (lambda: datasets.make_moons(100, noise=0.3, random_state=12), {"C": 1e3}),
}

# With one optimum of the multipliers: no row twice, and a kernel whose Gram matrix is positive definite.
UNIQUE = ["wine", "breast cancer", "digits", "moons", "circles", "blobs", "imbalanced", "precomputed", "large C"]


def load(name):
    """X, y and parameters of a dataset."""
    data, parameters = DATASETS[name]
    X, y = data()
    return X, y, parameters
