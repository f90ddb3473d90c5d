"""How much each feature matters, told in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import ParameterError
from mercer.estimators.feature_relevance import FeatureRelevance
from mercer.typing import Floats

__all__ = ["Relevance", "relevance"]

# Characters of the longest bar.
_BAR = 30


@dataclass(frozen=True, eq=False)
class Relevance:
    """What was learnt about features; `print` shows a line for each, the most relevant first.

    Attributes
    ----------
    names : tuple of str
        The features, in the order of the columns.
    relevance : ndarray
        Their scales at variance 1, as shares of the largest.
    scales : ndarray
        What columns are to be multiplied by.
    transformer : FeatureRelevance
        Does that, fitted.
    """

    names: tuple[str, ...]
    relevance: Floats
    scales: Floats
    transformer: FeatureRelevance

    @property
    def order(self) -> list[int]:
        """The columns, the most relevant first."""
        return [int(k) for k in np.argsort(-self.relevance, kind="stable")]

    def __str__(self) -> str:
        model = self.transformer
        width = max(len(name) for name in self.names)
        lines = [f"By {model.criterion_}, {len(model.row_indices_):,} rows:"]
        for k in self.order:
            share = float(self.relevance[k])
            lines.append(f"{self.names[k]:<{width}}  {share:.2f}  {'█' * round(_BAR * share)}".rstrip())
        return "\n".join(lines)


def relevance(machine: Any, X: Any, y: Any, *, names: Sequence[str] | None = None, **options: Any) -> Relevance:
    """Learns how much each feature matters to a machine.

    Parameters
    ----------
    machine : str or estimator
        As in `FeatureRelevance`: "auto", "knn", "parzen", "svc", "svr", "ridge", "gp", or an estimator.
    X : array-like of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Labels, or numbers.
    names : sequence of str, optional
        Of the features; by default those of a table, or x0, x1, …
    **options
        Other parameters of `FeatureRelevance`.

    Returns
    -------
    Relevance
        With `mercer.plot.RelevanceDisplay.from_estimator` a bar chart.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris()
    >>> print(mercer.relevance("svc", iris.data, iris.target, names=["sepal l", "sepal w", "petal l", "petal w"]))
    By soft votes of the other rows, 150 rows:
    petal w  1.00  ██████████████████████████████
    petal l  0.74  ██████████████████████
    sepal w  0.16  █████
    sepal l  0.00
    """
    model = FeatureRelevance(machine, **options).fit(X, y)
    told = model.get_feature_names_out() if names is None else names
    if len(told) != len(model.scales_):
        raise ParameterError(f"names: expected one for each of {len(model.scales_)} features, got {len(told)}.")
    return Relevance(tuple(str(name) for name in told), model.relevance_, model.scales_, model)
