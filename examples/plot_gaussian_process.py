"""What a Gaussian process knows after thirty rows, the likelihood of its kernel, and which features matter."""

import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np

from mercer import RBF, GaussianProcessRegressor, White
from mercer.plot import LikelihoodSurfaceDisplay, PosteriorDisplay, RelevanceDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

random = np.random.default_rng(0)
X = random.uniform(0, 5, size=(30, 1))
y = np.sin(2 * X[:, 0]) + 0.1 * random.normal(size=30)
model = GaussianProcessRegressor(1.0 * RBF(1.0) + White(0.1)).fit(X, y)
print(f"{model.kernel_}: log likelihood {model.log_marginal_likelihood_value_:.2f}")

five = random.uniform(-2, 2, size=(120, 5))
targets = np.sin(2 * five[:, 1]) + 0.5 * five[:, 3] + 0.1 * random.normal(size=120)
bounds = {"k1__kernel__gamma": (1e-4, 1e2)}
many = GaussianProcessRegressor(1.0 * RBF([0.5] * 5) + White(0.1), bounds=bounds)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # three gammas end at their lower bound, as they should
    many.fit(five, targets)

for name, display in {
    "gp_posterior": PosteriorDisplay.from_estimator(model, limits=(-1, 7)),
    "gp_likelihood": LikelihoodSurfaceDisplay.from_estimator(model, (1, 2)),
    "gp_relevance": RelevanceDisplay.from_estimator(many),
}.items():
    display.figure_.savefig(output / f"{name}.png", dpi=80)
    print(output / f"{name}.png")
