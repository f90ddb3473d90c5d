"""The records that a model file may hold: classes of plain values, where they are, and what their fields must be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import ModelFileError
from mercer.io.addresses import found_at
from mercer.io.facts import (
    ANYTHING,
    COUNT,
    FINITE,
    FLAG,
    NUMBER,
    POSITIVE,
    ROOM,
    TEXT,
    Fact,
    Sizes,
    array,
    count_of,
    either,
    instance,
    integers,
    lists,
    mapping,
    matrix,
    maybe,
    numbers,
    one_of,
)
from mercer.io.model_facts import ANY_KERNEL, KERNEL, KERNEL_OF_EITHER

__all__ = ["ENUMS", "RECORDS", "Record", "record"]

_CONFORMAL = "mercer.calibration.conformal"

#: Enumerations by name.
ENUMS = {"Status": "mercer.solvers.status:Status"}


@dataclass(frozen=True)
class Record:
    """Where the class of a record is, and the facts of its fields.

    What keeps more than fields is made of its state, with what is `added` to that when it is read.
    """

    address: str
    facts: Mapping[str, Fact]
    is_made_of_state: bool = False
    added: Callable[[], dict[str, Any]] = dict

    def values_of(self, value: Any) -> dict[str, Any]:
        """The fields by name."""
        state = value.__getstate__() if self.is_made_of_state else None
        return {name: getattr(value, name) if state is None else state[name] for name in self.facts}

    def made_of(self, name: str, fields: Mapping[str, Any]) -> Any:
        """The record with these fields; its facts are checked by whoever it belongs to."""
        if set(fields) != set(self.facts):
            raise ModelFileError(f"{name}: expected the fields {sorted(self.facts)}, got {sorted(fields)}.")
        kind = found_at(self.address)
        if not self.is_made_of_state:
            return kind(**fields)
        made = kind.__new__(kind)
        made.__dict__.update(fields, **self.added())
        return made


def record(name: str, test: Callable[[Any, Sizes], bool] | None = None) -> Fact:
    """A record by its name, whose fields are as its facts say, and which passes a test."""
    known = RECORDS[name]
    own = instance(known.address, known.facts)
    return Fact(own.told, lambda value, sizes: own.holds(value, sizes) and (test is None or bool(test(value, sizes))))


def _later(name: str) -> Fact:
    """The same of one that is listed further down, or of itself; lengths are its own."""
    return Fact(f"a {name}", lambda value, sizes: record(name).holds(value, Sizes()))


def _shared(name: str) -> Fact:
    """One that is listed further down, whose lengths are those of what it is part of."""
    return Fact(f"a {name}", lambda value, sizes: record(name).holds(value, sizes))


RECORDS: dict[str, Record] = {
    "Certificate": Record(
        "mercer.certificates.certificate:Certificate",
        {
            "problem": TEXT,
            "rows": COUNT,
            "primal": NUMBER,
            "dual": NUMBER,
            "violation": NUMBER,
            "kkt_residuals": mapping(NUMBER),
            "feasibility_residuals": mapping(NUMBER),
            "counts": mapping(COUNT),
            "intercept_interval": lists(NUMBER, 2),
            "margin": maybe(NUMBER),
            "convex": maybe(FLAG),
            "accuracy": NUMBER,
            "scale": NUMBER,
            "is_proven": FLAG,
            "parts": lists(_later("Certificate")),
        },
    ),
    "RidgeCertificate": Record(
        "mercer.certificates.ridge:RidgeCertificate",
        {
            "problem": TEXT,
            "rows": COUNT,
            "functions": COUNT,
            **dict.fromkeys(("primal", "gap", "residual", "coef_distance", "value_distance"), NUMBER),
            **dict.fromkeys(("function_distance", "sum_residual"), NUMBER),
            "convex": maybe(FLAG),
            "accuracy": NUMBER,
        },
    ),
    "SparseRidgeCertificate": Record(
        "mercer.certificates.sparse_ridge:SparseRidgeCertificate",
        {
            "problem": TEXT,
            "rows": COUNT,
            "landmarks": COUNT,
            "functions": COUNT,
            "tier": TEXT,
            **dict.fromkeys(("primal", "gap", "residual", "own_gap", "value_distance", "function_distance"), NUMBER),
            "convex": maybe(FLAG),
            "accuracy": NUMBER,
        },
    ),
    "Step": Record(
        "mercer.solvers.trace:Step",
        {
            "problem": COUNT,
            "kind": TEXT,
            "rows": lists(COUNT),
            "old": lists(NUMBER),
            "new": lists(NUMBER),
            **dict.fromkeys(("low", "high", "dual", "primal", "violation", "intercept"), NUMBER),
        },
    ),
    "Trace": Record(
        "mercer.solvers.trace:Trace",
        {
            "solver": TEXT,
            "rows": lists(lists(COUNT)),
            "signs": lists(lists(NUMBER)),
            "steps": lists(_later("Step")),
        },
    ),
    "LaplaceNoise": Record("mercer.calibration.laplace:LaplaceNoise", {"scale": NUMBER}),
    "InlierProbability": Record("mercer.calibration.inliers:InlierProbability", {"marks": numbers(10)}),
    "DescentState": Record(
        "mercer.solvers.descent.gradient:DescentState",
        {
            "w": numbers("problems", "weights"),
            "average": numbers("problems", "weights"),
            "updates": lists(COUNT, "problems", (list,)),
        },
    ),
    "Memory": Record(
        "mercer.neighbours.memory:Memory",
        {
            "metric": either(TEXT, ANY_KERNEL),
            "p": NUMBER,
            "params": mapping(ANYTHING),
            "algorithm": TEXT,
            "room": ROOM,
            "_indexed": matrix(None, "columns", allow_nan=True),
            "_tail": matrix(None, "columns", allow_nan=True),
            "born": integers("n", low=0),
            "learnt": COUNT,
            "_forgotten": maybe(array("u", None)),
        },
        is_made_of_state=True,
        added=lambda: {"last": found_at("mercer.neighbours.memory:NOTHING"), "outliers": np.empty(0, dtype=np.int64)},
    ),
    "Condensed": Record(
        "mercer.estimators.neighbour_storage:Condensed",
        {"rows": integers(None, low=0), "error_before": NUMBER, "error_after": NUMBER},
    ),
    "WindowMemory": Record(
        "mercer.estimators.windows:_Memory",
        {
            "rows": numbers("n", "d"),
            "weights": numbers("n", low=0.0),
            "kernel": either(TEXT, KERNEL),
            "is_closed": FLAG,
            "metric": TEXT,
            "params": maybe(mapping(ANYTHING)),
            "spreads": maybe(numbers("n", low=0.0)),
            "units": maybe(numbers("d", low=0.0)),
            "room": ROOM,
            "unit": POSITIVE,
        },
        is_made_of_state=True,
    ),
    "NearestWindows": Record("mercer.local.windows:NearestWindows", {"k": COUNT}),
    "FixedWindows": Record("mercer.local.windows:FixedWindows", {"bandwidth": either(NUMBER, lists(POSITIVE, "d"))}),
    "Smoother": Record(
        "mercer.local.smoother:Smoother",
        {
            "X": numbers("n", "d"),
            "Y": numbers("n", None),
            "weights": numbers("n", low=0.0),
            "windows": either(_shared("NearestWindows"), _shared("FixedWindows")),
            "kernel": one_of("tophat", "triangular", "epanechnikov", "biweight", "triweight", "tricube", "gaussian"),
            "order": one_of(0, 1, 2),
            "ridge": FINITE,
            "robustness": maybe(numbers("n", low=0.0)),
            "room": ROOM,
        },
    ),
    "FittedSmoothers": Record(
        "mercer.local.fitted:FittedSmoothers",
        {
            "smoothers": lists(_shared("Smoother"), of=(list,), least=1),
            "is_robust": FLAG,
            "threads": maybe(COUNT),
        },
    ),
    "NoiseGroups": Record(
        "mercer.processes.noise_groups:NoiseGroups",
        {"labels": lists(ANYTHING, "groups", (tuple,)), "codes": integers("n", low=0, below="groups")},
    ),
    "Hyperparameters": Record(
        "mercer.processes.hyperparameters:Hyperparameters",
        {
            "kernel": KERNEL_OF_EITHER,
            "theta": numbers(None),
            "bounds": numbers(None, 2, finite=False),
            "powers": numbers(None),
            "is_free": array("b", None),
            "names": lists(TEXT),
            "places": integers(None, low=0),
        },
    ),
    "Unknowns": Record(
        "mercer.processes.unknowns:Unknowns",
        {
            "kernel": _later("Hyperparameters"),
            "groups": maybe(_later("NoiseGroups")),
            "theta": numbers("theta"),
            "bounds": numbers("theta", 2, finite=False),
            "names": lists(TEXT, "theta"),
        },
    ),
    "TwoClasses": Record(
        "mercer.processes.laplace:TwoClasses",
        {
            "kernel": KERNEL,
            "X": numbers("n", "d"),
            "coef": numbers("n"),
            "root": numbers("n"),
            "lower": numbers("n", "n"),
        },
    ),
    "OneOfClasses": Record(
        "mercer.estimators.gaussian_process_classifier:_OneClass",
        {
            "ones": numbers("n"),
            "parameters": _later("Hyperparameters"),
            "kernel": KERNEL_OF_EITHER,
            "value": NUMBER,
            "machine": _shared("TwoClasses"),
        },
    ),
    "Factor": Record("mercer.processes.likelihood:Factor", {"upper": numbers("m", "m")}),
    "Inducing": Record(
        "mercer.processes.inducing:Inducing",
        {
            "kernel": KERNEL,
            "Z": numbers("m", "d"),
            "factor": _shared("Factor"),
        },
    ),
    "SparsePosterior": Record(
        "mercer.processes.sparse_posterior:SparsePosterior",
        {
            "inducing": _shared("Inducing"),
            "inner": _shared("Factor"),
            "beta": numbers("m", None),
            "step": count_of("step", least=1),
        },
    ),
    "ChoiceCertificate": Record(
        "mercer.tune.choice:ChoiceCertificate",
        {
            "cells": COUNT,
            "chosen": COUNT,
            **dict.fromkeys(("score", "low", "high"), NUMBER),
            **dict.fromkeys(("worse", "equal", "no_better", "rivals", "unknown"), lists(COUNT)),
            "advice": lists(TEXT),
            "is_best": FLAG,
        },
    ),
    "LearntSets": Record(
        "mercer.tune.tuned_svc:_Learnt",
        {
            "values": numbers("held out", "classes", finite=False),
            "codes": integers("held out", low=0, below="classes"),
            "folds": maybe(integers("held out", low=0)),
            "models": maybe(lists(instance("sklearn.pipeline:Pipeline"), of=(list,))),
        },
    ),
    "SplitIntervals": Record(f"{_CONFORMAL}:SplitIntervals", {"sizes": numbers(None, low=0.0)}),
    "CrossIntervals": Record(
        f"{_CONFORMAL}:CrossIntervals",
        {
            "n_folds": count_of("folds", least=1),
            "sizes": numbers("held out"),
            "folds": integers("held out", low=0, below="folds"),
        },
    ),
}
