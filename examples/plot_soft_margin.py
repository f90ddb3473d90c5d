"""The soft margin: slacks, the effect of C, and what an outlier does to the hard margin."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from sklearn.datasets import make_blobs

from mercer import SVC
from mercer.plot import DecisionBoundaryDisplay, Panel, PanelsDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

X, y = make_blobs(60, centers=[[-1, -1], [1, 1]], random_state=0)
model = SVC(kernel="linear", C=1.0).fit(X, y)
display = DecisionBoundaryDisplay.from_estimator(model, X, y, slacks=True)
display.figure_.savefig(output / "slacks.png", dpi=90)
print(f"C = 1: slacks of {display.slacks.sum():.3f} altogether, margin {model.certificate_.margin:.3f}")

prices = (0.01, 0.1, 1.0, 100.0)
models = [SVC(kernel="linear", C=C).fit(X, y) for C in prices]
titles = [
    f"C = {C:g}\nmargin {model.certificate_.margin:.2f}, {len(model.support_)} support vectors"
    for C, model in zip(prices, models, strict=True)
]
panels = PanelsDisplay.from_estimators(models, titles, X, y, columns=2, slacks=True)
panels.figure_.savefig(output / "effect_of_c.png", dpi=90)

X, y = make_blobs(40, centers=[[-2, -2], [2, 2]], cluster_std=0.8, random_state=0)
with_outlier, labels = np.vstack([X, [[0.6, 0.9]]]), np.append(y, 0)
panels = []
for name, C in (("hard margin", np.inf), ("C = 0.1", 0.1)):
    for what, data in (("", (X, y)), (", an outlier", (with_outlier, labels))):
        model = SVC(kernel="linear", C=C).fit(*data)
        panels.append(Panel(model, f"{name}{what}: margin {model.certificate_.margin:.2f}", *data))
        print(panels[-1].title)
PanelsDisplay.from_panels(panels, columns=2).figure_.savefig(output / "outlier.png", dpi=90)
