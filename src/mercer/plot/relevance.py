"""How much each feature matters, by learnt scales or by a kernel with a gamma for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.estimators import FeatureRelevance, Relevance
from mercer.kernels import Kernel
from mercer.plot.canvas import one_panel
from mercer.plot.palette import BLUE
from mercer.processes.hyperparameters import as_mercer, parameters_of
from mercer.typing import Floats

__all__ = ["RelevanceDisplay"]

# Inches a bar, and of all else.
_BAR, _REST = 0.28, 1.2


@dataclass
class RelevanceDisplay:
    """A bar for each feature: its scale, or 1 / ℓ by its length scale, as a share of the largest.

    Made by `from_estimator`; `plot` leaves the matplotlib objects in `figure_` and `ax_`.

    Attributes
    ----------
    names : list of str
        The features, the most relevant first.
    relevance : ndarray
        Of each, in this order.
    """

    names: list[str]
    relevance: Floats

    @classmethod
    def from_estimator(cls, model: Any, *, names: Sequence[str] | None = None, ax: Any = None) -> RelevanceDisplay:
        """Draws learnt scales, or an estimator whose kernel has a gamma, or a length scale, for each feature.

        Parameters
        ----------
        model : FeatureRelevance, Relevance, estimator or Kernel
            What `mercer.relevance` returned or the fitted transformer; an estimator with a `kernel_`, Mercer's or
            scikit-learn's; or a kernel.
        names : sequence of str, optional
            Of the features; by default those of the fit, or x0, x1, …
        ax : matplotlib axes, optional
            Where to draw; new axes by default.

        Notes
        -----
        Learnt scales are of features at variance 1. Those of a kernel are compared as they were fitted: scale them
        alike before. Of several kernels with gammas for the features the largest counts.
        """
        relevance = _learnt(model)
        if relevance is None:
            relevance = cls._of_kernel(model)
        told = _told_names(model) if names is None else names
        labels = [f"x{k}" for k in range(len(relevance))] if told is None else [str(name) for name in told]
        if len(labels) != len(relevance):
            raise ParameterError(f"names: expected one for each of {len(relevance)} features, got {len(labels)}.")
        order = np.argsort(-relevance, kind="stable")
        largest = relevance.max()
        share = relevance / largest if largest > 0 else relevance
        return cls([labels[k] for k in order], share[order]).plot(ax=ax)

    @staticmethod
    def _of_kernel(model: Any) -> Floats:
        kernel = model if isinstance(model, Kernel) else getattr(model, "kernel_", None)
        gammas = [] if kernel is None else list(_gammas(as_mercer(kernel)))
        if not gammas or len({len(own) for own in gammas}) != 1:
            raise InputError(
                "Expected a fitted FeatureRelevance, or a kernel with a gamma for each feature, such as "
                f"RBF([0.5, 0.5]), got {kernel!r}."
            )
        return np.asarray(np.sqrt(np.max(gammas, axis=0)))

    def plot(self, *, ax: Any = None) -> RelevanceDisplay:
        """Draws it on the given axes, or on new ones."""
        ax = one_panel(ax, (6.0, _BAR * len(self.names) + _REST))
        ax.barh(range(len(self.names)), self.relevance, color=BLUE)
        ax.set_yticks(range(len(self.names)), self.names)
        ax.invert_yaxis()
        ax.set_xlim(0, 1)
        ax.set_xlabel("scale (1 / length scale), as a share of the largest")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _learnt(model: Any) -> Floats | None:
    """The relevance that a transformer or its summary has; None for anything else."""
    if isinstance(model, Relevance):
        return model.relevance
    return model.relevance_ if isinstance(model, FeatureRelevance) and hasattr(model, "relevance_") else None


def _told_names(model: Any) -> Any:
    return model.names if isinstance(model, Relevance) else getattr(model, "feature_names_in_", None)


def _gammas(kernel: Kernel) -> Iterator[tuple[float, ...]]:
    for one in parameters_of(kernel):
        if one.name.endswith("gamma") and isinstance(one.value, tuple):
            yield one.value
