"""Estimators that put windows around their rows: which window, how wide, and what rows weigh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import checks
from mercer._runtime import available_threads
from mercer.deadline import check_deadline
from mercer.errors import InputError, NumericsWarning, ParameterError, warn_user
from mercer.kernels import Kernel
from mercer.neighbours.all_distances import by_callable, by_name
from mercer.neighbours.metrics import search_by
from mercer.neighbours.search import Search
from mercer.neighbours.units import is_ordinary, largest_of
from mercer.plain_state import PlainState
from mercer.typing import Floats
from mercer.windows import (
    PROFILES,
    RULES,
    SYNONYMS,
    BandwidthChoice,
    DistanceWindows,
    EuclideanWindows,
    Windows,
    advice_for_choice,
    improved_sheather_jones,
    kernel_spreads,
    normal_reference,
    spread_of,
    windows_of_kernel,
    without_factor,
)
from mercer.windows.rules import robust_spreads, scott, silverman

__all__ = ["WindowEstimator", "check_bandwidth"]


# Rows, each as heavy as the heaviest, that weights must at least be worth to tell how far these spread.
_FEWEST_ROWS = 2.0
_OF_A_CHOICE = ("bandwidths_", "left_out_errors_", "left_out_scores_", "left_out_error_bound_")


@dataclass(eq=False, repr=False)
class _Memory(PlainState):
    """The rows that weigh something, divided by the bandwidths of their features, and how windows are put around."""

    rows: Floats
    weights: Floats
    kernel: Any
    is_closed: bool
    metric: Any = "euclidean"
    params: dict[str, Any] | None = None
    spreads: Floats | None = None
    #: What rows and queries are divided by; None for one.
    units: Floats | None = None
    #: Bytes that may be used beside the rows.
    room: float = np.inf
    #: And all features of them before, so that squares of distances are numbers: a power of two.
    unit: float = 1.0

    @cached_property
    def windows(self) -> Windows:
        return self._whole.fitted(self.room)

    @property
    def _whole(self) -> Windows:
        if isinstance(self.kernel, Kernel):
            return windows_of_kernel(self.rows, self.kernel)
        if self.metric == "euclidean":
            return EuclideanWindows(self.rows, self.kernel, self.is_closed, self.spreads)
        options = dict(self.params or {})
        if callable(self.metric):
            return DistanceWindows(self.rows, by_callable(self.metric, options), self.kernel)
        power = float(options.pop("p", 2))
        return DistanceWindows(self.rows, by_name(self.metric, power, options), self.kernel)

    @cached_property
    def index(self) -> Search:
        whole = self._whole
        kept = whole.bytes if isinstance(whole, EuclideanWindows) else 0
        return search_by("euclidean", self.rows).fitted(max(self.room - kept, self.room / 4))

    @property
    def factors(self) -> Floats:
        """By which the window of a row is divided, but for the bandwidth: the volume of its own spread."""
        if self.spreads is None:
            return np.ones(len(self.rows))
        return np.asarray((self.spreads / self.middle_spread) ** -float(self.rows.shape[1]))

    @property
    def middle_spread(self) -> float:
        """What the factors are told from, as powers of many features leave the numbers."""
        return 1.0 if self.spreads is None else float(np.exp(np.mean(np.log(self.spreads))))


class WindowEstimator(BaseEstimator):  # type: ignore[misc]
    """Rows, weights and windows."""

    kernel: Any
    bandwidth: Any
    bandwidths: Any
    n_neighbors: int | None
    n_jobs: int | None
    time_limit: float | None
    cache_size: float | None
    n_features_in_: int
    #: Whether the losses that a bandwidth is chosen by have a limit as windows narrow.
    _is_bounded: ClassVar[bool] = True

    _checks: ClassVar[dict[str, checks.Check]] = {
        "n_neighbors": checks.optional_at_least(1),
        "n_jobs": checks.number_of_threads,
        "time_limit": checks.optional_positive,
        "cache_size": checks.optional_positive,
    }

    @property
    def plan_(self) -> str:
        """How sums over windows are taken."""
        check_is_fitted(self, "bandwidth_")
        return self._memory.windows.plan

    @property
    def _threads(self) -> int:
        return checks.thread_count(self.n_jobs) or available_threads()

    def _put_windows(self, X: Floats, weights: Floats, is_closed: bool, **options: Any) -> None:
        """Remembers the rows that weigh something, and settles all of the bandwidth but what is left out to choose."""
        checks.check_parameters(self)
        check_deadline()
        named = self.kernel
        kernel = without_factor(named.resolve(X)) if isinstance(named, Kernel) else SYNONYMS.get(named, named)
        given, d = self.bandwidth, X.shape[1]
        has_one = np.ndim(given) == 0 and given != "normal-reference"
        is_plain = isinstance(kernel, str) and options.get("metric", "euclidean") == "euclidean"
        unit = unit_of(X) if has_one and is_plain else 1.0
        X = X if unit == 1 else X / unit
        room = checks.bytes_allowed(self.cache_size)
        self._memory = _Memory(X, weights / weights.max(), kernel, is_closed, room=room, unit=unit, **options)
        for name in _OF_A_CHOICE:  # that was made before
            self.__dict__.pop(name, None)
        if self.n_neighbors is not None and isinstance(kernel, Kernel):
            raise ParameterError(
                f"n_neighbors: expected None where kernel is an object, whose width is its own, got "
                f"{self.n_neighbors}. Name a window, as kernel='gaussian'."
            )
        if self.bandwidths is not None and not (isinstance(given, str) and given == "leave-one-out"):
            raise ParameterError(
                f"bandwidths: expected None where bandwidth is {given!r}; they are for 'leave-one-out'."
            )
        if np.ndim(given) == 1:
            self._divide_by(np.asarray(given, dtype=np.float64))
            self.bandwidth_: Any = np.asarray(given, dtype=np.float64)
        elif isinstance(given, str) and given == "normal-reference":
            units = np.array([unit_of(column) for column in X.T])
            reference = normal_reference(X / units, self._memory.weights) * units
            self.bandwidth_ = _not_zero(_not_zero(reference) / self._window_spreads)
            self._divide_by(self.bandwidth_)
        elif isinstance(given, str) and given == "sheather-jones":
            if d != 1:
                raise InputError(
                    f"bandwidth='sheather-jones': expected rows of one feature, got {d}. Use 'normal-reference' or "
                    "'leave-one-out'."
                )
            self.bandwidth_ = improved_sheather_jones(X[:, 0], weights) / float(self._window_spreads[0]) * unit
        elif isinstance(given, str):
            rules = {"scott": scott, "silverman": silverman}
            self.bandwidth_ = rules[given](len(X), d) if given in rules else None
        else:
            self.bandwidth_ = given
        if self.n_neighbors is not None:
            self._memory.spreads = self._spreads()

    def _divide_by(self, units: Floats) -> None:
        if len(units) != self._memory.rows.shape[1]:
            raise ParameterError(
                f"bandwidth: expected one for each of the {self._memory.rows.shape[1]} features, got {len(units)}."
            )
        self._memory.units = units
        self._memory.rows = np.ascontiguousarray(self._memory.rows / units)

    def _spreads(self) -> Floats:
        """The distance of each row to its k-th neighbour, of which its bandwidth is a multiple."""
        rows, k = self._memory.rows, int(self.n_neighbors or 0)
        if k >= len(rows):
            raise ParameterError(f"n_neighbors: expected less than the {len(rows)} rows that weigh something, got {k}.")
        found = self._memory.index.nearest(rows, k, self._threads, np.arange(len(rows)))
        spreads = found.distances[:, -1]
        if np.any(spreads == 0):
            raise InputError(
                f"n_neighbors={k}: expected rows with a positive distance to their k-th neighbour, got "
                f"{np.count_nonzero(spreads == 0)} with {k} duplicates or more. Take more neighbours, or weights."
            )
        return spreads

    @property
    def _window_spreads(self) -> Floats:
        """By which the gaussian's bandwidths of the features are divided to be as good for the window at hand."""
        kernel, d = self._memory.kernel, self._memory.rows.shape[1]
        return np.full(d, spread_of(kernel, d)) if isinstance(kernel, str) else kernel_spreads(kernel, d)

    @property
    def _start(self) -> float:
        """Where to look for bandwidths around: what is right were the density normal."""
        if self._memory.spreads is not None:
            return 1.0
        rows, weights = self._memory.rows, self._memory.weights
        if weights.sum() < _FEWEST_ROWS:  # one of them outweighs all others, which alone tell of it when it is left out
            weights = np.ones_like(weights)
        spreads = robust_spreads(rows, weights) / self._window_spreads
        spread = float(np.sqrt(np.mean(spreads**2))) or 1.0
        return spread * silverman(len(rows), rows.shape[1])

    @property
    def _scalar(self) -> float:
        """The bandwidth in the units of the rows that are remembered."""
        return 1.0 if self._memory.units is not None else float(self.bandwidth_) / self._bandwidth_unit

    @property
    def _bandwidth_unit(self) -> float:
        """What one bandwidth is divided by, where it is no multiple of distances."""
        return 1.0 if self._memory.spreads is not None else self._memory.unit

    def _keep(self, choice: BandwidthChoice) -> None:
        unit = self._bandwidth_unit
        choice = BandwidthChoice(choice.bandwidth * unit, choice.bandwidths * unit, choice.losses)
        for said in advice_for_choice(choice, self._memory.rows, self.bandwidths is not None, self._is_bounded):
            warn_user(NumericsWarning(said))
        self.bandwidth_ = choice.bandwidth
        self.bandwidths_ = choice.bandwidths

    @property
    def _candidates(self) -> Floats | None:
        return None if self.bandwidths is None else np.asarray(self.bandwidths, dtype=np.float64) / self._bandwidth_unit

    def _read(self, X: Any) -> Floats:
        check_is_fitted(self, "bandwidth_")
        queries = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        if self._memory.unit != 1:
            queries = _divided(queries, self._memory.unit)
        return np.asarray(queries if self._memory.units is None else _divided(queries, self._memory.units))

    def _check_rows_to_leave_out(self) -> None:
        if len(self._memory.rows) < 2:
            raise InputError(
                "bandwidth='leave-one-out': expected two rows or more that weigh something, got n_samples = 1. Give a "
                "number."
            )


