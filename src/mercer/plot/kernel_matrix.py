"""The matrix of kernel values as an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.kernels import Kernel
from mercer.plot.canvas import one_panel
from mercer.typing import Floats, Integers, Labels

__all__ = ["KernelMatrixDisplay"]


@dataclass
class KernelMatrixDisplay:
    """k(x, z) of all pairs of rows, with the rows of a class side by side.

    Blocks along the diagonal that are brighter than the rest mean classes that the kernel tells apart; a bright
    diagonal alone, that it finds no two rows alike. Made by `from_kernel`; `plot` leaves the matplotlib objects in
    `figure_`, `ax_` and `image_`; `image_.set_clim(0, 1)` gives several of them one scale.

    Attributes
    ----------
    K : ndarray of shape (n, n)
        The values, in the order that is drawn.
    order : ndarray of shape (n,)
        Which rows these are.
    classes : ndarray
        Labels in order; empty without y.
    counts : ndarray
        Rows of each class.
    """

    K: Floats
    order: Integers
    classes: Labels
    counts: Integers

    @classmethod
    def from_kernel(cls, kernel: Kernel, X: Any, y: Any = None, *, ax: Any = None) -> KernelMatrixDisplay:
        """Evaluates a kernel, such as `RBF(0.5)` or `model.kernel_`, on all pairs of rows of X."""
        if not isinstance(kernel, Kernel):
            raise ParameterError(f"kernel: expected a kernel object such as RBF(0.5) or model.kernel_, got {kernel!r}.")
        K = np.asarray(kernel(X))
        if len(K) == 0 or K.shape[0] != K.shape[1]:
            raise InputError(f"X: expected one row or more, and of kernel values a square, got shape {K.shape}.")
        order, classes, counts = np.arange(len(K)), np.array([]), np.array([], dtype=np.int64)
        if y is not None:
            y = np.asarray(y)
            if y.shape != (len(K),):
                raise InputError(f"y: expected a label for each of {len(K)} rows, got shape {y.shape}.")
            order = np.argsort(y, kind="stable")
            classes, counts = np.unique(y, return_counts=True)
        return cls(K[np.ix_(order, order)], order, classes, counts).plot(ax=ax)

    @property
    def borders(self) -> Floats:
        """Where one class ends and the next begins, in rows."""
        return np.cumsum(self.counts)[:-1].astype(np.float64)

    def plot(self, *, ax: Any = None) -> KernelMatrixDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (4.6, 3.8))
        n = len(self.K)
        # Its brightness grows evenly, in colour, in grey and to the colour-blind.
        image = ax.imshow(self.K, cmap="cividis", extent=(0, n, n, 0), interpolation="nearest")
        ax.figure.colorbar(image, ax=ax, label="k(x, z)")
        for border in self.borders:
            ax.axhline(border, color="white", linewidth=1.2)
            ax.axvline(border, color="white", linewidth=1.2)
        if len(self.classes):
            middles = np.cumsum(self.counts) - 0.5 * self.counts
            names = [str(label) for label in self.classes]
            ax.set_xticks(middles, names)
            ax.set_yticks(middles, names, rotation=90, va="center")
        what = "rows by class" if len(self.classes) else "rows"
        ax.set(xlabel=what, ylabel=what)
        self.ax_, self.figure_, self.image_ = ax, ax.figure, image
        return self
