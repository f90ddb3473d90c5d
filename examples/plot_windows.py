"""Windows: a density as their sum, classes by hard and by soft ones, a mean in them, and how wide they are to be."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np

from mercer import KernelDensity, ParzenClassifier, ParzenRegressor
from mercer.plot import plot_left_out_errors, plot_windows

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

rng = np.random.default_rng(0)
x = np.concatenate([rng.normal(size=16), rng.normal(4, 0.6, 8)])[:, None]
density = KernelDensity(bandwidth="leave-one-out").fit(x)
plot_windows(density, x, shown=24).figure_.savefig(output / "windows_density.png", dpi=90)
plot_left_out_errors(density).figure_.savefig(output / "windows_left_out.png", dpi=90)

place = np.sort(rng.uniform(0, 6, 60))[:, None]
label = rng.random(60) < 1 / (1 + np.exp(-2 * (place[:, 0] - 3)))
for name, kernel in {"hard": "tophat", "soft": "gaussian"}.items():
    model = ParzenClassifier(0.7, kernel=kernel).fit(place, label)
    plot_windows(model, place, label, shown=6).figure_.savefig(output / f"windows_{name}.png", dpi=90)
    print(f"{kernel}: share of True at 3 is {model.predict_proba([[3.0]])[0, 1]:.2f}.")

target = np.sin(place[:, 0]) + rng.normal(scale=0.2, size=60)
curve = ParzenRegressor().fit(place, target)
plot_windows(curve, place, target, shown=6).figure_.savefig(output / "windows_mean.png", dpi=90)
print(f"Bandwidths by leaving rows out: density {density.bandwidth_:.2f}, mean {curve.bandwidth_:.2f}.")
