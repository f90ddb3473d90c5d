"""Searches for parameters, and machines that choose their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import ModelFileError
from mercer.io.facts import (
    ANYTHING,
    COUNT,
    FLAG,
    LABELS,
    NOTHING,
    NUMBER,
    TEXT,
    Fact,
    either,
    instance,
    lists,
    mapping,
    maybe,
)
from mercer.io.records import record
from mercer.io.states.state import FEATURES, State

__all__ = ["SEARCHES"]

_MODEL = Fact("an estimator", lambda value, sizes: hasattr(value, "get_params") and hasattr(value, "fit"))
_PIPELINE = instance("sklearn.pipeline:Pipeline")


def _without_scorer(estimator: Any, kept: dict[str, Any]) -> dict[str, Any]:
    """Scores are functions: they are looked up again by the names in `scoring`."""
    return {name: value for name, value in kept.items() if name not in ("scorer_", "_memory")}


def _find_scorer(estimator: Any) -> None:
    own = estimator.__dict__
    if "cv_results_" not in own:
        return
    scorers, _ = estimator._get_scorers()
    own["scorer_"] = getattr(scorers, "_scorers", scorers)
    results = own["cv_results_"]
    cells = results.get("params")
    if not isinstance(cells, list) or not cells or any(np.shape(one) != (len(cells),) for one in results.values()):
        raise ModelFileError("GridSearchCV: expected results of as many cells, got others.")
    if own.get("best_index_", 0) >= len(cells):
        raise ModelFileError(f"GridSearchCV: expected a choice among {len(cells)} cells, got others.")


def _check_tuned(estimator: Any) -> None:
    own = estimator.__dict__
    if "search_" not in own:
        return
    name, learnt = type(estimator).__name__, own["_calibration"]
    best = own["search_"].__dict__.get("best_estimator_")
    if not _PIPELINE.holds(best, {}) or not hasattr(best[-1], "certificate_"):  # type: ignore[arg-type]
        raise ModelFileError(f"{name}: expected a machine that was fitted, got none.")
    classes = own.get("classes_")
    if classes is not None and not np.array_equal(best[-1].classes_, classes):
        raise ModelFileError(f"{name}: expected the classes of its machine, got others.")
    if hasattr(learnt, "codes") and (learnt.values.shape[1] != len(classes) or learnt.codes.max() >= len(classes)):
        raise ModelFileError(f"{name}: expected values of {len(classes)} classes, got others.")


_TUNED: dict[str, Fact] = {
    **FEATURES,
    "n_extensions_": COUNT,
    "search_": instance("mercer.tune.search:GridSearchCV"),
}
_INTERVALS = either(
    record("SplitIntervals"),
    Fact(
        "intervals with the machines of their folds",
        lambda value, sizes: (
            isinstance(value, tuple)
            and len(value) == 2
            and record("CrossIntervals").holds(value[0], sizes)
            and lists(_PIPELINE, value[0].n_folds, (list,)).holds(value[1], sizes)
        ),
    ),
)
_NEEDED = ("search_", "_calibration", "n_features_in_")

SEARCHES: dict[str, State] = {
    "GridSearchCV": State(
        "mercer.tune.search:GridSearchCV",
        {
            "n_splits_": COUNT,
            "multimetric_": FLAG,
            "cv_results_": mapping(ANYTHING),
            "all_cv_results_": ANYTHING,
            "plan_": TEXT,
            "best_index_": COUNT,
            "best_score_": NUMBER,
            "best_params_": mapping(ANYTHING),
            "certificate_": record("ChoiceCertificate"),
            "best_estimator_": _MODEL,
            "refit_time_": NUMBER,
            "feature_names_in_": FEATURES["feature_names_in_"],
        },
        ("cv_results_", "n_splits_", "multimetric_"),
        {"estimator": _MODEL},
        written=_without_scorer,
        finish=_find_scorer,
    ),
    "TunedSVC": State(
        "mercer.tune.tuned_svc:TunedSVC",
        {"classes_": LABELS, **_TUNED, "_calibration": maybe(record("LearntSets"))},
        (*_NEEDED, "classes_"),
        finish=_check_tuned,
    ),
    "TunedSVR": State(
        "mercer.tune.tuned_svr:TunedSVR",
        {**_TUNED, "_calibration": either(NOTHING, _INTERVALS)},
        _NEEDED,
        finish=_check_tuned,
    ),
}
