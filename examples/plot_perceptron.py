"""The hyperplane that the perceptron happens to find, beside the one of the largest margin."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from mercer import SVC, Perceptron

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

rng = np.random.default_rng(4)
y = np.repeat([1, -1], 25)
X = rng.normal(scale=0.9, size=(50, 2)) + 1.6 * y[:, None] * [1.0, 0.6] + [2.0, 0.0]
best = SVC(C=np.inf, kernel="linear").fit(X, y)
found = Perceptron(tol=None, random_state=1).fit(X, y)


def margin(model):
    """The distance of the closest row to the hyperplane."""
    return float((y * model.decision_function(X)).min() / np.linalg.norm(model.coef_))


figure, ax = plt.subplots(figsize=(7, 5.2), layout="constrained")
for label, colour, marker in ((1, "#e69f00", "s"), (-1, "#0072b2", "o")):
    ax.scatter(*X[y == label].T, c=colour, marker=marker, s=28, edgecolors="white", linewidths=0.4)
ax.scatter(*X[best.support_].T, s=110, facecolors="none", edgecolors="black", label="support vectors of SVC")
x1 = np.array([X[:, 0].min() - 1, X[:, 0].max() + 1])
for model, name, style in ((best, "SVC(C=inf)", "-"), (found, "Perceptron", "--")):
    w, b = model.coef_[0], model.intercept_[0]
    ax.plot(x1, -(w[0] * x1 + b) / w[1], "k", linestyle=style, label=f"{name}: margin {margin(model):.2f}")
    print(f"{name}: margin {margin(model):.4f}")
# The intercept is the weight of a feature that is one.
bound = ((X**2).sum(axis=1).max() + 1) * ((best.coef_**2).sum() + best.intercept_[0] ** 2)
ax.set(xlim=x1, ylim=(X[:, 1].min() - 1, X[:, 1].max() + 1), xlabel="x₁", ylabel="x₂")
ax.set_title(f"{found.n_mistakes_[0]} mistakes; Novikoff allows {bound:.0f}")
ax.legend(loc="lower right", fontsize=9)
figure.savefig(output / "perceptron.png", dpi=120)
print(f"{found.n_mistakes_[0]} mistakes of at most {bound:.1f}\n{output / 'perceptron.png'}")
