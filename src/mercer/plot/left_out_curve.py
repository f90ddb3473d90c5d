"""The error at rows left out as α goes, one curve for each γ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.estimators import KernelRidgeCV
from mercer.plot.canvas import legend_beside, one_panel
from mercer.plot.palette import LINE_STYLES, SERIES_COLOURS
from mercer.typing import Floats

__all__ = ["LeftOutCurveDisplay"]

# A band is so many standard errors wide on either side, where errors are estimated.
_BAND = 2.0


@dataclass
class LeftOutCurveDisplay:
    """Mean squared errors at rows left out against α, one curve for each γ, and the choice.

    Made by `from_estimator`; `plot` leaves the matplotlib objects in `figure_` and `ax_`.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        In order.
    gammas : list
        One for each curve.
    errors, standard_errors : ndarray of shape (n_gammas, n_alphas)
        Means over all targets.
    choice : (float, float)
        The α of the least error, and the error.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import KernelRidgeCV
    >>> from mercer.plot import LeftOutCurveDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = KernelRidgeCV(np.logspace(-3, 1, 9), kernel="rbf", gammas=[0.5, 2.0], fit_intercept=True).fit(X, y)
    >>> LeftOutCurveDisplay.from_estimator(model).errors.shape
    (2, 9)
    """

    alphas: Floats
    gammas: list[Any]
    errors: Floats
    standard_errors: Floats
    choice: tuple[float, float]

    @classmethod
    def from_estimator(cls, model: KernelRidgeCV, *, ax: Any = None) -> LeftOutCurveDisplay:
        """Reads the errors of a fitted `KernelRidgeCV`.

        Parameters
        ----------
        model : KernelRidgeCV
            Fitted.
        ax : matplotlib axes, optional
        """
        if not isinstance(model, KernelRidgeCV) or not hasattr(model, "errors_"):
            raise InputError(f"Expected a fitted KernelRidgeCV, got {model!r}.")
        alphas = np.atleast_1d(np.asarray(model.alphas, dtype=np.float64))
        order = np.argsort(alphas)
        gammas = [model.gamma_] if model.gammas is None else np.atleast_1d(model.gammas).tolist()
        return cls(
            alphas[order],
            gammas,
            model.errors_.mean(axis=2)[:, order],
            np.sqrt(np.square(model.standard_errors_).mean(axis=2))[:, order],
            (model.alpha_, -model.best_score_),
        ).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> LeftOutCurveDisplay:
        """Draws on the given axes, or on new ones."""
        ax = one_panel(ax, (7, 3.6))
        for k, (gamma, errors, off) in enumerate(zip(self.gammas, self.errors, self.standard_errors, strict=True)):
            colour, style = SERIES_COLOURS[k % len(SERIES_COLOURS)], LINE_STYLES[k % len(LINE_STYLES)]
            label = None if gamma is None else f"γ = {gamma:g}" if isinstance(gamma, float) else f"γ = {gamma}"
            ax.plot(self.alphas, errors, color=colour, linestyle=style, linewidth=2, marker=".", label=label)
            if np.any(off > 0):
                low, high = errors - _BAND * off, errors + _BAND * off
                ax.fill_between(self.alphas, low, high, color=colour, alpha=0.2, linewidth=0)
        alpha, error = self.choice
        ax.plot([alpha], [error], "o", color="black", fillstyle="none", markersize=10, label=f"choice: α = {alpha:.3g}")
        ax.set(xscale="log", xlabel="α", ylabel="mean squared error at rows left out")
        legend_beside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
