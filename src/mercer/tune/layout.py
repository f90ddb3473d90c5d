"""Where the machine is in what is searched, and what comes before it: pipelines and transformed targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import preprocessing
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from mercer.data import read_training_data
from mercer.errors import ParameterError
from mercer.estimators import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR
from mercer.rows import as_computed, checked_matrix, takes_features
from mercer.tune.cells import Split
from mercer.tune.shared import Stage
from mercer.typing import Floats

__all__ = ["Layout", "layout_of"]

#: Machines whose cells share work, and the number along which each begins from the one before.
_ALONG: dict[type, str] = {SVC: "C", SVR: "C", NuSVC: "nu", NuSVR: "nu", LinearSVC: "C", LinearSVR: "C"}

# Transformations back to the targets that never fall, so that bounds stay bounds.
_RISING = (
    preprocessing.StandardScaler,
    preprocessing.MinMaxScaler,
    preprocessing.MaxAbsScaler,
    preprocessing.RobustScaler,
    preprocessing.QuantileTransformer,
    preprocessing.PowerTransformer,
)
# Rows that are transformed twice may differ by this.
_ROUNDING = 1e-9
_RISING_FUNCTIONS = (np.exp, np.expm1, np.exp2, np.sinh, np.arcsinh, np.cbrt)


@dataclass(frozen=True)
class Layout:
    """An estimator that ends in a machine.

    Attributes
    ----------
    outer : estimator
        As it was given.
    machine : SVC, SVR, NuSVC, NuSVR, LinearSVC or LinearSVR
        What it ends in.
    prefix : str
        What the machine's parameters are named with.
    steps : sequence of str
        Of a pipeline, what comes before the machine.
    """

    outer: Any
    machine: Any
    prefix: str
    steps: Sequence[str] = ()

    @property
    def along(self) -> str:
        """The number along which machines begin from their neighbours."""
        return _ALONG[type(self.machine)]

    @property
    def is_solved_together(self) -> bool:
        """Whether the core knows how to solve cells of the machine together."""
        return isinstance(self.machine, (SVC, SVR))

    @property
    def is_linear(self) -> bool:
        return isinstance(self.machine, (LinearSVC, LinearSVR))

    @property
    def is_bare(self) -> bool:
        return self.outer is self.machine

    def parted(self, params: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Parameters of the machine by its own names, and all others."""
        own = {n[len(self.prefix) :]: v for n, v in params.items() if n.startswith(self.prefix)}
        return own, {n: v for n, v in params.items() if not n.startswith(self.prefix)}

    def replaces_machine(self, before: Mapping[str, Any]) -> bool:
        """Whether the parameters put something else in the place of the machine."""
        parts = self.prefix.removesuffix("__").split("__") if self.prefix else []
        paths = {"__".join(parts[: k + 1]) for k in range(len(parts))}
        return not paths.isdisjoint(before) or "steps" in before

    def stages(
        self,
        before: Mapping[str, Any],
        X: Any,
        y: Any,
        weights: Floats | None,
        splits: Sequence[Split],
        wants_train: bool = False,
    ) -> list[Stage]:
        """The rows as the machine sees them: the same in all splits, or transformed in each.

        Where training rows are to be valued too, steps must transform them as they did when they were fitted.
        """
        if self.is_bare:
            return [Stage(*self._readable(X, y), weights, splits)]
        return [self._stage(before, X, y, weights, split, wants_train) for split in splits]

    def _readable(self, X: Any, y: Any) -> tuple[Any, Any]:
        machine = clone(self.machine)
        if self.is_linear:
            return read_training_data(machine, X, y, True, machine._target_kinds)
        kernel = machine._named_kernel(machine.kernel)
        X, y = read_training_data(machine, X, y, takes_features(kernel), machine._target_kinds)
        return as_computed(kernel, checked_matrix(kernel, X)), y

    def _stage(
        self, before: Mapping[str, Any], X: Any, y: Any, weights: Floats | None, split: Split, wants_train: bool
    ) -> Stage:
        outer = clone(self.outer).set_params(**clone(dict(before), safe=False))
        train, test = _safe_indexing(X, split.train), _safe_indexing(X, split.test)
        y_train, back, is_rising = _safe_indexing(y, split.train), None, False
        if isinstance(outer, TransformedTargetRegressor):
            y_train, back, is_rising = _transformed(outer, y_train)
            outer = outer.regressor
        if self.steps:
            for name in self.steps:
                step = outer.named_steps[name]
                if step is None or step == "passthrough":
                    continue
                given = train
                train = _fitted_and_transformed(step, train, y_train)
                if wants_train and not _are_equal(train, step.transform(given)):
                    raise ParameterError(f"{name} transforms its training rows otherwise while it is fitted")
                test = step.transform(test)
        stacked = (
            sp.vstack([train, test]).tocsr()
            if sp.issparse(train)
            else np.concatenate([np.asarray(train), np.asarray(test)])
        )
        count = len(split.train)
        places = np.arange(count + len(split.test))
        numbers = np.concatenate([np.asarray(y_train), _padding(y_train, len(split.test))])
        X, numbers = self._readable(stacked, numbers)
        own = None if weights is None else np.concatenate([weights[split.train], np.ones(len(split.test))])
        return Stage(X, numbers, own, [Split(split.number, places[:count], places[count:])], back, is_rising)


def _fitted_and_transformed(step: Any, X: Any, y: Any) -> Any:
    return step.fit_transform(X, y) if hasattr(step, "fit_transform") else step.fit(X, y).transform(X)


def _are_equal(a: Any, b: Any) -> bool:
    if sp.issparse(a) or sp.issparse(b):
        return bool(a.shape == b.shape and abs(a - b).max() <= _ROUNDING * abs(a).max())
    return np.allclose(np.asarray(a), np.asarray(b), rtol=_ROUNDING, atol=_ROUNDING, equal_nan=True)


def _padding(y: Any, count: int) -> Any:
    """Targets of rows that are held out: nobody looks at them."""
    return np.resize(np.asarray(y), count)


def _transformed(outer: Any, y: Any) -> tuple[Any, Callable[[Floats], Floats], bool]:
    column = np.asarray(y).reshape(-1, 1)
    outer._fit_transformer(column)
    transformer = outer.transformer_
    given = transformer.transform(column)

    def back(values: Floats) -> Floats:
        return np.asarray(transformer.inverse_transform(values.reshape(-1, 1))).ravel()

    is_rising = isinstance(transformer, _RISING) or getattr(transformer, "inverse_func", None) in _RISING_FUNCTIONS
    return np.asarray(given).ravel(), back, is_rising


def layout_of(estimator: Any) -> Layout | str:
    """Where the machine is; or why there is none whose cells can be solved together."""
    if type(estimator) in _ALONG:
        return Layout(estimator, estimator, "")
    if type(estimator) is TransformedTargetRegressor:
        if estimator.regressor is None:
            return "it has no machine of Mercer's"
        inner = layout_of(estimator.regressor)
        if isinstance(inner, str):
            return inner
        return Layout(estimator, inner.machine, f"regressor__{inner.prefix}", inner.steps)
    if type(estimator) is Pipeline:
        name, last = estimator.steps[-1]
        if type(last) not in _ALONG:
            return f"the pipeline ends in {type(last).__name__}"
        if any(hasattr(step, "fit_resample") for _, step in estimator.steps[:-1]):
            return "a step of the pipeline changes the rows"
        return Layout(estimator, last, f"{name}__", [step for step, _ in estimator.steps[:-1]])
    return f"cells of {type(estimator).__name__} share nothing that is known"
