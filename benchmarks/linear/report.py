"""The report in Markdown: the means, a table for each set and loss, kernel machines, descents, and what was missed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from benchmarks.linear.ladders import LEVELS, descent_rungs, named
from benchmarks.linear.libraries import DESCENTS, KERNEL_MACHINES, LIBRARIES, PEERS, SOLVERS
from benchmarks.linear.record import Entry, Showing
from benchmarks.linear.results import (
    Comparison,
    after_passes,
    at_default,
    at_level,
    of_kernel_machines,
    peak_mb,
    share_after,
    time_to_level,
)
from benchmarks.linear.targets import TARGETS
from benchmarks.linear.tasks import Family
from benchmarks.markdown import NONE, seconds, table, times
from benchmarks.record import Timing
from benchmarks.results import Ratio, geometric_mean

LEGEND = """\
Seconds of a whole fit to a primal value, the least among the runs of a library's ladder that reached it, and a peer's \
time divided by Mercer's, above 1 where Mercer is faster. A value is told as the share it is above the optimum: above \
the dual bound of Mercer's certificate, with the primal objective recomputed in float64 from the weights.

- `sklearn's default`, `liblinear's default`: the fit of a user who sets no tolerance (1e-4 in scikit-learn; in \
LIBLINEAR 0.1 for the dual, 0.01 for the primal, 1e-4 for primal regression), by the quicker of its solvers, with the \
share it reached; Mercer's time is the least to at most that value
- `>`: killed at the limit, which stands for its time; a default fit that was killed is set against Mercer's time to \
1e-06
- —: no run of the ladder got there
- ‡: measured in another race than Mercer's"""

#: What the sections of the other ladders begin with: the title, and what is minimised.
FAMILIES = {
    Family.L1: (
        '`LinearSVC(penalty="l1")`',
        "Σ|w| + |b| + C Σ max(0, 1 − t f(x))², LIBLINEAR's solver 5; several classes each against the rest.",
    ),
    Family.CRAMMER_SINGER: (
        '`LinearSVC(multi_class="crammer_singer")`',
        "½ Σₘ (‖wₘ‖² + bₘ²) + C Σ max(0, 1 + maxₘ fₘ(x) − f_y(x)) with m other than the class y of the row, "
        "LIBLINEAR's solver 4.",
    ),
}
DESCENT = """\
`SGDClassifier(loss="hinge", alpha=1/(C n), average=True, tol=None)`: seconds of the whole fit and of a pass, which is \
the fit divided by its passes, and how far ½‖w‖² + C Σ max(0, 1 − t f(x)), b free, is above the dual bound of \
`LinearSVC(loss="hinge", regularize_intercept=False)`; that is C n times what a descent minimises. The first rate is \
the default. It begins with steps of alpha^(−¼), which so few passes do not make up for: what is promised of the \
optimum is meant of the second."""

Measure = Callable[[Entry, str], Comparison]


def render(entries: Iterable[Entry]) -> str:
    """The report of entries measured under the same conditions."""
    found = list(entries)
    of = {family: [entry for entry in found if entry.problem.task.family is family] for family in Family}
    parts = ["# Linear machines", _head(found), LEGEND]
    if linear := of[Family.LINEAR]:
        parts += ["## Geometric means", _means(linear), "## Problems", *_problems(linear)]
    for family, (title, told) in FAMILIES.items():
        if entries_of := of[family]:
            parts += [f"## {title}", told, _means(entries_of), *_problems(entries_of)]
    if kernel_machines := of[Family.KERNEL_MACHINE]:
        parts += ['## `SVC(kernel="linear")`', _kernel_machines(kernel_machines)]
    if descents := of[Family.DESCENT]:
        parts += ["## SGD", DESCENT, *map(_descent, descents)]
    parts += ["## What was missed", table(["target", "bound", "reached", ""], [t.row(found) for t in TARGETS])]
    remarks = [
        f"- {entry.problem.name}, {showing.library}: {remark}"
        for entry in found
        for showing in entry.showings
        for remark in showing.remarks
    ]
    if remarks:
        parts += ["## Remarks", "\n".join(remarks)]
    return "\n\n".join(parts) + "\n"


