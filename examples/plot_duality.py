"""The point of an ellipse that is next to a given one: outside the constraint pushes back, inside it is idle."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from mercer.lectures import ConstrainedProblem
from mercer.plot import DualityDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)


def ellipse(x):
    return x[0] ** 2 / 4 + x[1] ** 2 - 1


figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for ax, (a, b) in zip(axes, [(3.0, 1.8), (0.6, 0.3)], strict=True):
    problem = ConstrainedProblem(
        lambda x, a=a, b=b: (x[0] - a) ** 2 + (x[1] - b) ** 2,
        inequalities=[ellipse],
    )
    optimum = problem.solve([0.0, 0.0])
    DualityDisplay.from_optimum(problem, optimum, limits=((-2.6, 3.6), (-2.2, 2.8)), ax=ax)
    state = "active" if optimum.active[0] else "inactive"
    ax.plot(a, b, marker="x", color="black", markersize=8, markeredgewidth=2)
    ax.set_title(f"Nearest to ({a:g}, {b:g}): {state}, μ = {optimum.mu[0]:.3g}")
    print(optimum)
figure.savefig(output / "duality.png", dpi=120)
print(output / "duality.png")
