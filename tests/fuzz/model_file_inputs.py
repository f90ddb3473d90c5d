"""Files that are nearly models: valid ones of many estimators, and ways to spoil them."""

import copy
import json
import random
import tempfile
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

import mercer as m
from mercer.io import save

ROWS = 14
_DTYPES = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "I16": 2, "U8": 1, "BOOL": 1}
# What takes the place of a value.
_VALUES = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        3,
        7,
        100,
        2**31,
        2**40,
        2**62,
        2**63,
        10**30,
        -(2**63),
        0.0,
        -0.5,
        1e-300,
        1e308,
    ),
    *(
        "",
        "a",
        "linear",
        "precomputed",
        "rbf",
        "nan",
        "scale",
        "F",
        "SVC",
        "euclidean",
        "callable",
        "__class__",
        "os:system",
    ),
    *([], [0], [[]], {}, {"tuple": []}, {"number": "nan"}, {"number": "inf"}, {"number": "-inf"}, {"array": "x"}),
    *(
        {"type": "object"},
        {"dict": []},
        {"dict": [[1, 2], [1, 3]]},
        {"scalar": "int8", "value": 300},
        {"path": "/etc/passwd"},
    ),
    *(
        {"kernel": {"kernel": "rbf", "gamma": -1.0}},
        {"kernel": {"kernel": "linear"}},
        {"enum": "Status", "name": "SOLVED"},
    ),
    *({"range": [0, 2**62, 1]}, {"slice": [None, None, None]}, {"kernel": {"kernel": "rbf", "gamma": [0.1, 0.2]}}),
    {"values": ["a"], "dtype": "<U99999999", "shape": [1]},
    {"values": [], "dtype": "object", "shape": [0, 2**40]},
    {"sparse": "csr_matrix", "shape": [2**40, 2**40], "data": {"array": "x"}, "indices": [], "indptr": []},
)
_NUMBERS = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, -1e300, 5e-324, 1e-200)
_INTEGERS = (-1, 0, 1, 2, 13, 14, 15, 1000, 2**31 - 1, -(2**31), 2**62)


@dataclass
class Parts:
    """A file taken apart: the model's tree, and its arrays with what the header says of them."""

    tree: dict
    tensors: dict  # name: [dtype, shape, bytes]


