"""Nearest neighbours: which rows answer a query, what their number does, and how it is chosen."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from mercer import KNeighborsClassifier
from mercer.plot import plot_left_out_errors, plot_neighbours

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

X, y = make_moons(150, noise=0.3, random_state=1)
unseen = make_moons(2000, noise=0.3, random_state=2)
query = [1.35, 0.15]
display = plot_neighbours(KNeighborsClassifier(5).fit(X, y), X, y, query=query)
display.figure_.savefig(output / "neighbours.png", dpi=90)

figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained", sharey=True)
for k, ax in zip((1, 15, 100), axes, strict=True):
    model = KNeighborsClassifier(k).fit(X, y)
    plot_neighbours(model, X, y, query=query, ax=ax).ax_.get_legend().remove()
    ax.set_title(f"k = {k}", fontsize=9)
    print(f"k = {k}: training {model.score(X, y):.3f}, test {model.score(*unseen):.3f}")
figure.savefig(output / "neighbours_by_number.png", dpi=90)

model = KNeighborsClassifier("auto").fit(X, y)
plot_left_out_errors(model).figure_.savefig(output / "neighbours_left_out.png", dpi=90)
print(f"k = {model.n_neighbors_} chosen: training {model.score(X, y):.3f}, test {model.score(*unseen):.3f}")
