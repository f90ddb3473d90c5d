"""A noisy curve by kernel regression under four kernels: few passes, many passes, and the closed form."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from mercer import RBF, KernelRegression, Laplacian, Linear, Polynomial

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

random = np.random.default_rng(0)
x = np.sort(random.uniform(-3, 3, 40))
t = np.sin(2 * x) + 0.3 * x + 0.25 * random.normal(size=40)
X, grid = x[:, None], np.linspace(-3.2, 3.2, 400)[:, None]
kernels = [Linear(), Polynomial(5, 0.3, 1.0), RBF(2.0), Laplacian(1.0)]

figure, axes = plt.subplots(2, 2, figsize=(11, 7), sharex=True, sharey=True, layout="constrained")
for ax, kernel in zip(axes.flat, kernels, strict=True):
    # From zero, b is Σ β all the way, so that descent tends to the shortest β with (K + 1) β = t, or nearest to it.
    beta = np.linalg.pinv(kernel(X) + 1, rcond=1e-6, hermitian=True) @ t
    ax.plot(grid, kernel(grid, X) @ beta + beta.sum(), color="0.6", linewidth=4, label="closed form")
    for passes, style, colour in ((10, ":", "#d55e00"), (5000, "-", "#0072b2")):
        model = KernelRegression(kernel=kernel, batch_size=None, tol=None, max_passes=passes).fit(X, t)
        ax.plot(grid, model.predict(grid), style, color=colour, linewidth=1.8, label=f"{passes} passes")
        print(f"{kernel}: after {passes} passes ½ mean error² is {model.objective_[-1]:.2g}")
    ax.plot(x, t, "k.", markersize=5, label="rows")
    ax.set_title(str(kernel))
    ax.set_ylim(-3, 3)
axes[0, 0].legend(loc="upper left", fontsize=8)
figure.savefig(output / "kernel_regression.png", dpi=110)
print(output / "kernel_regression.png")
