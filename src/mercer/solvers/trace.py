"""What a solver did, step by step: for people who learn from it, plots and tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.typing import Floats

__all__ = ["Step", "Trace"]

_FORMAT = "mercer trace 2"


@dataclass(frozen=True)
class Step:
    """One step of a solver.

    Attributes
    ----------
    problem : int
        The binary problem that it belongs to, from 0.
    kind : str
        What was done, in a word or two.
    rows : tuple of int
        The coefficients that changed, by their place among the rows of the problem; in SMO the pair (i, j).
    old, new : tuple of float
        Their values before and after: c = α t in classification, c = α − α* in regression.
    low, high : float
        Where the multiplier |c| of the last of them had to stay: L and H of a pair; infinite where nothing was clipped.
    dual, primal, violation, intercept : float
        Of the machine after the step; the gap is primal − dual.
    """

    problem: int
    kind: str
    rows: tuple[int, ...]
    old: tuple[float, ...]
    new: tuple[float, ...]
    low: float
    high: float
    dual: float
    primal: float
    violation: float
    intercept: float

    @property
    def gap(self) -> float:
        return self.primal - self.dual

    @property
    def multipliers(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The sizes of the coefficients before and after."""
        return tuple(map(abs, self.old)), tuple(map(abs, self.new))


@dataclass(frozen=True)
class Trace:
    """The steps of a fit.

    Attributes
    ----------
    solver : str
        Who took them.
    rows, signs : tuple of tuples
        The training rows of each problem, in its order, and their signs ±1; no signs in regression.
    steps : tuple of Step

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(kernel="linear", solver="smo-sketch", trace=True, random_state=0).fit(X[:100], y[:100])
    >>> model.trace_.steps[0].kind
    'pair'
    >>> len(model.trace_) == len(model.trace_.table()["dual"])
    True
    """

    solver: str
    rows: tuple[tuple[int, ...], ...]
    signs: tuple[tuple[float, ...], ...]
    steps: tuple[Step, ...]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def of_problem(self, problem: int) -> Trace:
        """The steps of one binary problem."""
        return Trace(self.solver, self.rows, self.signs, tuple(step for step in self.steps if step.problem == problem))

    def replay(self, problem: int = 0) -> Iterator[tuple[Step, Floats]]:
        """Each step of a problem with the coefficients after it, from none on; their sizes are the multipliers."""
        if not 0 <= problem < len(self.rows):
            raise InputError(f"problem: expected a number from 0 to {len(self.rows) - 1}, got {problem!r}.")
        coef = np.zeros(len(self.rows[problem]))
        for step in self.of_problem(problem):
            coef[list(step.rows)] = step.new
            yield step, coef.copy()

    def table(self) -> dict[str, Any]:
        """Columns, one entry a step: `pandas.DataFrame(trace.table())` makes a frame of them."""
        names = ("problem", "kind", "rows", "old", "new", "low", "high", "dual", "primal", "violation", "intercept")
        columns: dict[str, Any] = {name: [getattr(step, name) for step in self.steps] for name in names}
        columns["gap"] = [step.gap for step in self.steps]
        numbers = ("low", "high", "dual", "primal", "violation", "intercept", "gap")
        return {name: np.array(values) if name in numbers else values for name, values in columns.items()}

    def save(self, path: str | Path) -> None:
        """Writes the trace as JSON."""
        content = {
            "format": _FORMAT,
            "solver": self.solver,
            "rows": self.rows,
            "signs": self.signs,
            "steps": [{name: _plain(value) for name, value in asdict(step).items()} for step in self.steps],
        }
        Path(path).write_text(json.dumps(content))

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Reads what `save` wrote."""
        try:
            content = json.loads(Path(path).read_text())
            if content["format"] != _FORMAT:
                raise KeyError(content["format"])
            steps = [Step(**{name: _read(name, value) for name, value in step.items()}) for step in content["steps"]]
            rows, signs = (tuple(map(tuple, content[name])) for name in ("rows", "signs"))
            return cls(str(content["solver"]), rows, signs, tuple(steps))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"Expected a file that Trace.save wrote ({_FORMAT}), got {path}: {error!r}.") from error


_NUMBERS = ("low", "high", "dual", "primal", "violation", "intercept")


def _plain(value: Any) -> Any:
    """What JSON holds; numbers that are infinite as text."""
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _read(name: str, value: Any) -> Any:
    if name in _NUMBERS:
        return float(value)
    return tuple(value) if isinstance(value, list) else value
