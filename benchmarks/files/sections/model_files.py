"""Model files: saved, loaded with every check, and mapped; beside joblib and skops."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import joblib
import numpy as np

from benchmarks.ways.bars import within_seconds
from benchmarks.ways.book import installed
from benchmarks.ways.race import Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer import RBF, SVC
from mercer.io import load, save
from mercer.machines import OneVsOneMachine

SAVE, LOAD, MAP = "mercer, save", "mercer, load", "mercer, map"
_VECTORS, _FEATURES = 20_000, 100

TOLD = f"""\
An `SVC` with {_VECTORS:,} support vectors of {_FEATURES} features, 16 MB. joblib and skops: the same estimator \
is stored by joblib, and its arrays alone by skops."""


def _model(vectors: int) -> SVC:
    random = np.random.default_rng(0)
    half = vectors // 2
    machine = OneVsOneMachine(
        kernel=RBF(0.1),
        n_features=_FEATURES,
        support=np.arange(vectors, dtype=np.int32),
        support_vectors=random.normal(size=(vectors, _FEATURES)),
        n_support=np.array([half, vectors - half], dtype=np.int32),
        dual_coef=random.normal(size=(1, vectors)),
        intercept=np.zeros(1),
        classes=np.array([0, 1]),
    )
    few = random.normal(size=(20, _FEATURES))
    model = SVC(gamma=0.1).fit(few, np.arange(20) % 2)
    model._machine, model.shape_fit_ = machine, (vectors, _FEATURES)
    return model


def _measured(terms: Terms) -> Measured:
    model, folder = _model(terms.at_most(_VECTORS)), Path(mkdtemp())
    path, pickled = folder / "model.mercer", folder / "model.joblib"
    save(model, path)
    joblib.dump(model, pickled)
    ways = [
        Way(SAVE, lambda: save(model, path)),
        Way(LOAD, lambda: load(path)),
        Way(MAP, lambda: load(path, mapped=True)),
        Way("joblib, save", lambda: joblib.dump(model, pickled)),
        Way("joblib, load", lambda: joblib.load(pickled)),
    ]
    skops: Any = installed("skops.io")
    if skops is not None:
        arrays, stored = {"vectors": model.support_vectors_, "coef": model.dual_coef_}, folder / "model.skops"
        skops.dump(arrays, stored)
        ways += [Way("skops, save", lambda: skops.dump(arrays, stored)), Way("skops, load", lambda: skops.load(stored))]
    return Measured(f"{_VECTORS:,} × {_FEATURES}", race(ways, terms))


_PROBLEM = "20,000 support vectors"
MODEL_FILES = Section(
    "Model files",
    TOLD,
    {_PROBLEM: _measured},
    (
        within_seconds(_PROBLEM, 0.03, SAVE),
        within_seconds(_PROBLEM, 0.01, LOAD),
        within_seconds(_PROBLEM, 0.002, MAP),
    ),
)
