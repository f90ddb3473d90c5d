"""Underfitting and overfitting along C, and the simplest machine within one standard error of the best."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, GridSearchCV
from mercer.plot import plot_validation_curve

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

X, y = load_breast_cancer(return_X_y=True)
pipeline = make_pipeline(StandardScaler(), SVC(gamma=0.01))
grid = {"svc__C": np.logspace(-1, 3, 9)}
for name, rule in (("best", True), ("one_se", "one_se")):
    search = GridSearchCV(pipeline, grid, refit=rule, settle=True, return_train_score=True).fit(X, y)
    display = plot_validation_curve(search)
    display.figure_.savefig(output / f"validation_curve_{name}.png", dpi=110)
    support = search.cv_results_["n_support"][search.best_index_]
    print(f"refit={rule!r}: C={search.best_params_['svc__C']:.3g} with {support:.0f} support vectors")
    print(output / f"validation_curve_{name}.png")
