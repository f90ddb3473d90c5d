"""Coordinate descent on three functions: it arrives, it creeps along a valley, and it is stuck at a kink."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from mercer.lectures import coordinate_descent
from mercer.plot import CoordinatePathDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)


def bowl(x):
    return x[0] ** 2 + x[1] ** 2 + 1.6 * x[0] * x[1]


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def kinked(x):
    return abs(x[0] - x[1]) + 0.1 * (x[0] + x[1]) ** 2


figure, axes = plt.subplots(1, 3, figsize=(14, 4.8), layout="constrained")
for ax, (name, function, start, lowest) in zip(
    axes,
    [
        ("A bowl", bowl, [-1.5, -0.5], (0, 0)),
        ("Rosenbrock's valley", rosenbrock, [-1.0, 1.4], (1, 1)),
        ("A kink", kinked, [1.5, -0.5], (0, 0)),
    ],
    strict=True,
):
    path = coordinate_descent(function, start, max_steps=300)
    CoordinatePathDisplay.from_path(path, function, limits=((-1.8, 1.8), (-1.6, 2.0)), ax=ax)
    ax.plot(*lowest, marker="x", color="#0072b2", markersize=10, markeredgewidth=2.5, linestyle="none", label="minimum")
    ax.legend(loc="lower left", fontsize=8)
    end = "no coordinate helps" if path.converged else "still going"
    ax.set_title(f"{name}: steps {len(path.coordinates)}, f = {path.values[-1]:.1g}, {end}", fontsize=10)
    print(f"{name}: {path.values[0]:.3g} → {path.values[-1]:.3g}, steps {len(path.coordinates)}, {end}")
figure.savefig(output / "coordinate_descent.png", dpi=120)
print(output / "coordinate_descent.png")