def _head(entries: list[Entry]) -> str:
    showings = [showing for entry in entries for showing in entry.showings]
    days = sorted(showing.origin.time.split()[0] for showing in showings)
    versions = [
        f"{name} {_distinct(showing.version for showing in showings if showing.library == name)}"
        for name in LIBRARIES
        if any(showing.library == name for showing in showings)
    ]
    lines = [
        f"Machine: {entries[0].conditions.machine}",
        f"Software: {_distinct(showing.origin.software for showing in showings)}",
        f"Libraries: {', '.join(versions)}; {entries[0].conditions.threads} threads",
        f"Measured: {' to '.join(dict.fromkeys([days[0], days[-1]]))}",
        f"Mercer at: {_distinct(showing.origin.commit for showing in showings)}",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _means(entries: list[Entry]) -> str:
    def cell(measure: Measure, peer: str) -> str:
        mean = geometric_mean(measure(entry, peer).ratio for entry in entries)
        return NONE if mean is None else f"{'> ' * mean.is_bound}{times(mean.value)} ({mean.count})"

    measures: dict[str, Measure] = {f"{level:.0e}": _level(level) for level in LEVELS} | {"its own default": at_default}
    rows = [[name, *(cell(measure, peer) for peer in PEERS)] for name, measure in measures.items()]
    told = "A peer's time over Mercer's, and on how many problems both are known."
    return f"{told}\n\n" + table(["to", *PEERS], rows)


def _problems(entries: list[Entry]) -> list[str]:
    return [_problem(list(group)) for _, group in groupby(sorted(entries, key=_order), key=_kind)]


def _problem(entries: list[Entry]) -> str:
    """The table of a set and loss, the costs one below the other."""
    facts, told = entries[0].problem, _data(entries[0])
    rows = []
    for entry in entries:
        cost = f"{entry.problem.task.C:g}"
        for level in LEVELS:
            cells = [cell for peer in PEERS for cell in _cells(at_level(entry, peer, level))]
            rows.append([cost, f"{level:.0e}", _time(time_to_level(entry, "mercer", level)), *cells])
        for solver in SOLVERS:
            default = at_default(entry, solver)
            reached = "" if default.reached is None else f" ({max(default.reached, 0.0):.1e})"
            cells = [cell for peer in PEERS for cell in (_cells(default) if peer == solver else ["", ""])]
            rows.append([cost, f"{solver}'s default{reached}", _time(default.ours), *cells])
    head = ["C", "to", "mercer", *(column for peer in PEERS for column in (peer, "÷ mercer"))]
    peaks = [peak for entry in entries if (peak := peak_mb(entry)) is not None]
    notes = _gap(entries)
    if peaks:
        notes += f" Mercer's fits take at most {max(peaks):.0f} MB above the data."
    loss = facts.task.family.value or facts.task.loss
    return f"### {facts.source}, {loss}\n\n{told} {notes}\n\n{table(head, rows)}"


def _data(entry: Entry) -> str:
    """The data of a problem in a sentence."""
    facts = entry.problem
    classes = f", {facts.classes} classes" if facts.classes else ""
    epsilon = f", ε = {facts.task.epsilon:g}" if facts.task.epsilon else ""
    return f"{facts.rows:,} × {facts.features:,} {facts.storage}{classes}{epsilon}; features {facts.scaling}."


def _gap(entries: list[Entry]) -> str:
    gap = max(entry.bound.gap for entry in entries if entry.bound is not None)
    return f"The optimum is at most {max(gap, 0.0):.1e} above the bound."


def _cells(both: Comparison) -> list[str]:
    return [_time(both.theirs), _ratio(both.ratio)]


def _kernel_machines(entries: list[Entry]) -> str:
    rows = []
    for entry in entries:
        showings = [entry.of(library) for library in KERNEL_MACHINES]
        both = of_kernel_machines(entry, "sklearn")
        facts = entry.problem
        rows.append(
            [
                *(facts.name, f"{facts.rows:,} × {facts.features:,}", f"{facts.task.C:g}"),
                *(_time(both.ours), _time(both.theirs), _ratio(both.ratio), *map(_violation, showings)),
            ]
        )
    head = ["problem", "rows × features", "C", "mercer", "sklearn", "÷ mercer", "mercer's violation"]
    told = "Both to `tol` 1e-3, with the true violation by `mercer.certify`."
    return f"{told}\n\n" + table([*head, "sklearn's violation"], rows)


def _descent(entry: Entry) -> str:
    """The table of the passes of a set, rate by rate."""
    rows = []
    for rung in descent_rungs():
        both = after_passes(entry, "sklearn", rung)
        rows.append(
            [
                *(named(rung.solver), str(rung.passes), _time(both.ours), *_cells(both)),
                *(_time(_a_pass(timing, rung.passes)) for timing in (both.ours, both.theirs)),
                *(_share(share_after(entry, library, rung)) for library in DESCENTS),
            ]
        )
    head = ["rate", "passes", "mercer", "sklearn", "÷ mercer"]
    head += [f"{library}, a pass" for library in DESCENTS] + [f"{library}, above the optimum" for library in DESCENTS]
    cost = f"C = {entry.problem.task.C:g}."
    return f"### {entry.problem.source}\n\n{_data(entry)} {cost} {_gap([entry])}\n\n{table(head, rows)}"


def _violation(showing: Showing | None) -> str:
    found = [] if showing is None else [run.violation for run in showing.runs if run.violation is not None]
    return f"{found[0]:.1e}" if found else NONE


def _a_pass(timing: Timing | None, passes: int) -> Timing | None:
    return None if timing is None else Timing(timing.seconds / passes, timing.is_bound)


def _share(value: float | None) -> str:
    return NONE if value is None else f"{max(value, 0.0):.1e}"


def _level(level: float) -> Measure:
    return lambda entry, peer: at_level(entry, peer, level)


def _time(timing: Timing | None) -> str:
    return NONE if timing is None else f"{'> ' * timing.is_bound}{seconds(timing.seconds)}"


def _ratio(ratio: Ratio | None) -> str:
    return NONE if ratio is None else f"{'> ' * ratio.is_bound}{times(ratio.value)}{'‡' * ratio.is_split}"


def _kind(entry: Entry) -> tuple[str, str]:
    return entry.problem.source, entry.problem.task.loss


def _order(entry: Entry) -> tuple[int, str, str, float]:
    return entry.problem.rows, *_kind(entry), entry.problem.task.C


def _distinct(texts: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(texts))
