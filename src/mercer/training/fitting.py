"""The machine of all training rows, with its proof and how it came about."""

from __future__ import annotations

from dataclasses import dataclass, fields
from time import perf_counter
from typing import Any

import numpy as np

from mercer.calibration import Calibration
from mercer.certificates import Certificate
from mercer.errors import UnsolvedWarning
from mercer.estimators import SVC, SVR, certify
from mercer.estimators.weights import machine_of_weights
from mercer.machines import Machine
from mercer.solvers import Progress
from mercer.training.findings import MachineFound
from mercer.training.linear import calibrate_linear, fit_linear, search_linear
from mercer.training.options import TrainingOptions
from mercer.training.pace import Pace
from mercer.training.prepared import Prepared
from mercer.training.quiet import without_warnings
from mercer.training.search import Choice, kernel_machine

__all__ = ["Fit", "fit_machine", "is_too_long"]

# The part of the time that is left which the fit may take; the rest is for baselines and importance.
_SHARE = 0.6
# Seconds that people wait for a fit who gave no limit.
_PATIENCE = 600.0
_MOST_POINTS = 200
# Kernel values that float64 evaluates in about a second.
_QUICKLY_CERTIFIED = 100_000_000
# Time grows with the square of the rows, about; of fewer it is too short to tell.
_ROWS_TO_TIME = 5000


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted machine.

    Attributes
    ----------
    estimator : SVC, SVR, LinearSVC or LinearSVR
    machine : Machine
        The same as plain arrays.
    calibration : Calibration or None
        What makes probabilities of its values; None in regression.
    choice : Choice
        Of its parameters.
    is_linear : bool
        Whether a kernel machine would have taken too long.
    found : MachineFound
    """

    estimator: Any
    machine: Machine
    calibration: Calibration | None
    choice: Choice
    is_linear: bool
    found: MachineFound


def is_too_long(data: Prepared, choice: Choice, options: TrainingOptions, pace: Pace) -> bool:
    """Whether the kernel machine of all rows would not end in time, by how long one of some rows takes."""
    if choice.rows >= len(data.train):
        return False
    rows = np.random.default_rng(options.seed).permutation(len(data.train))[: min(choice.rows, _ROWS_TO_TIME)]
    began = perf_counter()
    with without_warnings(UnsolvedWarning):
        kernel_machine(data, options, **choice.params).fit(data.X[rows], data.y[rows])
    expected = (perf_counter() - began) * (len(data.train) / len(rows)) ** 2
    return expected > min(_PATIENCE, _SHARE * pace.left)


def fit_machine(data: Prepared, choice: Choice, options: TrainingOptions, pace: Pace) -> Fit:
    """Fits the chosen machine to all training rows; a linear one where these are too many for the time."""
    if is_too_long(data, choice, options, pace):
        return _fit_linear(data, options, pace)
    watch = _Watch(pace, len(data.train))
    more: dict[str, Any] = {"probability": True, "random_state": options.seed} if data.is_classification else {}
    estimator = kernel_machine(data, options, **choice.params, **more, time_limit=pace.share(_SHARE), callback=watch)
    began = perf_counter()
    with without_warnings(UnsolvedWarning):
        estimator.fit(data.X, data.y)
    seconds = perf_counter() - began
    params = dict(choice.params)
    found = _found(estimator, data, params, seconds, watch, str(estimator.kernel_), _supports(estimator, data))
    calibration = estimator.calibration_ if data.is_classification else None
    return Fit(estimator, estimator._machine, calibration, choice, False, found)


def _fit_linear(data: Prepared, options: TrainingOptions, pace: Pace) -> Fit:
    pace.tell("fit", 0.0, "a linear machine, for a kernel machine would take too long")
    choice = search_linear(data, options, pace)
    watch = _Watch(pace, len(data.train))
    began = perf_counter()
    estimator = fit_linear(data, options, choice.params["C"], pace.share(_SHARE / 2), watch)
    seconds = perf_counter() - began
    calibration = None
    if data.is_classification:
        calibration = calibrate_linear(data, options, choice.params["C"], pace.share(_SHARE / 2))
    machine = machine_of_weights(estimator, estimator.coef_, estimator.intercept_)
    found = _found(estimator, data, dict(choice.params), seconds, watch, "linear", (0, {}))
    return Fit(estimator, machine, calibration, choice, True, found)


class _Watch:
    """Hears of the fit, and keeps when the violation was how large."""

    def __init__(self, pace: Pace, rows: int) -> None:
        self._pace, self._rows = pace, rows
        self.points: list[tuple[float, float]] = []

    def __call__(self, progress: Progress) -> None:
        if np.isfinite(progress.violation):
            self.points.append((progress.seconds, progress.violation))
        done = (progress.problem + 0.5) / max(progress.problems, 1)
        words = f"{self._rows:,} rows, violation {progress.violation:.2g} after {progress.seconds:.0f} s"
        self._pace.tell("fit", done, words)

    def convergence(self, seconds: float, violation: float) -> list[tuple[float, float]]:
        """Some of the points, and the end, which the certificate tells."""
        kept = np.unique(np.linspace(0, len(self.points) - 1, min(len(self.points), _MOST_POINTS)).round().astype(int))
        return [*(self.points[k] for k in kept), (seconds, max(violation, 0.0))]


def _supports(estimator: Any, data: Prepared) -> tuple[int, dict[str, int]]:
    counts = [int(one) for one in estimator.n_support_]
    by_class = dict(zip(data.target.classes, counts, strict=True)) if data.is_classification else {}
    return len(estimator.support_), by_class


def _found(
    estimator: Any,
    data: Prepared,
    params: dict[str, Any],
    seconds: float,
    watch: _Watch,
    kernel: str,
    supports: tuple[int, dict[str, int]],
) -> MachineFound:
    certificate = _certificate(estimator, data)
    return MachineFound(
        estimator=type(estimator).__name__,
        kernel=kernel,
        params=params,
        plan=estimator.plan_,
        status=estimator.status_.value,
        seconds=seconds,
        n_support=supports[0],
        n_support_by_class=supports[1],
        certificate=numbers_of(certificate),
        certificate_text=str(certificate),
        holds=estimator.status_.is_within_tolerance,
        tol=float(estimator.tol),
        convergence=watch.convergence(seconds, certificate.violation),
    )


def _certificate(estimator: Any, data: Prepared) -> Certificate:
    """The proof of the fit; where that takes no time, one in float64 throughout, whose gap rounding does not widen."""
    of_fit: Certificate = estimator.certificate_
    if isinstance(estimator, (SVC, SVR)) and len(data.X) * len(estimator.support_) <= _QUICKLY_CERTIFIED:
        anew = certify(estimator, data.X, data.y)
        if isinstance(anew, Certificate) and anew.relative_gap < of_fit.relative_gap:
            return anew
    return of_fit


def numbers_of(certificate: Certificate) -> dict[str, Any]:
    """The numbers of a certificate as JSON holds them."""
    plain: dict[str, Any] = {
        one.name: getattr(certificate, one.name) for one in fields(certificate) if one.name != "parts"
    }
    plain["intercept_interval"] = list(certificate.intercept_interval)
    plain |= {"gap": certificate.gap, "relative_gap": certificate.relative_gap}
    return {name: _finite(value) for name, value in plain.items()}


def _finite(value: Any) -> Any:
    """JSON has no infinity."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