def seeds():
    """Files of small models of all kinds."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(ROWS, 3))
    y = np.arange(ROWS) % 3
    targets = X[:, 0] + 0.1 * generator.normal(size=ROWS)
    sparse, names = sp.csr_matrix(np.where(X > 0, X, 0)), np.array(["a", "b", "c"])[y]
    kernel = X @ X.T
    gaps = X.copy()
    gaps[::3, 1] = np.nan
    return [
        m.SVC(probability=True, random_state=0).fit(X, names),
        m.SVC(kernel="linear", multi_class="ovr").fit(sparse, y),
        m.SVC(kernel="precomputed").fit(kernel, y),
        m.SVC(kernel=m.RBF((0.1, 0.2, 0.3)) * 2 + m.Polynomial(2), C=1e4).fit(X, y > 0),
        m.SVC(probability="isotonic", random_state=0).fit(np.tile(X, (3, 1)), np.tile(y, 3)),
        m.NuSVC(nu=0.2).fit(X, y),
        m.SVR().fit(X, targets),
        m.NuSVR().fit(sparse, targets),
        m.OneClassSVM(nu=0.4).fit(X),
        m.LinearSVC().fit(X, y),
        m.LinearSVR().fit(X, targets),
        m.SGDClassifier(random_state=0, average=True).fit(X, y),
        m.SGDRegressor(random_state=0).fit(X, targets),
        m.SGDOneClassSVM(random_state=0).fit(X),
        m.Perceptron().fit(X, y),
        m.Perceptron("rbf").fit(X, y),
        m.KernelRegression(random_state=0).fit(X, targets),
        m.KernelRidge(kernel="rbf").fit(X, targets),
        m.KernelRidge(kernel="chi2").fit(np.abs(X), targets),
        m.KernelRidgeCV(kernel="precomputed").fit(kernel, targets),
        m.KernelRidgeClassifier().fit(X, y),
        m.SparseKernelRidge(n_components=5, random_state=0).fit(X, targets),
        m.SparseKernelRidgeCV(n_components=5, random_state=0).fit(X, targets),
        m.KNeighborsClassifier(3, weights="distance", class_weight="balanced").fit(X, names).forget([2]),
        m.KNeighborsClassifier(2).fit(sparse, np.stack([y, y > 0], axis=1)),
        m.KNeighborsRegressor(2, metric="manhattan").fit(X, targets).partial_fit(X[:2], targets[:2]),
        m.KNeighborsRegressor(2, metric="precomputed").fit(np.abs(kernel), targets),
        m.RadiusNeighborsClassifier(2.0, outlier_label="most_frequent").fit(X, y),
        m.RadiusNeighborsRegressor(3.0, metric="cosine").fit(X, targets),
        m.NearestNeighbors(n_neighbors=2, metric=m.RBF(0.4)).fit(X),
        m.KNNImputer(n_neighbors=2, add_indicator=True).fit(gaps),
        m.KernelDensity().fit(X),
        m.KernelDensity(kernel="tophat", n_neighbors=3).fit(X),
        m.ParzenClassifier(bandwidth=0.7).fit(X, y),
        m.ParzenRegressor(bandwidth=[0.5, 1.0, 1.0], kernel="epanechnikov").fit(X, targets),
        m.LocallyWeightedRegression(frac=0.9, robust_iterations=1).fit(X, targets),
        m.LocallyWeightedRegression(n_neighbors=5).fit(X[:, :1], np.stack([targets, -targets], axis=1)),
        m.LocallyWeightedRegression(bandwidth=2.0).fit(X, targets),
        m.GaussianProcessRegressor(m.RBF(), alpha=0.1, optimizer=None).fit(X, targets),
        m.GaussianProcessClassifier(optimizer=None).fit(X, y),
        m.SparseGaussianProcessRegressor(m.RBF(), alpha=0.1, n_inducing=4, optimizer=None, random_state=0).fit(
            X, targets
        ),
        m.FeatureMap(m.Polynomial(2)).fit(X),
        m.Nystroem(n_components=4, random_state=0).fit(X),
        m.Nystroem(n_components=4, kernel="precomputed", random_state=0).fit(kernel),
        m.RBFSampler(n_components=4, random_state=0).fit(X),
        m.FeatureRelevance().fit(X, targets),
        make_pipeline(StandardScaler(), PCA(2), m.SVC()).fit(X, y),
        make_pipeline(
            ColumnTransformer([("a", SimpleImputer(), [0, 1]), ("b", OneHotEncoder(handle_unknown="ignore"), [2])]),
            MinMaxScaler(),
            m.LinearSVC(),
        ).fit(np.column_stack([gaps[:, :2], y]), y),
        m.TunedSVC(C=[1.0, 2.0], gamma=[0.1], cv=2, conformal="cv").fit(X, y),
        m.GridSearchCV(m.SVR(), {"C": [0.1, 1.0]}, cv=2).fit(X, targets),
    ]


def table_models():
    """Small models of tables."""
    if find_spec("mercer.tabular.table_model") is None:
        return []
    from tests.tabular.test_model_arrays import MODELS

    return [MODELS[name] for name in ("several", "isotonic", "linear", "regression")]


def seed_files():
    """The bytes of the files of all seeds."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        path = Path(folder) / "model.mercer"
        found = []
        for model in [*seeds(), *table_models()]:
            save(model, path)
            found.append(path.read_bytes())
    return found


def taken_apart(content):
    """The parts of a file that is valid; None for another."""
    try:
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        tree = json.loads(header.pop("__metadata__")["mercer"])
        data = content[8 + length :]
        tensors = {
            name: [told["dtype"], told["shape"], data[slice(*told["data_offsets"])]] for name, told in header.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return Parts(tree, tensors)


def put_together(parts, wrong_offsets=None):
    """A file of parts, with every offset as it must be but for some."""
    header, data = {"__metadata__": {"mercer": json.dumps(parts.tree)}}, b""
    for name, (dtype, shape, content) in parts.tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    if wrong_offsets is not None and parts.tensors:
        header[list(parts.tensors)[wrong_offsets[0] % len(parts.tensors)]]["data_offsets"] = wrong_offsets[1]
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def spoilt(content, seed):
    """The file with a few things changed, so that most of its checks are passed."""
    choose = random.Random(seed)
    parts = taken_apart(content) if choose.random() < 0.9 else None
    try:
        return _spoilt_bytes(content, choose) if parts is None else _spoilt_parts(parts, choose)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError):  # of one that was spoilt before
        return _spoilt_bytes(content, choose)


