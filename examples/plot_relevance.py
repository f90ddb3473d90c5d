"""Twenty columns of noise beside real features: what they cost a machine, and what learnt scales win back."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, FeatureRelevance, KNeighborsClassifier
from mercer.plot import RelevanceDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

wine = load_wine()
noise = np.random.default_rng(0).normal(size=(len(wine.data), 20))
X = np.hstack([wine.data, noise])
names = [*wine.feature_names, *(f"noise {k}" for k in range(1, 21))]

for model in (KNeighborsClassifier(), SVC()):
    clean = cross_val_score(make_pipeline(StandardScaler(), model), wine.data, wine.target).mean()
    lost = cross_val_score(make_pipeline(StandardScaler(), model), X, wine.target).mean()
    back = cross_val_score(make_pipeline(FeatureRelevance(model), model), X, wine.target).mean()
    print(f"{type(model).__name__}: {clean:.3f}, with noise {lost:.3f}, with learnt scales {back:.3f}")

found = mercer.relevance("svc", X, wine.target, names=names)
print(found)
RelevanceDisplay.from_estimator(found).figure_.savefig(output / "relevance.png", dpi=80, bbox_inches="tight")
print(output / "relevance.png")
