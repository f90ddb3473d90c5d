"""Entries of tables that several sections have."""

from __future__ import annotations

from benchmarks.markdown import number, seconds, times
from benchmarks.tune.record import Entry, Facts, Found

NOT_RUN = "not run"


def size(problem: Facts) -> str:
    """Rows × features, and classes where there are more than two."""
    told = f"{problem.rows:,} × {problem.features:,}"
    return told if problem.classes == 2 else f"{told}, {problem.classes} classes"


def time_of(entry: Entry, way: str) -> str:
    """Median of a way's seconds."""
    showing = entry.of(way)
    return NOT_RUN if showing is None else seconds(showing.time)


def ratio_of(entry: Entry, way: str, other: str) -> str:
    """A way's time over another's."""
    ratio = entry.ratio(way, other)
    return NOT_RUN if ratio is None else times(ratio)


def params_of(found: Found) -> str:
    """The parameters of the choice."""
    return ", ".join(f"{name.rpartition('__')[2]}={number(value)}" for name, value in found.params.items())


def score_of(found: Found) -> str:
    """The mean score of the choice over the folds."""
    score = found.scores[found.best]
    return NOT_RUN if score is None else f"{score:.4f}"


def proof_of(found: Found | None) -> str:
    """Whether the choice is proven, or how many cells are in the way."""
    if found is None or found.rivals is None:
        return NOT_RUN
    return "yes" if found.rivals == 0 else f"no, {found.rivals} {'rival' if found.rivals == 1 else 'rivals'}"
