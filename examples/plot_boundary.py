"""The boundary, the margin and the support vectors of a machine on two moons."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from sklearn.datasets import make_moons

from mercer import SVC
from mercer.plot import DecisionBoundaryDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

X, y = make_moons(200, noise=0.2, random_state=0)
model = SVC(C=2.0, gamma=2.0).fit(X, y)
display = DecisionBoundaryDisplay.from_estimator(model, X, y)
display.ax_.set_title(f"Two moons: {model.n_support_.sum()} of {len(X)} rows are support vectors")
display.figure_.savefig(output / "moons.png", dpi=120)
print(f"{output / 'moons.png'}\n{model.certificate_}")
