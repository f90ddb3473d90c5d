"""The report in Markdown: head, ratios with their geometric means, and the details of every problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.race import Entry, Outcome, Terms

NONE = "—"
Measure = Callable[[Entry], float | None]


@dataclass(frozen=True)
class Race:
    """Everything a report tells."""

    machine: list[str]
    terms: Terms
    versions: dict[str, str]
    missing: dict[str, str]
    outcomes: list[Outcome]


def render(race: Race) -> str:
    """The whole report."""
    parts = [_head(race)]
    if race.terms.reference in race.versions and len(race.versions) > 1:
        parts.append(_ratios(race))
        parts.append(_means(race))
    parts.append("## Details")
    parts.extend(_details(outcome, race.terms) for outcome in race.outcomes)
    return "\n\n".join(parts) + "\n"


def _head(race: Race) -> str:
    terms = race.terms
    lines = [f"- {line}" for line in race.machine]
    lines.append("- Libraries: " + ", ".join(f"{name} {version}" for name, version in race.versions.items()))
    lines.extend(f"- Skipped: {name} ({reason})" for name, reason in race.missing.items())
    lines.append(
        f"- Terms: tol {terms.tol:g}, cache {terms.cache_mb:g} MB, {terms.threads} thread(s), "
        f"{terms.repeat} interleaved repetition(s) (the first one cold), limit {terms.limit:g} s a fit"
    )
    return "# Benchmark\n\n" + "\n".join(lines)


def _ratios(race: Race) -> str:
    terms = race.terms
    peers = [name for name in race.versions if name != terms.reference]
    rows = []
    for outcome in race.outcomes:
        cells = [outcome.problem.name, _seconds(_entry_value(outcome, terms.reference, _warm))]
        for name in peers:
            entry = _entry(outcome, name)
            cells.append(NONE if entry is None else _ratio_cell(outcome, entry, terms) + _dagger(entry, terms))
        rows.append(cells)
    means = [_times(geometric_mean(_all_ratios(race, name, terms.reference, _warm))) for name in peers]
    rows.append(["**geometric mean**", "", *(f"**{mean}**" for mean in means)])
    text = (
        f"## Time of a warm fit divided by {terms.reference}'s\n\n"
        f"Above 1: {terms.reference} is faster. †: the judge found more than twice `tol` left, "
        "so less work was done.\n\n"
    )
    return text + table(["problem", f"{terms.reference} (s)", *peers], rows)


def _means(race: Race) -> str:
    columns: list[tuple[str, str, Measure]] = []
    for base in dict.fromkeys([race.terms.reference, "mercer32"]):
        if base in race.versions:
            columns += [
                (f"warm fit / {base}", base, _warm),
                (f"cold fit / {base}", base, _cold),
                (f"predict / {base}", base, _prediction),
            ]
    rows = []
    for name in race.versions:
        cells = [name]
        for _, base, measure in columns:
            ratios = _all_ratios(race, name, base, measure)
            cells.append(f"{_times(geometric_mean(ratios))} ({len(ratios)})" if name != base else "1")
        over = sum(entry.over_limit for o in race.outcomes for entry in o.entries if entry.library == name)
        rows.append([*cells, str(over)])
    text = (
        "## Geometric means of the ratios\n\nIn brackets the number of problems; those over the limit are left out.\n\n"
    )
    return text + table(["library", *(title for title, _, _ in columns), "over the limit"], rows)


def _details(outcome: Outcome, terms: Terms) -> str:
    problem = outcome.problem
    told = ", ".join(f"{key}={_number(value)}" for key, value in outcome.parameters.items())
    head = f"### {problem.name}\n\n{outcome.description}; {told}; features {problem.scaling}."
    ratio_title = f"÷ {terms.reference}"
    columns = [
        *("library", "fit warm (s)", "fit cold (s)", ratio_title, "predict (s)", ratio_title),
        *("peak memory (MB)", "dual objective", "KKT violation"),
        *("support vectors", "test accuracy", "fit ÷ evaluation"),
    ]
    text = head + "\n\n" + table(columns, [_detail_row(outcome, entry, terms) for entry in outcome.entries])
    remarks = [f"- {entry.library}: {remark}" for entry in outcome.entries for remark in entry.remarks]
    if remarks:
        text += "\n\n" + "\n".join(remarks)
    return text


def _detail_row(outcome: Outcome, entry: Entry, terms: Terms) -> list[str]:
    verdict = entry.verdict
    judged = [NONE] * 3
    if verdict is not None:
        violation = f"{verdict.violation:.1e}{_dagger(entry, terms)}"
        judged = [f"{verdict.objective:.9g}", violation, f"{verdict.vectors:,}"]
    distance = None
    if entry.warm is not None and entry.evaluation:
        distance = entry.warm / entry.evaluation
    return [
        entry.library,
        f"> {terms.limit:g}" if entry.over_limit else _seconds(entry.warm),
        _seconds(entry.cold),
        _ratio_cell(outcome, entry, terms),
        _seconds(entry.prediction),
        _times(ratio(outcome, entry.library, terms.reference, _prediction)),
        NONE if entry.peak_mb is None else f"{entry.peak_mb:.0f}",
        *judged,
        NONE if entry.accuracy is None else f"{entry.accuracy:.4f}",
        _times(distance),
    ]


def _ratio_cell(outcome: Outcome, entry: Entry, terms: Terms) -> str:
    if entry.over_limit:
        base = _entry_value(outcome, terms.reference, _warm)
        return "over limit" if base is None else f"> {_times(terms.limit / base)}"
    return _times(ratio(outcome, entry.library, terms.reference, _warm))


def _dagger(entry: Entry, terms: Terms) -> str:
    return "†" if entry.verdict is not None and entry.verdict.violation > 2 * terms.tol else ""


def ratio(outcome: Outcome, library: str, base: str, measure: Measure) -> float | None:
    """A library's measure divided by that of ``base``, if both have one."""
    top, bottom = _entry_value(outcome, library, measure), _entry_value(outcome, base, measure)
    return None if top is None or not bottom else top / bottom


def geometric_mean(values: Sequence[float]) -> float | None:
    """Geometric mean, None of nothing."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, first column to the left, the others to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _all_ratios(race: Race, library: str, base: str, measure: Measure) -> list[float]:
    ratios = (ratio(outcome, library, base, measure) for outcome in race.outcomes)
    return [value for value in ratios if value is not None]


def _entry(outcome: Outcome, library: str) -> Entry | None:
    return next((entry for entry in outcome.entries if entry.library == library), None)


def _entry_value(outcome: Outcome, library: str, measure: Measure) -> float | None:
    entry = _entry(outcome, library)
    return None if entry is None else measure(entry)


def _warm(entry: Entry) -> float | None:
    return entry.warm


def _cold(entry: Entry) -> float | None:
    return entry.cold


def _prediction(entry: Entry) -> float | None:
    return entry.prediction


def _seconds(value: float | None) -> str:
    return NONE if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _times(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _number(value: float | int | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
