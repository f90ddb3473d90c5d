"""The choice of parameters: the map of the search, and what is proven of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mercer.report.blocks import Block, Figure, Head, Legend, Mono, Paragraph, Section, Table, Verdict
from mercer.report.charts import heat_map
from mercer.report.charts.heat_map import Searched
from mercer.report.digits import alike, count, duration, number, parameter
from mercer.report.limits import Limits
from mercer.report.sections.prose import capitalised, named_score, sentence

if TYPE_CHECKING:
    from mercer.training.findings import ChoiceFound, Findings

__all__ = ["section"]


def section(findings: Findings, limits: Limits) -> Section:
    """The choice."""
    choice = findings.choice
    cells = sum(score is not None for row in choice.scores for score in row)
    looked = (
        f"{count(cells)} {'pair' if cells == 1 else 'pairs'} of C and gamma"
        if choice.gamma
        else f"{count(cells)} values of C"
    )
    words = (
        f"The search looked at {looked}, each by {choice.folds}-fold cross-validation on the training rows, "
        f"in {duration(choice.seconds)}. The choice reaches {number(choice.score)} "
        f"({named_score(choice.score_name)}), with a standard deviation of {number(choice.spread, 2)} between folds."
    )
    rows = tuple((Mono(name), parameter(value)) for name, value in choice.params.items())
    blocks: list[Block] = [
        Paragraph(words),
        Table("Chosen parameters", (Head("Parameter"), Head("Value", "number")), rows),
    ]
    if choice.certificate:
        badge = "Proven" if choice.is_proven else "Not proven"
        blocks.append(Verdict("fine" if choice.is_proven else "note", badge, sentence(choice.certificate)))
    if choice.C and choice.gamma and cells:
        blocks.append(_map(choice, limits))
    return Section("choice", "The choice of parameters", tuple(blocks))


def _map(choice: ChoiceFound, limits: Limits) -> Figure:
    rows, columns = _shown(len(choice.C), choice.chosen[0], limits), _shown(len(choice.gamma), choice.chosen[1], limits)
    near = _near(choice)
    searched = Searched(
        "C",
        "gamma",
        [choice.C[i] for i in rows],
        [choice.gamma[j] for j in columns],
        [[choice.scores[i][j] for j in columns] for i in rows],
        (rows.index(choice.chosen[0]), columns.index(choice.chosen[1])),
        frozenset((rows.index(i), columns.index(j)) for i, j in near if i in rows and j in columns),
    )
    chosen = f"C = {number(choice.C[choice.chosen[0]])}, gamma = {number(choice.gamma[choice.chosen[1]])}"
    name = capitalised(named_score(choice.score_name))
    label = (
        f"{name} of each C and gamma. The choice is {chosen}, with {number(choice.score)}; "
        f"{len(near)} cells are within one standard error of the best."
    )
    legend = [
        Legend("chosen", f"the choice: {chosen}"),
        Legend("near", "within one standard error of the best: cannot be told from it by these folds"),
    ]
    if any(score is None for row in choice.scores for score in row):
        legend.append(Legend("unknown", "not finished"))
    caption = f"{name}, mean over {choice.folds} folds; the stronger the colour, the better."
    if len(rows) < len(choice.C) or len(columns) < len(choice.gamma):
        caption += " The part of the grid around the choice; report.json has all of it."
    return Figure(
        "Grid of the search",
        heat_map(label, searched),
        caption,
        tuple(legend),
        _numbers(choice, rows, columns),
    )


def _numbers(choice: ChoiceFound, rows: list[int], columns: list[int]) -> Table:
    heads = (Head("C ↓ gamma →"), *(Head(number(choice.gamma[j]), "number") for j in columns))
    pairs = [[(choice.scores[i][j], choice.spreads[i][j]) for j in columns] for i in rows]
    texts = iter(alike([(score, spread) for row in pairs for score, spread in row if score is not None]))
    cells = tuple(
        (number(choice.C[i]), *("—" if score is None else next(texts) for score, _ in row))
        for i, row in zip(rows, pairs, strict=True)
    )
    return Table("Mean score ± standard deviation over folds", heads, cells)


def _near(choice: ChoiceFound) -> set[tuple[int, int]]:
    """Cells within one standard error of the best."""
    known = [
        (score, i, j)
        for i, row in enumerate(choice.scores)
        for j, score in enumerate(row)
        if score is not None and math.isfinite(score)
    ]
    if not known:
        return set()
    best, i, j = max(known)
    error = (choice.spreads[i][j] or 0.0) / math.sqrt(max(1, choice.folds))
    return {(i, j) for score, i, j in known if score >= best - error}


def _shown(length: int, chosen: int, limits: Limits) -> list[int]:
    """Places of an axis of the grid, at most so many around the choice."""
    most = min(length, limits.cells)
    start = min(max(0, chosen - most // 2), length - most)
    return list(range(start, start + most))
