"""Neighbours where searches are at their limits: one query of many rows, sparse rows, rows far from the origin."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from sklearn import neighbors

from benchmarks import data
from benchmarks.remember.judge import largest_difference
from benchmarks.remember.peers import module_of
from benchmarks.remember.searches import BRUTE, FAISS, Question, all_ways, judge_of
from benchmarks.ways import rows
from benchmarks.ways.bars import at_least, at_most, figure_at_most
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.section import Measured, Section
from mercer import NearestNeighbors
from mercer.typing import Floats

K = 5
READ, DIFFERENCE = "reading the rows", "largest difference"
_ROWS, _COLUMNS = 1_000_000, 128
_OFFSET = 1e8
# Queries that scikit-learn is asked of sparse rows.
_FEW = 1_000

TOLD = """\
*one query*: of a million rows of 128 features in float32; making the index does not count, as it is made once. \
*reading the rows* is a sum of squares by BLAS, a part of the rows in each thread. *20newsgroups*: tf-idf, by the \
cosine; *largest difference* is that of the distances from scikit-learn's. *offset*: standard normal rows of 16 \
features, moved by 10⁸; *wrong* as in section A."""


def _one_query(terms: Terms) -> Measured:
    X = np.random.default_rng(0).standard_normal((terms.at_most(_ROWS), _COLUMNS), dtype=np.float32)
    Q = np.random.default_rng(1).standard_normal((1, _COLUMNS), dtype=np.float32)
    parts = np.array_split(X.ravel(), terms.threads)
    faiss = module_of("faiss-cpu")
    with ThreadPoolExecutor(terms.threads) as pool:
        ways = [
            _ready(OURS, NearestNeighbors(n_neighbors=K, n_jobs=terms.threads).fit(X), Q),
            Way(READ, ask=lambda _: list(pool.map(_squared, parts))),
            _ready(BRUTE, neighbors.NearestNeighbors(n_neighbors=K, algorithm="brute").fit(X), Q),
        ]
        if faiss is not None:
            index = faiss.IndexFlatL2(_COLUMNS)
            index.add(X)
            ways.append(Way(FAISS, ask=lambda _: index.search(Q, K)))
        return Measured(rows.size(X, Q), race(ways, terms))


def _ready(name: str, model: Any, Q: Any) -> Way:
    """A fitted model, after a query that made its index."""
    model.kneighbors(Q)
    return Way(name, ask=lambda _: model.kneighbors(Q))


def _squared(part: Any) -> float:
    return float(part @ part)


def _words(terms: Terms) -> Measured:
    found = rows.read("20newsgroups", terms, data.unscaled)
    X, Q = found.X_train, found.X_test
    few = min(_FEW, Q.shape[0])
    peer = neighbors.NearestNeighbors(n_neighbors=K, metric="cosine", n_jobs=terms.threads).fit(X)
    distances = peer.kneighbors(Q[:few])[0]

    def way(name: str, make: Callable[..., Any], queries: int) -> Way:
        return Way(
            name,
            lambda: make(n_neighbors=K, metric="cosine", n_jobs=terms.threads).fit(X),
            lambda model: model.kneighbors(Q[:queries])[0],
            queries / Q.shape[0],
        )

    def judge(way: Way, memory: Any, answer: Floats) -> dict[str, float | str]:
        return {DIFFERENCE: largest_difference(answer[:few], distances)} if way.name == OURS else {}

    ways = [way(OURS, NearestNeighbors, Q.shape[0]), way(BRUTE, neighbors.NearestNeighbors, few)]
    return Measured(rows.size(X, Q), race(ways, terms, judge))


def _offset(terms: Terms) -> Measured:
    n = terms.at_most(20_000)
    X, Q = rows.normal(n, 16) + _OFFSET, rows.normal(terms.at_most(1_000), 16, seed=1) + _OFFSET
    asked = Question(X, Q, K, terms.threads, len(Q), len(Q))
    return Measured(rows.size(X, Q), race(all_ways(asked), terms, judge_of(asked)))


EXTREMES = Section(
    "One query, sparse rows, rows far from the origin",
    TOLD,
    {"one query": _one_query, "20newsgroups": _words, "offset": _offset},
    (
        at_most("one query", 1.25, OURS, READ),
        at_least("20newsgroups", 5, BRUTE, OURS),
        figure_at_most("offset", 0, OURS, "wrong"),
    ),
)
