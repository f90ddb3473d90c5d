"""The boundary between benign and malignant tumours in two of their measurements: the picture of the README."""

import sys
from pathlib import Path

import matplotlib
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from mercer import SVC
from mercer.plot import DecisionBoundaryDisplay

matplotlib.use("Agg")

data = load_breast_cancer()
measured = ["worst texture", "worst radius"]
X = StandardScaler().fit_transform(data.data[:, [list(data.feature_names).index(name) for name in measured]])
y = data.target_names[data.target]

model = SVC(C=1.0, gamma=0.3).fit(X, y)
display = DecisionBoundaryDisplay.from_estimator(model, X, y)
display.ax_.set(
    xlabel=f"{measured[0]} (standardised)",
    ylabel=f"{measured[1]} (standardised)",
    title=f"SVC, C = 1, gamma = 0.3: relative duality gap {model.certificate_.relative_gap:.1e}",
)

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)
display.figure_.savefig(output / "boundary.png", dpi=120)
print(model.certificate_)