def unit_of(X: Floats) -> float:
    """One where squares of the values are numbers, else a power of two that is about the largest."""
    largest = largest_of(X)
    return 1.0 if is_ordinary(largest) else 2.0 ** float(np.floor(np.log2(largest)))


def _divided(queries: Floats, units: Any) -> Floats:
    """Queries that are then too far for numbers are at the end of these."""
    with np.errstate(over="ignore"):
        return np.asarray(np.nan_to_num(queries / units))


def _not_zero(bandwidths: Floats) -> Floats:
    """A feature that does not vary tells nothing of its bandwidth."""
    return np.where(bandwidths > 0, bandwidths, 1.0)


def check_bandwidth(least_is_zero: bool) -> checks.Check:
    """A check for a number, one a feature, or the name of a rule; `least_is_zero` of windows that may have radius 0."""

    def check(name: str, value: Any) -> Any:
        if isinstance(value, str):
            return checks.choice(name, value, RULES)
        if np.ndim(value) == 1:
            return check_bandwidths(name, value)
        if not _fits(value, least_is_zero):
            relation = "≥" if least_is_zero else ">"
            raise ParameterError(
                f"{name}: expected a finite number {relation} 0, one > 0 for each feature, or one of {RULES}, got "
                f"{value!r}."
            )
        return value

    return check


def _fits(value: Any, least_is_zero: bool) -> bool:
    given = checks.finite_number(value)
    return given > 0 or (least_is_zero and given == 0)


def check_bandwidths(name: str, value: Any) -> Any:
    """None, or finite numbers > 0 to choose from."""
    if value is None:
        return value
    numbers = np.asarray(value)
    if (
        numbers.ndim != 1
        or numbers.dtype.kind not in "iuf"
        or not len(numbers)
        or not np.all((numbers > 0) & np.isfinite(numbers))
    ):
        raise ParameterError(f"{name}: expected finite numbers > 0, got {value!r}.")
    return value


def check_window(name: str, value: Any) -> Any:
    """The name of a profile, or a kernel."""
    return value if isinstance(value, Kernel) else checks.choice(name, value, (*PROFILES, *SYNONYMS))
