"""What the runs of an entry say: the time to a primal value, and a peer's beside Mercer's."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.linear.ladders import LEVELS, TIE
from benchmarks.linear.record import Entry, Run, Showing
from benchmarks.linear.tasks import Rung
from benchmarks.record import Timing
from benchmarks.results import Ratio


@dataclass(frozen=True)
class Comparison:
    """The times of Mercer and of a peer to the same primal value.

    Attributes
    ----------
    ours, theirs : Timing, optional
        None where no run got there, and a lower bound where one was killed on its way.
    is_split : bool
        The two were measured in different races.
    reached : float, optional
        How far above the bound the value is, where it is the peer's own.
    """

    ours: Timing | None
    theirs: Timing | None
    is_split: bool
    reached: float | None = None

    @property
    def ratio(self) -> Ratio | None:
        """The peer's time divided by Mercer's, if Mercer got there and the peer at least tried."""
        if self.ours is None or self.ours.is_bound or self.theirs is None:
            return None
        return Ratio(self.theirs.seconds / self.ours.seconds, self.theirs.is_bound, self.is_split)


def time_to(showing: Showing | None, value: float) -> Timing | None:
    """The least time among the runs that reached a primal value."""
    if showing is None:
        return None
    times = [run.time for run in showing.runs if run.reaches(value)]
    return Timing(min(times)) if times else _killed(showing)


def time_to_level(entry: Entry, library: str, level: float) -> Timing | None:
    """The least time to a value that is this share above the bound."""
    return None if entry.bound is None else time_to(entry.of(library), entry.bound.above(level))


def at_level(entry: Entry, peer: str, level: float) -> Comparison:
    """Both to a value that is this share above the bound."""
    ours, theirs = (time_to_level(entry, library, level) for library in ("mercer", peer))
    return Comparison(ours, theirs, _is_split(entry, peer))


def at_default(entry: Entry, peer: str) -> Comparison:
    """The peer's default fit, by its quickest solver, and Mercer to at most the same value.

    Where the peer was killed nobody knows its value, and the time is set against Mercer's to the tightest level.
    """
    theirs, bound, split = entry.of(peer), entry.bound, _is_split(entry, peer)
    if theirs is None or bound is None:
        return Comparison(None, None, split)
    fits = [(run.time, run.primal) for run in theirs.runs if run.rung.is_default and run.primal is not None]
    if not fits:
        return Comparison(time_to_level(entry, "mercer", min(LEVELS)), _killed(theirs), split)
    seconds, value = min(fits)
    ours = time_to(entry.of("mercer"), max(value, bound.above(TIE)))
    return Comparison(ours, Timing(seconds), split, bound.suboptimality(value))


def of_kernel_machines(entry: Entry, peer: str) -> Comparison:
    """The fits of two kernel machines to the same tolerance."""
    ours, theirs = (time_to(entry.of(library), float("inf")) for library in ("mercer", peer))
    return Comparison(ours, theirs, _is_split(entry, peer))


def after_passes(entry: Entry, peer: str, rung: Rung) -> Comparison:
    """Two descents of the same passes at the same learning rate, wherever they lead."""
    split = _is_split(entry, peer)
    ours, theirs = (_timing(_run_of(entry, library, rung)) for library in ("mercer", peer))
    return Comparison(ours, theirs, split, share_after(entry, peer, rung))


def share_after(entry: Entry, library: str, rung: Rung) -> float | None:
    """How far above the bound a library's machine of one rung is, as a share of it."""
    run = _run_of(entry, library, rung)
    if run is None or run.primal is None or entry.bound is None:
        return None
    return entry.bound.suboptimality(run.primal)


def peak_mb(entry: Entry) -> float | None:
    """The most memory that a fit of Mercer took above the data."""
    showing = entry.of("mercer")
    peaks = [] if showing is None else [run.peak_mb for run in showing.runs if run.peak_mb is not None]
    return max(peaks, default=None)


def _run_of(entry: Entry, library: str, rung: Rung) -> Run | None:
    showing = entry.of(library)
    return None if showing is None else next((run for run in showing.runs if run.rung == rung), None)


def _timing(run: Run | None) -> Timing | None:
    if run is None:
        return None
    if run.primal is not None:
        return Timing(run.time)
    return None if run.killed_after is None else Timing(run.killed_after, is_bound=True)


def _killed(showing: Showing) -> Timing | None:
    limits = [run.killed_after for run in showing.runs if run.primal is None and run.killed_after is not None]
    return Timing(min(limits), is_bound=True) if limits else None


def _is_split(entry: Entry, peer: str) -> bool:
    origins = {showing.origin for showing in entry.showings if showing.library in ("mercer", peer)}
    return len(origins) > 1
