"""Local regression: the curve with its band, and what each row contributes in the middle and at the edge."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np

from mercer import LocallyWeightedRegression
from mercer.plot import LocalFitDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 120))[:, None]
y = np.sin(x[:, 0]) + rng.normal(scale=0.25, size=120)
model = LocallyWeightedRegression(n_neighbors="auto").fit(x, y)
for place, query in {"middle": 3.0, "edge": 0.0}.items():
    display = LocalFitDisplay.from_estimator(model, x, y, query)
    display.figure_.savefig(output / f"local_regression_{place}.png", dpi=80)
print(f"{model.plan_} Degrees of freedom: {model.effective_dof_:.1f}. Noise: {model.sigma_:.2f}.")
