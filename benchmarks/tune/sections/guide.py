"""The first example of LIBSVM's practical guide, with the cells of its grid.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.markdown import NONE, number, table
from benchmarks.tune.record import Entry
from benchmarks.tune.searches import OURS
from benchmarks.tune.sections import peers
from benchmarks.tune.sections.section import Section
from benchmarks.tune.sections.words import params_of, proof_of, ratio_of, score_of, time_of
from benchmarks.tune.tasks import practical_guide


class _Published(NamedTuple):
    """What the guide says of its own search: the choice, and the accuracy on the test file."""

    C: float
    gamma: float
    accuracy: float


# Hsu, Chang, Lin: A practical guide to support vector classification, section 3.2 and appendix A.
GUIDE = _Published(C=2.0, gamma=2.0, accuracy=0.96875)

TOLD = """\
`svmguide1`, scaled to [-1, 1] on its training file, and the cells of `grid.py` without options. *test*: accuracy of \
the machine that is fitted to all rows with the chosen parameters, on the test file. Folds are scikit-learn's, not \
LIBSVM's, so that another cell can score best than in the guide."""


def tables(entries: Sequence[Entry]) -> str:
    """A row for each way, and what the guide has."""
    return "\n\n".join(map(_table, entries))


def _table(entry: Entry) -> str:
    rows = []
    for showing in entry.showings:
        if showing.found is not None:
            found, proof = showing.found, NONE if showing.found.rivals is None else proof_of(showing.found)
            figures = [time_of(entry, showing.way), ratio_of(entry, showing.way, OURS)]
            accuracy = _percent(showing.figures["accuracy"])
            rows.append([showing.way, *figures, params_of(found), proof, score_of(found), accuracy])
    chosen = f"C={number(GUIDE.C)}, gamma={number(GUIDE.gamma)}"
    rows.append(["the guide", NONE, NONE, chosen, NONE, NONE, _percent(GUIDE.accuracy)])
    told = f"{entry.problem.rows:,} rows, {entry.problem.cells} cells, {entry.problem.folds} folds."
    return f"{told}\n\n" + table(["way", "time", f"÷ {OURS}", "choice", "proven", "score", "test"], rows)


def _percent(share: float) -> str:
    return f"{100 * share:.3f} %"


GRID_PY = Section("LIBSVM's practical guide", TOLD, practical_guide, peers.run, tables)
