"""The multipliers of a machine, and its rows beside the optimality conditions."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from sklearn.datasets import make_moons

from mercer import SVC
from mercer.plot import DualVariablesDisplay, KktResidualsDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

X, y = make_moons(80, noise=0.25, random_state=0)
model = SVC(C=2.0, gamma=1.0).fit(X, y)
DualVariablesDisplay.from_estimator(model).figure_.savefig(output / "dual_variables.png", dpi=90)
display = KktResidualsDisplay.from_estimator(model, X, y)
display.figure_.savefig(output / "kkt_residuals.png", dpi=90)
print(f"largest residual {display.residuals.max():.2e}, tol {model.tol:g}\n{model.certificate_}")