def _spoilt_parts(parts, choose):
    wrong_offsets = None
    for _ in range(choose.choice((1, 1, 1, 2, 3))):
        what = choose.random()
        if what < 0.5 or not parts.tensors:
            _spoil_tree(parts.tree, choose)
        elif what < 0.85:
            _spoil_tensor(parts.tensors, choose)
        elif what < 0.95:
            _spoil_header(parts.tensors, choose)
        else:
            end = choose.choice((0, 8, 2**62, -1, 1000))
            wrong_offsets = choose.randrange(100), choose.choice(([0, end], [end, end + 8], [end], None, "a"))
    return put_together(parts, wrong_offsets)


def _spoilt_bytes(content, choose):
    changed = bytearray(content)
    for _ in range(choose.choice((1, 1, 2, 8))):
        what = choose.random()
        place = choose.randrange(len(changed)) if changed else 0
        if what < 0.4 and changed:
            changed[place] ^= 1 << choose.randrange(8)
        elif what < 0.6:
            del changed[place:]
        elif what < 0.7:
            changed[place:place] = choose.randbytes(choose.randrange(9))
        elif what < 0.8:
            changed[:8] = choose.choice((0, 1, 8, 2**31, 2**63, len(changed), 10**6)).to_bytes(8, "little")
        else:
            del changed[place : place + choose.randrange(64)]
    return bytes(changed)


def _places(tree):
    """Every place of a tree: what holds a value, and where."""
    found, left = [], [tree]
    while left:
        holder = left.pop()
        keys = list(holder) if isinstance(holder, dict) else range(min(len(holder), 40))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                left.append(holder[key])
    return found


def _spoil_tree(tree, choose):
    places = _places(tree)
    holder, key = choose.choice(places)
    what, value = choose.random(), holder[key]
    if what < 0.3:
        holder[key] = copy.deepcopy(choose.choice(_VALUES))
    elif what < 0.45:
        other, place = choose.choice(places)  # of another place
        holder[key] = json.loads(json.dumps(other[place]))
    elif what < 0.6 and isinstance(holder, dict):
        del holder[key]
    elif what < 0.65 and isinstance(holder, dict):
        holder[choose.choice(("x", "array", "estimator", "kernel", "_machine", "n_features_in_", "_memory"))] = value
    elif what < 0.75 and isinstance(holder, list):
        holder.insert(key, json.loads(json.dumps(value)))
    elif type(value) in (int, float):
        holder[key] = value + choose.choice((1, -1, 0.5, 1e6, -1e6, 2**31)) if choose.random() < 0.7 else float("nan")
    elif isinstance(value, str):
        holder[key] = choose.choice((value[:-1], value + "a", value.upper(), ""))
    else:
        holder[key] = copy.deepcopy(choose.choice(_VALUES))


def _spoil_tensor(tensors, choose):
    """Changes numbers of an array."""
    name = choose.choice(list(tensors))
    dtype, shape, content = tensors[name]
    codes = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "u1", "BOOL": "u1"}
    if dtype not in codes or not content:
        return
    numbers = np.frombuffer(content, codes[dtype]).copy()
    value = choose.choice(_NUMBERS if dtype.startswith("F") else _INTEGERS)
    with np.errstate(over="ignore"):
        value = (
            np.float64(value).astype(numbers.dtype) if dtype.startswith("F") else np.int64(value).astype(numbers.dtype)
        )
    what = choose.random()
    if what < 0.7:
        numbers[choose.randrange(len(numbers))] = value
    elif what < 0.8:
        numbers[:] = value
    elif what < 0.9:
        numbers = numbers[::-1].copy()
    else:
        numbers = np.frombuffer(choose.randbytes(numbers.nbytes), numbers.dtype)
    tensors[name] = [dtype, shape, numbers.tobytes()]


def _spoil_header(tensors, choose):
    """Changes what the header says of an array, its size with it."""
    name = choose.choice(list(tensors))
    dtype, shape, content = tensors[name]
    what = choose.random()
    if what < 0.25:
        del tensors[name]
    elif what < 0.5:
        size = sum(shape) if shape else 1
        shape = choose.choice(([], [size], shape[::-1], [*shape, 1], [0], [*shape[:1], 2], [2**40, 0]))
        count = int(np.prod(shape, dtype=object)) * _DTYPES.get(dtype, 1)
        tensors[name] = [dtype, shape, (content * 4)[:count].ljust(min(count, 10**5), b"\0")]
    elif what < 0.75:
        other = choose.choice(list(_DTYPES))
        count = int(np.prod(shape, dtype=object)) * _DTYPES[other]
        tensors[name] = [other, shape, (content * 8)[:count].ljust(min(count, 10**5), b"\0")]
    else:
        tensors["more"] = list(tensors[name])
