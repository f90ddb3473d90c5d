"""The γ of the RBF kernel: how far a point is heard, the kernel matrix, underfitting and overfitting."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from mercer import RBF, SVC
from mercer.plot import KernelMatrixDisplay, KernelValuesDisplay, PanelsDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

gammas = (0.05, 2.0, 200.0)
values = KernelValuesDisplay.from_kernel([RBF(gamma) for gamma in gammas], [-1.0, 0.0, 1.5])
values.figure_.savefig(output / "kernel_values.png", dpi=90)

X, y = make_moons(100, noise=0.25, random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(10, 3), layout="constrained")
for gamma, ax in zip(gammas, axes, strict=True):
    KernelMatrixDisplay.from_kernel(RBF(gamma), X, y, ax=ax).image_.set_clim(0, 1)
    ax.set_title(f"γ = {gamma:g}", fontsize=9)
figure.savefig(output / "kernel_matrices.png", dpi=90)

unseen = make_moons(1000, noise=0.25, random_state=1)
models = [SVC(gamma=gamma).fit(X, y) for gamma in gammas]
panels = PanelsDisplay.from_estimators(models, [f"γ = {gamma:g}" for gamma in gammas], X, y, test=unseen)
panels.figure_.savefig(output / "gamma.png", dpi=90)
for gamma, model in zip(gammas, models, strict=True):
    print(f"γ = {gamma:g}: training {model.score(X, y):.3f}, test {model.score(*unseen):.3f}")
