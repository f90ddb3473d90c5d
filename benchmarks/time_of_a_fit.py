"""Draws where the time of a fit goes: ``python -m benchmarks.time_of_a_fit --data DIR --output FILE``.

One bar a problem: the stages of the solver, as the core counts them, and the certificate. The line marks the limit: one
evaluation of the final machine on all training rows in float32.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.dataset import Dataset
from benchmarks.problems import Problem, problems
from mercer import RBF
from mercer._runtime import available_threads
from mercer.certificates import evaluate_products
from mercer.data import one_vs_one, read_class_targets
from mercer.problems import SupportVectorClassification
from mercer.rows import Budget, plan_gram, rows_of
from mercer.solvers import Terms, WorkingSetSolver

NAMES = ["synthetic-10k-20", "synthetic-10k-200", "ijcnn1", "susy-30k", "a9a", "covtype-50k"]
BUDGET = 200_000_000
REPETITIONS = 3


def stages(problem: Problem, dataset: Dataset) -> tuple[dict[str, float], float]:
    """Seconds by stage of the quickest of some fits, and the limit."""
    parameters = problem.resolved_parameters(dataset)
    (pair,) = one_vs_one(read_class_targets(dataset.y_train, None, None))
    bounds = np.full(len(pair.rows), float(parameters["C"]))
    box = SupportVectorClassification.several([pair.signs], bounds)
    threads, runs = available_threads(), []
    for _ in range(REPETITIONS):
        rows, terms = rows_of(RBF(float(parameters["gamma"])), dataset.X_train), Terms()
        plan = plan_gram(rows, [len(pair.rows)], Budget(BUDGET, threads))
        began = perf_counter()
        result = WorkingSetSolver(plan).solve(box, box.cold_start, [rows.subset(pair.rows)], terms)
        solved = perf_counter()
        coef = result.coef
        evaluate_products(box, rows, [pair.rows], coef, threads, terms.tol)
        certified = perf_counter()
        rows.expand([pair.rows], [pair.rows], [coef], threads, np.float32)
        limit = perf_counter() - certified
        seconds = result.seconds[0]
        stages = seconds.by_stage() if seconds else {}
        other = solved - began - sum(stages.values())
        runs.append(({**stages, "bookkeeping": other, "certificate": certified - solved}, limit))
    return min(runs, key=lambda run: sum(run[0].values()))


def draw(measured: dict[str, tuple[dict[str, float], float]], file: Path) -> None:
    """Horizontal bars in units of the limit."""
    labels = list(next(iter(measured.values()))[0])
    greys = plt.get_cmap("cividis")(np.linspace(0.05, 0.95, len(labels)))
    figure, axes = plt.subplots(figsize=(9, 0.6 * len(measured) + 1.6), layout="constrained")
    for row, (seconds, limit) in enumerate(measured.values()):
        left = 0.0
        for label, colour in zip(labels, greys, strict=True):
            axes.barh(row, seconds[label] / limit, left=left, color=colour, label=label if row == 0 else None)
            left += seconds[label] / limit
        axes.text(left + 0.05, row, f"{sum(seconds.values()):.2g} s", va="center")
    axes.axvline(1, color="black", linestyle="--", linewidth=1)
    axes.set_yticks(range(len(measured)), list(measured))
    axes.invert_yaxis()
    axes.set_xlabel("time of a fit, in evaluations of its machine on the training rows (float32)")
    axes.legend(ncols=len(labels), loc="lower center", bbox_to_anchor=(0.45, 1.0), frameon=False, fontsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--output", type=Path, default=Path("docs/images/time_of_a_fit.png"))
    arguments = parser.parse_args()
    chosen = [problem for problem in problems(arguments.data) if problem.name in NAMES]
    draw({problem.name: stages(problem, problem.load()) for problem in chosen}, arguments.output)


if __name__ == "__main__":
    main()
