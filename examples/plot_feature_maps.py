"""Two rings that a quadratic map makes linear, and how fast the map of RBF nears its kernel."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles
from sklearn.pipeline import make_pipeline

from mercer import RBF, SVC, LinearSVC, Polynomial

BLUE, ORANGE, BLACK = "#0072B2", "#E69F00", "#000000"  # Okabe and Ito: told apart by everybody, and in grey
output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

X, y = make_circles(150, factor=0.45, noise=0.06, random_state=0)
kernel = Polynomial(2, coef0=0)
phi = kernel.feature_map(2)
machine = make_pipeline(phi, LinearSVC(loss="hinge", regularize_intercept=False, C=10, tol=1e-8)).fit(X, y)
by_kernel = SVC(kernel=kernel, C=10, tol=1e-8).fit(X, y)
difference = np.abs(machine.decision_function(X) - by_kernel.decision_function(X)).max()
print(f"φ(x) = {', '.join(phi.get_feature_names_out())}")
print(f"linear machine on φ and kernel machine differ by {difference:.0e}")

figure, (rings, mapped, errors) = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")


def draw(axes, first, second):
    for label, marker, colour in ((0, "o", BLUE), (1, "^", ORANGE)):
        chosen = y == label
        name = "inner ring" if label else "outer ring"
        look = {"s": 26, "color": colour, "marker": marker, "edgecolors": BLACK, "linewidths": 0.5}
        axes.scatter(first[chosen], second[chosen], label=name, **look)


draw(rings, *X.T)
grid = np.linspace(-1.35, 1.35, 200)
points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
values = machine.decision_function(points).reshape(200, 200)
rings.contour(grid, grid, values, levels=[-1, 0, 1], colors=BLACK, linestyles=["dashed", "solid", "dashed"])
rings.set(title="Two rings, and the boundary", xlabel="x0", ylabel="x1", aspect="equal")

features = machine[0].transform(X)
draw(mapped, features[:, 0], features[:, 2])
(weights,), (intercept,) = machine[-1].coef_, machine[-1].intercept_
along = np.array([0.0, 1.6])
for level, style in ((-1, "dashed"), (0, "solid"), (1, "dashed")):
    # Where x0 x1 = 0; its weight is small here, so that the cut shows the plane.
    mapped.plot(along, (level - intercept - weights[0] * along) / weights[2], color=BLACK, linestyle=style)
mapped.set(title="Under φ a plane divides them", xlabel="x0²", ylabel="x1²")
mapped.set(xlim=(-0.05, 1.6), ylim=(-0.05, 1.6), aspect="equal")
mapped.legend(loc="upper right")

degrees = np.arange(0, 21)
for gamma, marker, style, colour in ((0.1, "o", "-", BLUE), (0.5, "s", "--", ORANGE), (2.0, "^", ":", BLACK)):
    worst = []
    for degree in degrees:
        cut = RBF(gamma).feature_map(2, degree=int(degree))
        worst.append(cut.error_bound(X).max())
        rows = cut.transform(X)
        assert np.abs(rows @ rows.T - RBF(gamma)(X)).max() <= worst[-1] + 1e-12
    errors.semilogy(degrees, worst, linestyle=style, marker=marker, color=colour, markevery=2, label=f"γ = {gamma:g}")
errors.set(title="RBF cut at a degree: largest error", xlabel="degree", ylim=(1e-12, 10), xticks=range(0, 21, 4))
errors.legend(title="RBF")
errors.grid(alpha=0.3)

figure.savefig(output / "feature_maps.png", dpi=120)
print(output / "feature_maps.png")
