"""What probabilities cost and how good they are: `python -m benchmarks.probability --data DIR` writes PROBABILITY.md.

Fits with and without `probability` take turns, each after one that is not timed; a time is the median. Scores are
those of the test rows. The calibration error is the mean distance between how sure a machine is of its label and how
often it is right, over fifteen bins.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss

import mercer
from benchmarks.dataset import Dataset
from benchmarks.markdown import seconds, table, times
from benchmarks.problems import Problem, problems, select
from mercer.typing import Floats

HERE = Path(__file__).resolve().parent
_PROBLEMS = ("a9a", "ijcnn1", "letter", "satimage")
_BINS = 15
# Short fits are repeated until they took so long together.
_LEAST_SECONDS = 0.5


class Way(NamedTuple):
    """A way to probabilities: its name, and the estimator with these parameters."""

    name: str
    make: Callable[..., Any]


_WITHOUT = Way("without", mercer.SVC)
_WAYS = (
    Way("probability=True", lambda **given: mercer.SVC(probability=True, **given)),
    Way('"isotonic"', lambda **given: mercer.SVC(probability="isotonic", **given)),
    Way('"temperature"', lambda **given: mercer.SVC(probability="temperature", **given)),
    Way("CalibratedClassifierCV", lambda **given: CalibratedClassifierCV(mercer.SVC(**given), ensemble=False)),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the page; returns the exit code."""
    parser = argparse.ArgumentParser(prog="benchmarks.probability", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with NAME/NAME.npz")
    parser.add_argument("--problems", type=lambda text: text.split(","), default=list(_PROBLEMS))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--output", type=Path, default=HERE / "PROBABILITY.md")
    options = parser.parse_args(arguments)
    rows: list[list[str]] = []
    for problem in select(problems(options.data), options.problems, quick=False):
        rows += _rows_of(problem, options.repetitions)
        print(*rows[-len(_WAYS) :], sep="\n")
    head = ["problem", "way", "fit", "÷ fit without", "log-loss", "Brier", "calibration error"]
    about = (__doc__ or "").partition("\n\n")[2]
    options.output.write_text(f"# Probabilities\n\n{about}\n{table(head, rows)}\n")
    return 0


def _rows_of(problem: Problem, repetitions: int) -> list[list[str]]:
    data = problem.load()
    given: dict[str, Any] = problem.resolved_parameters(data)
    fitted = {way: way.make(**given).fit(data.X_train, data.y_train) for way in _WAYS}
    order = [_WITHOUT, *_WAYS]
    spent: dict[Way, list[float]] = {way: [] for way in order}
    while len(spent[_WITHOUT]) < repetitions or sum(spent[_WITHOUT]) < _LEAST_SECONDS:
        for way in order:
            model = way.make(**given)
            model.fit(data.X_train, data.y_train)  # what others left in the caches is nobody's time
            spent[way].append(_seconds_of(way.make(**given), data))
        order.append(order.pop(0))
    plain, rows = median(spent[_WITHOUT]), []
    for way in _WAYS:
        scores = _scores(fitted[way].predict_proba(data.X_test), fitted[way].classes_, data.y_test)
        time = median(spent[way])
        rows.append([problem.name, way.name, seconds(time), times(time / plain), *(f"{s:.4f}" for s in scores)])
    return rows


def _seconds_of(model: Any, data: Dataset) -> float:
    began = perf_counter()
    model.fit(data.X_train, data.y_train)
    return perf_counter() - began


def _scores(p: Floats, classes: Any, y: Any) -> tuple[float, float, float]:
    """Log-loss, Brier score and calibration error."""
    truth = y[:, None] == classes
    sure, right = p.max(axis=1), truth[np.arange(len(y)), p.argmax(axis=1)]
    place = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    off = [abs(sure[place == k].sum() - right[place == k].sum()) for k in range(_BINS)]
    brier = float(((p - truth) ** 2).sum(axis=1).mean())
    return float(log_loss(y, p, labels=classes)), brier, float(sum(off) / len(y))


if __name__ == "__main__":
    sys.exit(main())
