"""Columns of noise beside real features: the accuracy that learnt scales win back, and what they take."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from benchmarks.dataset import Dataset
from benchmarks.ways import rows
from benchmarks.ways.bars import Bar, at_least
from benchmarks.ways.race import OURS, Judge, Terms, Way, race
from benchmarks.ways.record import Entry
from benchmarks.ways.section import Measured, Section
from mercer import SVC, SVR, FeatureRelevance, KNeighborsClassifier, KNeighborsRegressor

NCA = "scikit-learn NCA"
NEIGHBOURS, VECTORS = "k-NN", "SVM"
CLEAN, NOISY, BACK = "clean", "noise", "won back"
NOISE_COLUMNS = 20
# Rows of the machines, of which scales are learnt from FeatureRelevance's own sample; NCA gets the same sample.
_ROWS, _QUERIES = 5_000, 5_000
# Less is within the error of so many test rows, and shares of it say nothing.
_LEAST_LOSS = 0.01

CLASSES = ("satimage", "pendigits", "svmguide1", "letter", "spambase", "covtype")
NUMBERS = ("kin8nm", "cadata")

TOLD = f"""\
{NOISE_COLUMNS} columns of standard normal noise beside standardised features, training and test rows alike; at most \
{_ROWS:,} of each. `FeatureRelevance` and `NeighborhoodComponentsAnalysis`, both with their defaults and on the same \
rows, those that the first one samples, learn how to transform them; the time is that of learning. *{NEIGHBOURS}*, \
*{VECTORS}*: the accuracy (R² of numbers) of `KNeighborsClassifier` and `SVC` (`KNeighborsRegressor` and `SVR`) with \
their defaults on transformed test rows; *{CLEAN}*: without the columns of noise; *{NOISY}*: with them, and not \
transformed. *{BACK}*: the share of what was lost between the two that is there again; above 1, learnt scales are \
better than equal ones without noise; no share is told where less than {_LEAST_LOSS:.0%} was lost. NCA takes classes \
only. The objective and its price were chosen on other sets (heart, diabetes, german.numer, breast cancer, phoneme, \
ijcnn1, susy, abalone, wine-quality-white)."""


class _Problem(NamedTuple):
    """Rows with noise, and without."""

    clean: Dataset
    noisy: Dataset
    is_numbers: bool


def _problem(name: str, is_numbers: bool, terms: Terms) -> _Problem:
    found = rows.read(name, terms, numbers=is_numbers)
    clean = Dataset(found.X_train[:_ROWS], found.y_train[:_ROWS], found.X_test[:_QUERIES], found.y_test[:_QUERIES])
    random = np.random.default_rng(0)
    noisy = replace(
        clean,
        X_train=np.hstack([clean.X_train, random.standard_normal((len(clean.X_train), NOISE_COLUMNS))]),
        X_test=np.hstack([clean.X_test, random.standard_normal((len(clean.X_test), NOISE_COLUMNS))]),
    )
    return _Problem(clean, noisy, is_numbers)


def _scores(of: Dataset, is_numbers: bool, threads: int) -> dict[str, float]:
    models = (KNeighborsRegressor, SVR) if is_numbers else (KNeighborsClassifier, SVC)
    return {
        name: float(model(n_jobs=threads).fit(of.X_train, of.y_train).score(of.X_test, of.y_test))
        for name, model in zip((NEIGHBOURS, VECTORS), models, strict=True)
    }


def _judge(of: _Problem, threads: int) -> Judge:
    clean, noisy = (_scores(one, of.is_numbers, threads) for one in (of.clean, of.noisy))

    def judge(way: Way, learnt: Any, answer: Any) -> dict[str, float | str]:
        moved = replace(of.noisy, X_train=learnt.transform(of.noisy.X_train), X_test=learnt.transform(of.noisy.X_test))
        figures: dict[str, float | str] = {}
        for name, score in _scores(moved, of.is_numbers, threads).items():
            lost = clean[name] - noisy[name]
            figures |= {f"{name} {CLEAN}": clean[name], f"{name} {NOISY}": noisy[name], name: score}
            figures |= {f"{BACK}, {name}": (score - noisy[name]) / lost if lost >= _LEAST_LOSS else "little lost"}
        return figures

    return judge


def _measured(name: str, is_numbers: bool, terms: Terms) -> Measured:
    problem = _problem(name, is_numbers, terms)
    X, y = problem.noisy.X_train, problem.noisy.y_train
    model = FeatureRelevance("svr" if is_numbers else "svc", n_jobs=terms.threads)
    sample = model.fit(X, y).row_indices_
    ways = [Way(OURS, lambda: FeatureRelevance(**model.get_params()).fit(X, y))]
    if not is_numbers:
        ways.append(Way(NCA, lambda: NeighborhoodComponentsAnalysis(random_state=0).fit(X[sample], y[sample])))
    size = f"{rows.size(X, problem.noisy.X_test)}, {len(sample):,} to learn from"
    return Measured(size, race(ways, terms, _judge(problem, terms.threads)))


def _won_back(machine: str, entry: Entry, way: str = OURS) -> float | None:
    showing = entry.of(way)
    return None if showing is None else showing.figure(f"{BACK}, {machine}")


def _ahead(machine: str, entry: Entry) -> float | None:
    """What is won back beyond NCA."""
    ours, theirs = _won_back(machine, entry), _won_back(machine, entry, NCA)
    return None if ours is None or theirs is None else ours - theirs


def _bars(problem: str, is_numbers: bool) -> list[Bar]:
    machines = (NEIGHBOURS, VECTORS)
    bars = [Bar(problem, f"{BACK}, {name}", partial(_won_back, name), 2 / 3, is_least=True) for name in machines]
    if not is_numbers:
        words = f"{BACK}, {{}}, less that of NCA"
        bars += [Bar(problem, words.format(name), partial(_ahead, name), 0, is_least=True) for name in machines]
        bars.append(at_least(problem, 10, NCA, OURS))
    return bars


def _problems() -> dict[str, bool]:
    """Names of the sets, and whether their targets are numbers."""
    return dict.fromkeys(CLASSES, False) | dict.fromkeys(NUMBERS, True)


RELEVANCE = Section(
    "Features that matter",
    TOLD,
    {name: partial(_measured, name, is_numbers) for name, is_numbers in _problems().items()},
    tuple(bar for name, is_numbers in _problems().items() for bar in _bars(name, is_numbers)),
)
