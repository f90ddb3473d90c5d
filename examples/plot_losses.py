"""The losses of binary classification, as functions of ty."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from mercer.plot import BinaryLossesDisplay

output = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
output.mkdir(parents=True, exist_ok=True)

display = BinaryLossesDisplay.from_losses(base_two=True)
display.figure_.savefig(output / "binary_losses.png", dpi=90)
for name, values in display.values.items():
    print(f"{name:14} {values[0]:6.3f} at ty = {display.ty[0]:g}, {values[-1]:6.3f} at ty = {display.ty[-1]:g}")
