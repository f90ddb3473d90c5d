"""Exact neighbours beside other exact searches: time, and neighbours that are wrong."""

from __future__ import annotations

from benchmarks import data
from benchmarks.remember.searches import BRUTE, FAISS, Question, all_ways, judge_of
from benchmarks.ways import rows
from benchmarks.ways.bars import Bar, at_least, figure_at_most
from benchmarks.ways.race import OURS, Terms, race
from benchmarks.ways.record import Entry
from benchmarks.ways.section import Measured, Section

K = 5
PLANE = "uniform-2d"
_POINTS = 100_000

TOLD = """\
The five nearest rows of each query, making the index included. Features are standardised, but not those of \
fashion-mnist. Scikit-learn's `algorithm="auto"` is its kd_tree up to 15 features and its brute search above. Mercer \
also by one algorithm alone (*mercer brute*, *mercer kd_tree*), to tell what its own choice is worth; trees where \
there are at most 60 features. faiss is given float32, made so before the clock starts; the others float64. *wrong*: \
rows among those found for some queries (*of* so many) that are farther than the true fifth, beyond rounding, by \
distances in float64 from differences."""


def _measured(asked: Question, terms: Terms) -> Measured:
    return Measured(rows.size(asked.X, asked.Q), race(all_ways(asked), terms, judge_of(asked)))


def _of_set(name: str, scaling: data.Scaling, few: int, few_of_trees: int, terms: Terms) -> Measured:
    found = rows.read(name, terms, scaling)
    return _measured(Question(found.X_train, found.X_test, K, terms.threads, few, few_of_trees), terms)


def _of_plane(terms: Terms) -> Measured:
    X, Q = (rows.uniform(terms.at_most(_POINTS), 2, seed) for seed in (0, 1))
    return _measured(Question(X, Q, K, terms.threads, 2_000, len(Q)), terms)


def _best(entry: Entry) -> float | None:
    """The time of Mercer's choice over that of the quickest way, its own other ones included."""
    ours = entry.of(OURS)
    others = [showing.time for showing in entry.showings if showing.way != OURS]
    return None if ours is None or not others else ours.time / min(others)


def _bars(problem: str, brute: float, is_choice: bool) -> list[Bar]:
    bars = [at_least(problem, brute, BRUTE, OURS), at_least(problem, 3, FAISS, OURS)]
    if is_choice:
        bars.append(Bar(problem, f"{OURS} ÷ the best of the others", _best, 1.1, is_least=False))
    return [*bars, figure_at_most(problem, 0, OURS, "wrong")]


EXACT = Section(
    "Exact neighbours, k = 5",
    TOLD,
    {
        "fashion-mnist": lambda terms: _of_set("fashion-mnist", data.unscaled, 1_000, 1_000, terms),
        "covtype": lambda terms: _of_set("covtype", data.standardised, 500, 500, terms),
        "letter": lambda terms: _of_set("letter", data.standardised, rows.QUERIES, rows.QUERIES, terms),
        "cadata": lambda terms: _of_set("cadata", data.standardised, rows.QUERIES, rows.QUERIES, terms),
        PLANE: _of_plane,
    },
    (
        *_bars("fashion-mnist", 8, is_choice=False),
        *_bars("covtype", 6, is_choice=True),
        *_bars("letter", 5, is_choice=True),
        *_bars("cadata", 5, is_choice=True),
        Bar(PLANE, f"{OURS} ÷ the best of the others", _best, 1.1, is_least=False),
        figure_at_most(PLANE, 0, OURS, "wrong"),
    ),
)
