"""The report in Markdown: large problems, small ones, growth, the details of all, and what was missed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from statistics import median

from benchmarks import libraries
from benchmarks.markdown import NONE, number, seconds, table, times
from benchmarks.record import Entry, Facts, warm
from benchmarks.results import PEERS, SMALL, Measure, Results, by_name, fit, predict, standard
from benchmarks.targets import OTHER_TARGETS, TARGETS

LEGEND = f"""\
Ratios are a library's time divided by Mercer's, above 1 where Mercer is faster: that of skex32 to mercer32, which is \
given float32 too, the others to mercer. Times are medians of warm repetitions.

- `>`: killed at the limit, which stands for its time
- †: more than twice `tol` was left, so less work was done
- ‡: measured in another race than Mercer's
- *italics*: outside the means
- cold ÷ warm: Mercer's first fit in a fresh process over a warm one
- fit ÷ limit: Mercer's warm fit over one evaluation of the decision function on the training rows in float32, by \
{libraries.YARDSTICK}'s own `decision_function`"""


REASONS = "Where and why the solver is least ahead: [the solver](../docs/concepts/solver.md#where-it-is-least-ahead)."


def render(entries: Iterable[Entry]) -> str:
    """The report of entries measured under the same conditions."""
    results = Results(entries)
    classified, others = results.of(is_svc=True), results.of(is_svc=False)
    parts = ["# Results", _head(results), LEGEND]
    for title, part, problems in (
        (f"C-SVC, {SMALL:,} rows or more", classified, classified.large),
        (f"C-SVC, less than {SMALL:,} rows", classified, classified.small),
        ("ν-SVC, ε-SVR, ν-SVR, one-class", others, others.problems),
    ):
        if problems:
            parts.append(f"## {title}")
            parts += ["### Fit", _fits(part, problems), "### True violation", _violations(part, problems)]
            parts += ["### Predict", _predictions(part, problems)]
    series = dict.fromkeys(facts.series for facts in results.problems if facts.series)
    if series:
        parts.append("## Growth")
        parts.extend(_growth(results, name) for name in series)
    parts.append("## Details")
    parts.extend(_details(results, facts) for facts in results.problems)
    parts.append("## What was missed")
    for title, part, targets in (("C-SVC", classified, TARGETS), ("The other problems", others, OTHER_TARGETS)):
        if part.entries:
            rows = [target.row(part) for target in targets]
            parts += [f"### {title}", table(["target", "bound", "reached", ""], rows)]
    parts.append(REASONS)
    return "\n\n".join(parts) + "\n"


def _head(results: Results) -> str:
    entries = results.entries
    conditions = entries[0].conditions
    days = sorted(entry.origin.time.split()[0] for entry in entries)
    versions = [
        f"{name} {_distinct(entry.version for entry in entries if entry.library == name)}"
        for name in libraries.names()
        if any(entry.library == name for entry in entries)
    ]
    lines = [
        f"Machine: {conditions.machine}",
        f"Software: {_distinct(entry.origin.software for entry in entries)}",
        f"Libraries: {', '.join(versions)}",
        f"Terms: tol {conditions.tol:g}, cache {conditions.cache_mb:g} MB, {conditions.threads} threads",
        f"Measured: {' to '.join(dict.fromkeys([days[0], days[-1]]))}",
        f"Mercer at: {_distinct(entry.origin.commit for entry in entries)}",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _fits(results: Results, problems: list[Facts]) -> str:
    figures: list[Callable[[str], float | None]] = [results.cold_over_warm, results.fit_over_limit]
    rows = [
        [
            *(_name(facts), f"{facts.rows:,} × {facts.features:,}", str(facts.classes or NONE)),
            *(number(facts.parameters.get(key, NONE)) for key in ("C", "nu", "gamma")),
            _vectors(results.entry(facts.name, "mercer")),
            *_times_and_ratios(results, facts, fit),
            *(times(figure(facts.name)) for figure in figures),
        ]
        for facts in problems
    ]
    medians = [_median(by_name(standard(problems), figure).values()) for figure in figures]
    rows.append(["**geometric mean**", *[""] * 8, *_means(results, problems, fit), "", ""])
    rows.append(["**median**", *[""] * (8 + len(PEERS)), *medians])
    head = ["problem", "rows × features", "classes", "C", "ν", "gamma", "support vectors", "mercer", "mercer32"]
    return table([*head, *PEERS, "cold ÷ warm", "fit ÷ limit"], rows)


def _predictions(results: Results, problems: list[Facts]) -> str:
    rows = [
        [
            *(_name(facts), f"{facts.test_rows:,}", _vectors(results.entry(facts.name, "mercer"))),
            *_times_and_ratios(results, facts, predict),
        ]
        for facts in problems
    ]
    rows.append(["**geometric mean**", *[""] * 4, *_means(results, problems, predict)])
    return table(["problem", "test rows", "support vectors", "mercer", "mercer32", *PEERS], rows)


def _violations(results: Results, problems: list[Facts]) -> str:
    names = libraries.names()
    rows = [[_name(facts), *(_violation(results.entry(facts.name, name)) for name in names)] for facts in problems]
    return table(["problem", *names], rows)


def _times_and_ratios(results: Results, facts: Facts, measure: Measure) -> list[str]:
    ours = [results.entry(facts.name, name) for name in ("mercer", "mercer32")]
    return [*(_time(entry, measure) for entry in ours), *(_ratio(results, facts, peer, measure) for peer in PEERS)]


def _ratio(results: Results, facts: Facts, peer: str, measure: Measure) -> str:
    ratio = results.ratio(facts.name, peer, measure)
    if ratio is None:
        return NONE
    marks = _dagger(results.entry(facts.name, peer)) + "‡" * ratio.is_split
    return f"{'> ' * ratio.is_bound}{times(ratio.value)}{marks}"


def _means(results: Results, problems: list[Facts], measure: Measure) -> list[str]:
    means = (results.mean(problems, peer, measure) for peer in PEERS)
    return [NONE if m is None else f"**{'> ' * m.is_bound}{times(m.value)}** ({m.count})" for m in means]


def _growth(results: Results, series: str) -> str:
    sizes = [facts for facts in results.problems if facts.series == series]
    entries = [entry for facts in sizes for entry in results.entries if entry.problem.name == facts.name]
    rows = [
        [
            *(f"{entry.problem.rows:,}", entry.library, _vectors(entry), _time(entry, fit)),
            _ratio(results, entry.problem, entry.library, fit) if entry.library in PEERS else "",
            *(_megabytes(entry), _violation(entry)),
        ]
        for entry in entries
    ]
    columns = ["rows", "library", "support vectors", "fit", "÷ Mercer", "peak memory above the data", "violation"]
    told = f"{sizes[0].features} features, {_parameters(sizes[0])}, cache {sizes[0].cache_mb:g} MB."
    ours = [entry for entry in entries if entry.library == "mercer" and entry.fits]
    if len(ours) > 1:
        first, last = ours[0].problem.rows, ours[-1].problem.rows
        slope = math.log(warm(ours[-1].fits) / warm(ours[0].fits)) / math.log(last / first)
        told += f" From {first:,} to {last:,} rows Mercer's time grows with their power {slope:.2f}."
    return f"### {series}\n\n{told}\n\n" + table(columns, rows)


def _details(results: Results, facts: Facts) -> str:
    entries = [entry for entry in results.entries if entry.problem.name == facts.name]
    classes = f", {facts.classes} classes" if facts.classes else ""
    told = (
        f"{facts.rows:,} × {facts.features:,} {facts.storage}, {facts.test_rows:,} test rows{classes}; "
        f"{_parameters(facts)}; features {facts.scaling}."
    )
    columns = [
        *("library", "fits", "warm", "cold", "predict", "peak memory above the data", "dual objective"),
        *("violation", "support vectors", "test score", "measured", "Mercer at"),
    ]
    text = f"### {facts.name}\n\n{told}\n\n" + table(columns, [_detail(entry) for entry in entries])
    remarks = [f"- {entry.library}: {remark}" for entry in entries for remark in entry.remarks]
    return "\n\n".join([text, "\n".join(remarks)] if remarks else [text])


def _detail(entry: Entry) -> list[str]:
    return [
        *(entry.library, str(len(entry.fits)), _time(entry, fit)),
        *(seconds(entry.fits[0] if entry.fits else None), _time(entry, predict), _megabytes(entry)),
        NONE if entry.verdict is None else f"{entry.verdict.objective:.9g}",
        *(_violation(entry), _vectors(entry)),
        NONE if entry.accuracy is None else f"{entry.accuracy:.4f}",
        *(entry.origin.time, entry.origin.commit),
    ]


def _name(facts: Facts) -> str:
    return facts.name if facts.group in ("standard", "others") else f"*{facts.name}*"


def _parameters(facts: Facts) -> str:
    return ", ".join(f"{key}={number(value)}" for key, value in facts.parameters.items())


def _time(entry: Entry | None, measure: Measure) -> str:
    timing = None if entry is None else measure(entry)
    return NONE if timing is None else f"{'> ' * timing.is_bound}{seconds(timing.seconds)}"


def _vectors(entry: Entry | None) -> str:
    return NONE if entry is None or entry.verdict is None else f"{entry.verdict.vectors:,}"


def _violation(entry: Entry | None) -> str:
    return NONE if entry is None or entry.verdict is None else f"{entry.verdict.violation:.1e}{_dagger(entry)}"


def _megabytes(entry: Entry) -> str:
    return NONE if entry.peak_mb is None else f"{entry.peak_mb:.0f} MB"


def _dagger(entry: Entry | None) -> str:
    left_much = entry is not None and entry.verdict is not None and entry.verdict.violation > 2 * entry.conditions.tol
    return "†" * left_much


def _median(values: Iterable[float]) -> str:
    found = list(values)
    return f"**{times(median(found))}** ({len(found)})" if found else NONE


def _distinct(texts: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(texts))
