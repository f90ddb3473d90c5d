"""A run of SMO: how the gap closes, one step in its box, and all of it as a film."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from sklearn.datasets import make_blobs

from mercer import SVC
from mercer.plot import ConvergenceDisplay, SmoAnimation, SmoStepDisplay
from mercer.solvers import SmoSketch

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

X, y = make_blobs(60, centers=[[-1, -1], [1, 1]], random_state=0)
# Partners are drawn at random: ten passes without a change are not enough to have tried all pairs.
model = SVC(kernel="linear", solver=SmoSketch(100), trace=True, random_state=0).fit(X, y)
print(f"{len(model.trace_)} steps. {model.certificate_}")

ConvergenceDisplay.from_trace(model.trace_).figure_.savefig(output / "smo_convergence.png", dpi=90)

clipped = next(k for k, step in enumerate(model.trace_) if step.new[1] in (step.low, step.high))
display = SmoStepDisplay.from_estimator(model, X, y, clipped)
display.figure_.savefig(output / "smo_step.png", dpi=90)
print(f"step {clipped + 1} is clipped: {display.unclipped[1]:.3f} becomes {display.step.new[1]:.3f}")

SmoAnimation.from_estimator(model, X, frames=40).save(output / "smo.gif")
print(*sorted(output.glob("smo*")), sep="\n")
