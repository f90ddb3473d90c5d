"""What users see: public names, signatures, fitted attributes, and the messages of what goes wrong."""

import importlib
import inspect
import json
import re
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import sklearn
from sklearn import datasets

import mercer

__all__ = ["FILE", "read", "take"]

FILE = Path(__file__).parent / "surface.json"

_MODULES = ("mercer", "mercer.kernels", "mercer.inspection", "mercer.plot", "mercer.lectures")
_KERNEL_MACHINES = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")
_ESTIMATORS = (
    *_KERNEL_MACHINES,
    *("LinearSVC", "LinearSVR", "SGDClassifier", "SGDRegressor", "SGDOneClassSVM", "KernelRegression", "Perceptron"),
)
_BAD_PARAMETERS = {
    "C": -1.0,
    "nu": 2.0,
    "epsilon": -1.0,
    "tol": 0.0,
    "kernel": "gauss",
    "gamma": -1.0,
    "degree": 1.5,
    "coef0": np.inf,
    "cache_size": 0,
    "max_iter": -2,
    "n_jobs": 0,
    "time_limit": -1.0,
    "callback": 3,
    "formulation": "both",
    "solver": "newton",
    "class_weight": "equal",
    "loss": "cubic",
    "penalty": "l3",
    "multi_class": "ovx",
    "dual": "maybe",
    "alpha": -1.0,
    "eta0": 0.0,
    "batch_size": 0,
    "warm_start": 2,
    "polish": "yes",
}


def _targets(name, X):
    values = X[:, 0] + 0.1 * X[:, 1]
    is_classifier = "SVC" in name or "Class" in name or name == "Perceptron"
    return (values > np.median(values)).astype(int) if is_classifier else values


def _data(name):
    X, _ = datasets.make_moons(40, noise=0.2, random_state=0)
    return X, _targets(name, X)


def _message(call):
    """What a call says: its error, or its warnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            call()
        except Exception as error:
            return f"{type(error).__name__}: {_plain(error)}"
    return " | ".join(f"{one.category.__name__}: {_plain(one.message)}" for one in heard)


def _plain(text):
    """Without addresses, and without numbers that depend on the machine."""
    return re.sub(r"\d+\.?\d*e-\d+|\d+\.\d{3,}", "…", re.sub(r" at 0x[0-9a-f]+", "", str(text)))


def _messages(name):
    kind = partial(getattr(mercer, name))
    if "random_state" in inspect.signature(kind).parameters:
        kind = partial(kind, random_state=0)
    X, y = _data(name)
    fitted = kind()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted.fit(X, y)
    told = {
        "predict before fit": _message(lambda: kind().predict(X)),
        "NaN": _message(lambda: kind().fit(np.where(X > 1, np.nan, X), y)),
        "one dimension": _message(lambda: kind().fit(X[:, 0], y)),
        "other features": _message(lambda: fitted.predict(X[:, :1])),
        "text": _message(lambda: kind().fit(X.astype(str) + np.array("a"), y)),
        "negative weight": _message(lambda: kind().fit(X, y, sample_weight=-np.ones(len(X)))),
        "weights of another length": _message(lambda: kind().fit(X, y, sample_weight=np.ones(3))),
        "no weight": _message(lambda: kind().fit(X, y, sample_weight=np.zeros(len(X)))),
    }
    if "OneClass" not in name:
        told["targets of another length"] = _message(lambda: kind().fit(X, y[:-1]))
        told["one class"] = _message(lambda: kind().fit(X, np.zeros(len(X))))
    for parameter, value in _BAD_PARAMETERS.items():
        if parameter in inspect.signature(kind).parameters:
            told[f"{parameter}={value!r}"] = _message(lambda p=parameter, v=value: kind(**{p: v}).fit(X, y))
    if name in _KERNEL_MACHINES:
        told["not square"] = _message(lambda: kind(kernel="precomputed").fit(X, y))
        told["not symmetric"] = _message(lambda: kind(kernel="precomputed").fit(np.arange(1600.0).reshape(40, 40), y))
        told["kernel of wrong shape"] = _message(lambda: kind(kernel=lambda A, B: A @ A.T[:, :1]).fit(X, y))
        told["step limit"] = _message(lambda: kind(max_iter=1, tol=1e-9).fit(X, y))
        told["certify other rows"] = _message(lambda: mercer.certify(fitted, X[::-1], y))
    return told


def _signature(thing):
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""


def _surface_of(name, thing):
    if not inspect.isclass(thing):
        return _plain(_signature(thing)) if callable(thing) else type(thing).__name__
    own = [key for key in dir(thing) if not key.startswith("_")]
    return {
        "signature": _plain(_signature(thing)),
        **{key: _plain(_signature(getattr(thing, key, None))) for key in own if callable(getattr(thing, key, None))},
        "properties": [key for key in own if not callable(getattr(thing, key, None))],
    }


def _fitted(name):
    """Names of fitted attributes."""
    kind = getattr(mercer, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kind().fit(*_data(name))
    found = {key for key in dir(model) if key.endswith("_") and not key.startswith("_") and not key.endswith("__")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of sigmoids where there are none
        return sorted(key for key in found if hasattr(model, key))


def take():
    """All of it, with the release of scikit-learn, whose messages are among these."""
    names = {
        module: {name: _surface_of(name, getattr(importlib.import_module(module), name)) for name in _public(module)}
        for module in _MODULES
    }
    return {
        "scikit-learn": sklearn.__version__,
        "names": names,
        "attributes": {name: _fitted(name) for name in _ESTIMATORS},
        "messages": {name: _messages(name) for name in _ESTIMATORS},
    }


def _public(module):
    return importlib.import_module(module).__all__


def read():
    return json.loads(FILE.read_text())
