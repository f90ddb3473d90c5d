"""Which training points decide one prediction: the same query under a wide and under a narrow kernel."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from mercer import SVC
from mercer.inspection import contributions, margin_of, xi_alpha_bound
from mercer.plot import InfluenceDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

X, y = make_moons(120, noise=0.2, random_state=0)
query = np.array([0.9, 0.3])
figure, axes = plt.subplots(1, 2, figsize=(12, 4.8), sharey=True, layout="constrained")
for ax, gamma in zip(axes, (0.3, 10.0), strict=True):
    model = SVC(C=2.0, gamma=gamma).fit(X, y)
    value = float(model.decision_function(query[None])[0])
    InfluenceDisplay.from_estimator(model, query, X=X, ax=ax)
    ax.set_title(f"gamma = {gamma:g}: f = {value:+.2f} with b = {model.intercept_[0]:+.2f}")

    parts = np.abs(contributions(model, query[None])[0])
    half = 1 + int(np.searchsorted(np.cumsum(np.sort(parts)[::-1]), parts.sum() / 2))
    margin, bound = margin_of(model, X, y), xi_alpha_bound(model, X, y)
    print(
        f"gamma = {gamma:g}: {half} of {len(parts)} support vectors make half of what is said; the worst row is "
        f"{margin.geometric:.2f} from the boundary; leaving rows out makes at most {bound.errors} errors"
    )
figure.savefig(output / "influence.png", dpi=110)
print(output / "influence.png")
