"""A grid search over C and gamma: the scores of all cells, which of them is the best, and what is proven of it."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, GridSearchCV
from mercer.plot import plot_search

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

X, y = load_wine(return_X_y=True)
grid = {"svc__C": np.logspace(-2, 3, 6), "svc__gamma": np.logspace(-4, 1, 6)}
# A race drops cells that cannot become the best any more: they are hatched.
for strategy in ("grid", "race"):
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, strategy=strategy, settle=True).fit(X, y)
    plot_search(search).figure_.savefig(output / f"search_{strategy}.png", dpi=110)
    print(f"{strategy}: {search.best_params_}\n{search.certificate_}\n{output / f'search_{strategy}.png'}")
