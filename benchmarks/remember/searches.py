"""The ways to search for neighbours: Mercer's, and those of libraries that are installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn import neighbors

from benchmarks.remember.judge import wrong_neighbours
from benchmarks.remember.peers import module_of
from benchmarks.ways.race import OURS, Judge, Way
from mercer import NearestNeighbors
from mercer.typing import Floats, Integers

BRUTE, TREE, SCIPY = "scikit-learn brute", "scikit-learn kd_tree", "SciPy cKDTree"
PYKDTREE, FAISS = "pykdtree", "faiss IndexFlatL2"
OURS_BRUTE, OURS_TREE = "mercer brute", "mercer kd_tree"
#: Trees of more features look at nearly all rows, and take many times as long.
MOST_FEATURES_OF_TREES = 60
# Of rows with more features Mercer's own choice is to look at all of them.
_FEATURES_OF_CHOICE = 20
# Queries whose neighbours are checked.
_CHECKED = 200


@dataclass(frozen=True)
class Question:
    """Rows, queries, and how many neighbours of each.

    Attributes
    ----------
    few, few_of_trees : int
        Queries of ways that take too long for all: of peers that look at all rows, and of trees.
    """

    X: Floats
    Q: Floats
    k: int
    threads: int
    few: int
    few_of_trees: int

    def share(self, queries: int) -> float:
        """Of all queries, what so many are."""
        return min(1.0, queries / len(self.Q))


def by_mercer(asked: Question, name: str, algorithm: str, few: int) -> Way:
    """`mercer.NearestNeighbors`."""
    Q = asked.Q[:few]

    def prepare() -> Any:
        model = NearestNeighbors(n_neighbors=asked.k, algorithm=algorithm, n_jobs=asked.threads).fit(asked.X)
        if asked.share(few) < 1:
            # The index is made by the first query: it is not to be divided by the share of the queries.
            model.kneighbors(Q[:1])
        return model

    return Way(name, prepare, lambda model: model.kneighbors(Q)[1], asked.share(few))


def by_scikit_learn(asked: Question, name: str, algorithm: str, few: int) -> Way:
    """Scikit-learn's `NearestNeighbors`."""
    Q = asked.Q[:few]

    def prepare() -> Any:
        model = neighbors.NearestNeighbors(n_neighbors=asked.k, algorithm=algorithm, n_jobs=asked.threads)
        return model.fit(asked.X)

    return Way(name, prepare, lambda model: model.kneighbors(Q)[1], asked.share(few))


def by_scipy(asked: Question) -> Way:
    """SciPy's tree."""
    Q = asked.Q[: asked.few_of_trees]
    return Way(
        SCIPY,
        lambda: cKDTree(asked.X),
        lambda tree: tree.query(Q, asked.k, workers=asked.threads)[1],
        asked.share(len(Q)),
    )


def by_pykdtree(asked: Question, module: Any) -> Way:
    """pykdtree's tree, whose threads are those of OpenMP."""
    Q = asked.Q[: asked.few_of_trees]
    return Way(PYKDTREE, lambda: module.KDTree(asked.X), lambda tree: tree.query(Q, asked.k)[1], asked.share(len(Q)))


def by_faiss(asked: Question, module: Any) -> Way:
    """faiss, which knows float32 only: rows and queries are made so before the clock starts."""
    X, Q = (np.ascontiguousarray(rows, np.float32) for rows in (asked.X, asked.Q[: asked.few]))

    def prepare() -> Any:
        module.omp_set_num_threads(asked.threads)
        index = module.IndexFlatL2(X.shape[1])
        index.add(X)
        return index

    return Way(FAISS, prepare, lambda index: index.search(Q, asked.k)[1], asked.share(len(Q)))


def all_ways(asked: Question) -> list[Way]:
    """Mercer's first; trees where there are few features."""
    d, few, few_of_trees = asked.X.shape[1], asked.few, asked.few_of_trees
    ways = [by_mercer(asked, OURS, "auto", len(asked.Q))]
    if d <= _FEATURES_OF_CHOICE:
        ways.append(by_mercer(asked, OURS_BRUTE, "brute", few))
    if d <= MOST_FEATURES_OF_TREES:
        ways.append(by_mercer(asked, OURS_TREE, "kd_tree", few_of_trees))
    ways.append(by_scikit_learn(asked, BRUTE, "brute", few))
    if d <= MOST_FEATURES_OF_TREES:
        ways += [by_scikit_learn(asked, TREE, "kd_tree", few_of_trees), by_scipy(asked)]
        ways += _of(module_of("pykdtree"), asked, by_pykdtree)
    return ways + _of(module_of("faiss-cpu"), asked, by_faiss)


def _of(module: Any, asked: Question, make: Callable[[Question, Any], Way]) -> list[Way]:
    return [] if module is None else [make(asked, module)]


def judge_of(asked: Question) -> Judge:
    """Counts wrong neighbours of some queries from all over those that every way is asked."""
    Q = asked.Q[: min(asked.few, asked.few_of_trees)]
    checked = np.unique(np.linspace(0, len(Q) - 1, min(_CHECKED, len(Q))).astype(np.int64))

    def judge(way: Way, memory: Any, rows: Integers) -> dict[str, float | str]:
        wrong = wrong_neighbours(asked.X, Q[checked], np.asarray(rows)[checked].astype(np.int64))
        found: dict[str, float | str] = {"wrong": wrong, "of": len(checked) * asked.k}
        return found | {"plan": memory.plan_} if way.name == OURS else found

    return judge
