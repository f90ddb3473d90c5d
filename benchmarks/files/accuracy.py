"""Accuracy on tables as people have them, beside what a person would write with scikit-learn, and skrub.

All three learn from the same rows and are judged by the same test rows. A `ColumnTransformer` scales numbers, fills
them with medians and makes features of categories, and `GridSearchCV` looks for C and gamma of scikit-learn's `SVC` or
`SVR` on five folds; skrub's `tabular_pipeline` takes the estimator with its defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["TABLES", "WAYS", "Prepared", "Source", "prepared"]

#: Learns from training rows and predicts test rows; with a seed.
Way = Callable[[Any, Any, "Source", int], Any]

_ROWS = 5000
_TEST_SHARE = 0.25
# Of the split, and of the rows that are drawn.
_SEED = 0
# A category with more values than this is left out by a person who writes the pipeline by hand.
_MOST_CATEGORIES = 40
_C = [float(4.0**k) for k in range(-1, 5)]
_GAMMA = [float(4.0**k / 16) for k in range(-3, 2)]


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
    """

    train: str
    target: str
    test: str | None = None
    has_header: bool = True
    leave_out: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    is_regression: bool = False


#: The tables of the comparison, by name.
TABLES = {
    "adult-raw": Source("adult-raw/adult-train.csv", "14", "adult-raw/adult-test.csv", has_header=False),
    "titanic": Source("titanic/titanic.csv", "survived"),
    "credit-g": Source("credit-g/german.csv", "20", has_header=False),
    "bike-sharing-hour": Source(
        "bike-sharing-hour/hour.csv",
        "cnt",
        leave_out=("instant", "casual", "registered"),
        dates=("dteday",),
        is_regression=True,
    ),
}


@dataclass(frozen=True, eq=False)
class Prepared:
    """Training and test rows of a table."""

    source: Source
    train: Any
    test: Any

    def predicted(self, learn: Way) -> Any:
        """What a way says of the test rows."""
        return learn(self.train, self.test, self.source, _SEED)

    def score(self, predicted: Any) -> tuple[float, float]:
        """The share of right labels, or R², and its standard error."""
        return _score(self.test[self.source.target].to_numpy(), predicted, self.source.is_regression)


def prepared(folder: Path, name: str, rows: int | None = None) -> Prepared:
    """The rows of a table, at most so many to learn from."""
    source = TABLES[name]
    return Prepared(source, *_frames(folder, source, _SEED, _ROWS if rows is None else min(rows, _ROWS)))


# ---------------------------------------------------------------- rows


def _frames(folder: Path, source: Source, seed: int, rows: int) -> tuple[Any, Any]:
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
    if len(train) > rows:
        train, _ = train_test_split(train, train_size=rows, random_state=seed, stratify=strata)
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
    options = TrainingOptions(task=task, seed=seed, quick=False)
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
WAYS: dict[str, Way] = {
    "mercer train": _by_mercer,
    "ColumnTransformer + GridSearchCV": _by_column_transformer,
    "skrub tabular_pipeline": _by_skrub,
}
