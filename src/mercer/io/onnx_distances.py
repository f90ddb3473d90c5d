"""Sums over the features of new rows and support vectors, of which kernel values are made.

‖x − z‖² is ‖x‖² + ‖z‖² − 2xᵀz of rows around a centre, one product of matrices, where what cancels there is little.
Where it is not, or the kernel is steep at zero, differences are taken feature by feature.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import TensorProto, helper

from mercer.io.onnx_nodes import Nodes, filled
from mercer.typing import Floats

__all__ = ["Pairs"]

# gamma times the squared distance of a support vector from the centre up to which the product of matrices is taken: it
# is off by some 1e-16 of this, and so is the logarithm of a kernel value. Of rows farther out than any support vector
# no kernel value is near enough to 1 for that to matter.
_FAR_OUT = 1e5


class Pairs:
    """New rows, by the name of their matrix in a graph, and support vectors; what both have in common is added once."""

    def __init__(self, add: Nodes, rows: str, vectors: Floats) -> None:
        self.add = add
        self.rows = rows
        self.vectors = vectors
        self._found: dict[tuple[str, bytes], str] = {}
        self._centre = np.median(vectors, axis=0)

    def products(self, factor: float) -> str:
        """factor · xᵀz."""
        scaled = factor * self.vectors.T
        return self._once("products", np.array(factor), lambda: self.add("MatMul", self.rows, scaled))

    def squared_distances(self, scales: Floats, gamma: float) -> str:
        """Σ_j (s_j (x_j − z_j))², with features times their scales, exact enough for functions of gamma times it."""
        centred = (self.vectors - self._centre) * scales
        farthest = float(np.einsum("ij,ij->i", centred, centred).max(initial=0.0))
        if not gamma * farthest <= _FAR_OUT:
            return self.summed_squares(scales)
        return self._once("distances", scales, lambda: self._expanded(scales, centred))

    def _expanded(self, scales: Floats, centred: Floats) -> str:
        add = self.add
        rows = self._scaled(scales)
        norms = add("ReduceSum", add("Mul", rows, rows), [1], keepdims=1)
        crossed = add("MatMul", rows, -2.0 * centred.T)
        both = add("Add", add("Add", crossed, np.einsum("ij,ij->i", centred, centred)[None]), norms)
        return add("Max", both, 0.0)

    def summed_squares(self, scales: Floats) -> str:
        """Σ_j (s_j (x_j − z_j))², summed feature by feature: zero only for rows that are equal."""
        return self._once("squares", scales, lambda: self._by_feature(scales, "Mul"))

    def manhattan_distances(self, scales: Floats) -> str:
        """Σ_j s_j |x_j − z_j|."""
        return self._once("manhattan", scales, lambda: self._by_feature(scales, "Abs"))

    def constants(self, value: float) -> str:
        """The same number for every pair."""
        return filled(self.add, self.rows, len(self.vectors), value)

    def _scaled(self, scales: Floats) -> str:
        """New rows around the centre, features times their scales."""
        centred = self._once("centred", np.empty(0), lambda: self.add("Sub", self.rows, self._centre))
        return (
            centred if np.all(scales == 1) else self._once("scaled", scales, lambda: self.add("Mul", centred, scales))
        )

    def _by_feature(self, scales: Floats, of: str) -> str:
        """The sum over the features of a function of differences, |δ| or δ², one feature after the other."""
        count = len(self.vectors)
        inner = self.add.inner()
        total, feature, others = (inner.unique(name) for name in ("total", "feature", "others"))
        difference = inner("Sub", inner("Unsqueeze", feature, [1]), others)
        own = inner("Abs", difference) if of == "Abs" else inner("Mul", difference, difference)
        grown = inner("Add", total, own)
        double = TensorProto.DOUBLE
        body = inner.graph(
            "a feature",
            [
                helper.make_tensor_value_info(total, double, ["rows", count]),
                helper.make_tensor_value_info(feature, double, ["rows"]),
                helper.make_tensor_value_info(others, double, [count]),
            ],
            [helper.make_tensor_value_info(grown, double, ["rows", count])],
        )
        return self.add(
            "Scan",
            self.constants(0.0),
            self._scaled(scales),
            (self.vectors - self._centre) * scales,
            body=body,
            num_scan_inputs=2,
            scan_input_axes=[1, 1],
        )

    def _once(self, what: str, scales: Floats, make: Callable[[], str]) -> str:
        key = (what, scales.tobytes())
        if key not in self._found:
            self._found[key] = make()
        return self._found[key]
