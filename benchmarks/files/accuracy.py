"""Accuracy on tables as people have them, beside what a person would write with scikit-learn, and skrub.

All three learn from the same rows and are judged by the same test rows. A `ColumnTransformer` scales numbers, fills
them with medians and makes features of categories, and `GridSearchCV` looks for C and gamma of scikit-learn's `SVC` or
`SVR` on five folds; skrub's `tabular_pipeline` takes the estimator with its defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

__all__ = ["OURS", "TABLES", "WAYS", "Figure", "compare_accuracy"]

#: The name of Mercer's own way.
OURS = "mercer train"

_ROWS = 5000
_TEST_SHARE = 0.25
# A category with more values than this is left out by a person who writes the pipeline by hand.
_MOST_CATEGORIES = 40
_C = [float(4.0**k) for k in range(-1, 5)]
_GAMMA = [float(4.0**k / 16) for k in range(-3, 2)]


@dataclass(frozen=True)
class Figure:
    """What one way reaches on the test rows of one table: the share of right labels, or R².

    Attributes
    ----------
    draws : int
        Splits of a small table that score and seconds are means over.
    error : float
        The standard error of the score: over the splits, or of the test rows where there is one split.
    ahead, ahead_error : float
        How much higher the score of `mercer train` is on the same rows, and the standard error of that over the splits;
        NaN where there is one split.
    """

    table: str
    way: str
    rows: int
    test_rows: int
    draws: int
    score: float
    error: float
    seconds: float
    ahead: float
    ahead_error: float


@dataclass(frozen=True)
class Source:
    """Where a table is, and what is predicted of it.

    Attributes
    ----------
    train, test : str
        Files in the folder; without a test file a quarter of the rows is held out.
    target : str
        The column to predict; of files without names they are "0", "1", ….
    leave_out : tuple of str
        Columns that are no features: row numbers, and parts of the target.
    draws : int
        How often a small table is split anew: the scores of one split differ by chance.
    """

    train: str
    target: str
    test: str | None = None
    has_header: bool = True
    leave_out: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    is_regression: bool = False
    draws: int = 1


#: The tables of the comparison, by name.
TABLES = {
    "adult-raw": Source("adult-raw/adult-train.csv", "14", "adult-raw/adult-test.csv", has_header=False),
    "titanic": Source("titanic/titanic.csv", "survived", draws=10),
    "credit-g": Source("credit-g/german.csv", "20", has_header=False, draws=10),
    "bike-sharing-hour": Source(
        "bike-sharing-hour/hour.csv",
        "cnt",
        leave_out=("instant", "casual", "registered"),
        dates=("dteday",),
        is_regression=True,
    ),
}


def compare_accuracy(
    folder: Path, tables: tuple[str, ...] = tuple(TABLES), ways: tuple[str, ...] = (), seed: int = 0
) -> list[dict[str, Any]]:
    """Plain figures of all ways on these tables.

    Parameters
    ----------
    folder : Path
        Where the tables are.
    tables, ways : tuple of str
        Which ones; all ways where none is named.
    seed : int
        Of the split and of the rows that are drawn.
    """
    figures = []
    for name in tables:
        found: dict[str, list[_Run]] = {}
        for draw in range(TABLES[name].draws):
            train, test = _frames(folder, TABLES[name], seed + draw)
            for way in ways or tuple(WAYS):
                found.setdefault(way, []).append(_run(way, train, test, TABLES[name], seed + draw))
        figures += [asdict(_figure(name, way, runs, found.get(OURS))) for way, runs in found.items()]
    return figures


class _Run(NamedTuple):
    rows: int
    test_rows: int
    score: float
    error: float
    seconds: float


def _run(way: str, train: Any, test: Any, source: Source, seed: int) -> _Run:
    began = perf_counter()
    predicted = WAYS[way](train, test, source, seed)
    seconds = perf_counter() - began
    return _Run(
        len(train), len(test), *_score(test[source.target].to_numpy(), predicted, source.is_regression), seconds
    )


def _figure(name: str, way: str, runs: list[_Run], ours: list[_Run] | None) -> Figure:
    scores = np.array([run.score for run in runs])
    error = runs[0].error if len(runs) == 1 else float(np.std(scores, ddof=1) / np.sqrt(len(runs)))
    gains = np.full(len(runs), np.nan) if ours is None else np.array([run.score for run in ours]) - scores
    gains_error = float(np.std(gains, ddof=1) / np.sqrt(len(runs))) if len(runs) > 1 else float("nan")
    return Figure(
        *(name, way, runs[0].rows, runs[0].test_rows, len(runs), float(scores.mean()), error),
        *(float(np.mean([run.seconds for run in runs])), float(gains.mean()), gains_error),
    )


# ---------------------------------------------------------------- rows


def _frames(folder: Path, source: Source, seed: int) -> tuple[Any, Any]:
    """The training rows, at most so many, and the test rows."""
    from sklearn.model_selection import train_test_split

    train = _read(folder / source.train, source)
    strata = None if source.is_regression else train[source.target]
    if source.test is not None:
        test = _read(folder / source.test, source)
        test[source.target] = test[source.target].str.rstrip(".")
    else:
        train, test = train_test_split(train, test_size=_TEST_SHARE, random_state=seed, stratify=strata)
        strata = None if source.is_regression else train[source.target]
    if len(train) > _ROWS:
        train, _ = train_test_split(train, train_size=_ROWS, random_state=seed, stratify=strata)
    return train.reset_index(drop=True), test.reset_index(drop=True)


def _read(path: Path, source: Source) -> Any:
    import pandas as pd

    frame = pd.read_csv(
        path,
        header=0 if source.has_header else None,
        skipinitialspace=True,
        na_values=["?"],
        parse_dates=list(source.dates) or False,
    )
    frame.columns = [str(name) for name in frame.columns]
    return frame.drop(columns=list(source.leave_out))


def _score(truth: Any, predicted: Any, is_regression: bool) -> tuple[float, float]:
    from mercer.training import measures

    if is_regression:
        measure = measures.r2(truth.astype(np.float64), np.asarray(predicted, dtype=np.float64))
    else:
        measure = measures.accuracy(truth, predicted)
    return measure.value, measure.error or 0.0


# ---------------------------------------------------------------- ways


def _by_mercer(train: Any, test: Any, source: Source, seed: int) -> Any:
    from mercer.tables.frames import table_from_frame
    from mercer.training import TrainingOptions
    from mercer.training import train as train_model

    task = "regression" if source.is_regression else "classification"
    options = TrainingOptions(task=task, seed=seed)
    table, test_table = table_from_frame(train), table_from_frame(test)
    trained = train_model(table, source.target, test=test_table, options=options)
    predictions = trained.model.predict(test_table)
    if source.is_regression:
        return predictions.values
    by_text = {str(label): label for label in train[source.target].unique()}
    assert predictions.labels is not None
    return np.array([by_text[label] for label in predictions.labels], dtype=train[source.target].to_numpy().dtype)


def _by_column_transformer(train: Any, test: Any, source: Source, seed: int) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import Pipeline, make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.svm import SVC, SVR

    X, X_test = (_with_days(frame.drop(columns=source.target), source) for frame in (train, test))
    numbers = [name for name in X if X[name].dtype.kind in "iuf"]
    categories = [name for name in X if name not in numbers and X[name].nunique() <= _MOST_CATEGORIES]
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler()), numbers),
            ("categories", OneHotEncoder(handle_unknown="ignore"), categories),
        ]
    )
    machine = SVR() if source.is_regression else SVC()
    spread = float(train[source.target].std()) if source.is_regression else 1.0
    grid = {"machine__C": [spread * C for C in _C], "machine__gamma": _GAMMA}
    search = GridSearchCV(Pipeline([("columns", columns), ("machine", machine)]), grid, n_jobs=-1)
    return search.fit(X, train[source.target]).predict(X_test)


def _by_skrub(train: Any, test: Any, source: Source, seed: int) -> Any:
    from sklearn.svm import SVC, SVR
    from skrub import tabular_pipeline

    model = tabular_pipeline(SVR() if source.is_regression else SVC())
    model.fit(train.drop(columns=source.target), train[source.target])
    return model.predict(test.drop(columns=source.target))


def _with_days(frame: Any, source: Source) -> Any:
    """Dates as days since the first: what is done by hand."""
    for name in source.dates:
        frame[name] = (frame[name] - np.datetime64("1970-01-01")).dt.days
    return frame


#: Who learns, by name.
WAYS: dict[str, Callable[[Any, Any, Source, int], Any]] = {
    OURS: _by_mercer,
    "ColumnTransformer + GridSearchCV": _by_column_transformer,
    "skrub tabular_pipeline": _by_skrub,
}
