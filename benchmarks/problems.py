"""The problems: data, how it is scaled, and the parameters every library gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets

from benchmarks import data
from benchmarks.dataset import Dataset, scale_gamma

Parameters = Mapping[str, float | int | str]

GROWTH_ROWS = (10_000, 20_000, 50_000, 100_000)
GROWTH_TEST_ROWS = 10_000
GROWTH_CACHE_MB = 500.0
FOREST_SCALING = "min-max to [0, 1], class 2 against the rest"


@dataclass(frozen=True)
class Problem:
    """One row of the report.

    Attributes
    ----------
    task : str
        What is solved: a key of ``libraries.estimator.ESTIMATORS`` and of ``judge.JUDGES``.
    load : callable
        Returns the data; called only when the problem is run.
    parameters : mapping
        Given to every library; ``gamma="scale"`` is turned into a number first.
    scaling : str
        How the features were scaled, for the report.
    quick : bool
        Small enough for ``--quick``.
    group : str
        ``"standard"`` runs by default and makes up the means, with ``"others"`` for tasks other than C-SVC; any other
        group runs when its name is asked for.
    series : str
        Problems of one series differ only in their rows: the report tells how time and memory grow with them.
    libraries : tuple of str
        Who races if nobody is asked for by name; empty: everybody.
    cache_mb : float, optional
        A cache of its own instead of that of the race.
    """

    name: str
    task: str
    load: Callable[[], Dataset]
    parameters: Parameters = field(default_factory=dict)
    scaling: str = "as given"
    quick: bool = False
    group: str = "standard"
    series: str = ""
    libraries: tuple[str, ...] = ()
    cache_mb: float | None = None

    def resolved_parameters(self, dataset: Dataset) -> dict[str, float | int | str]:
        """The parameters with ``gamma`` as a number."""
        parameters = dict(self.parameters)
        if parameters.get("gamma") == "scale":
            parameters["gamma"] = scale_gamma(dataset.X_train)
        return parameters


def problems(folder: Path | None) -> list[Problem]:
    """All problems; those on data of ``folder`` only where there is one."""
    real = _folder(folder) if folder is not None else []
    others = _others(folder) if folder is not None else []
    return [*_shipped(), *_synthetic(), *real, *others, *_extreme(), *_growth(folder)]


def select(available: list[Problem], names: list[str], quick: bool) -> list[Problem]:
    """The problems that were asked for by name or group, in the order of ``available``."""
    wanted = set(names or ["standard"])
    unknown = wanted - {p.name for p in available} - {p.group for p in available}
    if unknown:
        raise ValueError(f"no such problem: {', '.join(sorted(unknown))} (--list names them)")
    chosen = [p for p in available if p.name in wanted or p.group in wanted]
    return [p for p in chosen if p.quick or not quick]


def _rbf(C: float, gamma: float | str) -> Parameters:
    return {"kernel": "rbf", "C": C, "gamma": gamma}


def _svc(name: str, load: data.Loader, C: float, gamma: float | str, scaling: str, **more: Any) -> Problem:
    return Problem(name, "svc", load, _rbf(C, gamma), scaling, **more)


def _shipped() -> list[Problem]:
    z = "standardised"
    return [
        _svc("iris", data.shipped(datasets.load_iris, data.standardised), 1, 0.25, z, quick=True),
        _svc("wine", data.shipped(datasets.load_wine, data.standardised), 1, 1 / 13, z, quick=True),
        _svc(
            "breast-cancer",
            data.shipped(datasets.load_breast_cancer, data.standardised),
            1,
            1 / 30,
            z,
            quick=True,
        ),
        _svc("digits", data.shipped(datasets.load_digits, data.divided(16)), 10, 0.1, "/16", quick=True),
    ]


def _synthetic() -> list[Problem]:
    raw = "as made"
    several = data.synthetic(3_000, 20, n_classes=6, n_informative=10)
    return [
        _svc("synthetic-3k-20-6classes", several, 10, 0.02, raw, quick=True),
        _svc("synthetic-10k-20", data.synthetic(10_000, 20), 1, 0.05, raw),
        _svc("synthetic-10k-200", data.synthetic(10_000, 200), 1, 0.005, raw),
        _svc("synthetic-10k-20-c100", data.synthetic(10_000, 20), 100, 0.05, raw, group="more"),
        _svc("moons-20k", data.moons(20_000, 0.2), 10, 2.0, raw, group="more"),
    ]


def _folder(folder: Path) -> list[Problem]:
    def of(name: str, scaling: data.Scaling = data.unscaled, **options: Any) -> data.Loader:
        return data.from_folder(folder, name, scaling, **options)

    z, unit = "standardised", "min-max to [0, 1]"
    fashion = of("fashion-mnist", data.divided(255), rows=10_000, test_rows=10_000)
    return [
        _svc("german.numer", of("german.numer"), 1, 1 / 24, "as given, [-1, 1]", quick=True),
        _svc("diabetes", of("diabetes"), 1, 1 / 8, "as given, [-1, 1]", quick=True),
        _svc("satimage", of("satimage", data.min_max), 16, 4, unit),
        _svc("pendigits", of("pendigits", data.min_max), 10, 2, unit),
        _svc("letter", of("letter", data.min_max_about_zero), 16, 8, "min-max to [-1, 1]"),
        _svc("a9a", of("a9a"), 1, 1 / 123, "as given, binary"),
        _svc("w8a", of("w8a"), 8, 8, "as given, binary"),
        _svc("ijcnn1", of("ijcnn1"), 32, 2, "as given"),
        _svc("susy-30k", of("susy-30k", data.standardised), 1, 1 / 18, z),
        _svc("fashion-mnist-10k", fashion, 10, 0.02, "/255"),
        _svc("covtype-50k", _forest(folder, 50_000), 10, 10, FOREST_SCALING),
    ]


def _others(folder: Path) -> list[Problem]:
    z, unit = data.standardised, data.min_max

    def problem(task: str, name: str, parameters: Parameters, scaling: data.Scaling, **options: Any) -> Problem:
        told = "standardised" if scaling is z else "as given" if scaling is data.unscaled else "min-max"
        load = data.from_folder(folder, name, scaling, **options)
        return Problem(f"{task}-{name}", task, load, {"kernel": "rbf", **parameters}, told, group="others")

    found = []
    for name, features in (("cadata", 8), ("kin8nm", 8), ("bike-sharing-hour", 12), ("abalone", 10)):
        gamma = 1 / features
        found += [
            problem("svr", name, {"C": 10, "epsilon": 0.1, "gamma": gamma}, z, numbers=True),
            problem("nu_svr", name, {"C": 10, "nu": 0.5, "gamma": gamma}, z, numbers=True),
            problem("one_class", name, {"nu": 0.1, "gamma": gamma}, z, numbers=True),
        ]
    return [
        *found,
        problem("nu_svc", "satimage", {"nu": 0.1, "gamma": 4}, unit),
        problem("nu_svc", "letter", {"nu": 0.05, "gamma": 8}, data.min_max_about_zero),
        problem("nu_svc", "a9a", {"nu": 0.4, "gamma": 1 / 123}, data.unscaled),
        problem("one_class", "a9a", {"nu": 0.1, "gamma": 1 / 123}, data.unscaled),
    ]


def _forest(folder: Path, rows: int) -> data.Loader:
    return data.from_folder(folder, "covtype", data.min_max, rows=rows, test_rows=GROWTH_TEST_ROWS, positive=1)


def _growth(folder: Path | None) -> list[Problem]:
    grown: list[Problem] = []
    for rows in GROWTH_ROWS:
        made = data.nested(rows, max(GROWTH_ROWS), GROWTH_TEST_ROWS, 50)
        grown.append(_of_series("synthetic", rows, made, 1, 0.02, "as made"))
        if folder is not None:
            # The quickest peer takes minutes at the largest size, so it races only there.
            peers = ("mercer32", "skex32") if rows == max(GROWTH_ROWS) else ()
            grown.append(_of_series("covtype", rows, _forest(folder, rows), 10, 10, FOREST_SCALING, peers))
    return grown


def _of_series(
    series: str, rows: int, load: data.Loader, C: float, gamma: float, scaling: str, peers: tuple[str, ...] = ()
) -> Problem:
    problem = _svc(f"growth-{series}-{rows // 1000}k", load, C, gamma, scaling, group="growth", series=series)
    return replace(problem, libraries=("mercer", *peers), cache_mb=GROWTH_CACHE_MB)


def _extreme() -> list[Problem]:
    cancer = data.shipped(datasets.load_breast_cancer)
    powers = [
        _svc(f"breast-cancer-raw-1e{power}", cancer, 10.0**power, "scale", "raw", group="extreme")
        for power in (4, 5, 6)
    ]
    noisy = data.synthetic(10_000, 20, flip_y=0.3)
    return [*powers, _svc("bounded-10k", noisy, 32, 0.05, "as made, flip_y=0.3", group="extreme")]


def score(task: str, truth: Any, predicted: Any) -> float:
    """On the test rows: accuracy of a classifier, R² of a regression, the share of inliers of one class."""
    if task == "one_class":
        return float(np.mean(predicted == 1))
    if task in ("svr", "nu_svr"):
        return float(1 - np.mean((truth - predicted) ** 2) / np.var(truth))
    return float(np.mean(truth == predicted))
