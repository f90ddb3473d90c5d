"""The machine: its parameters, its support vectors, its certificate in words, and how the fit came to its end."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mercer.report.blocks import (
    Beside,
    Block,
    Drawing,
    Figure,
    Folded,
    Head,
    Mono,
    Paragraph,
    Quoted,
    Section,
    Strong,
    Subtitle,
    Table,
    Terms,
    Verdict,
    Words,
)
from mercer.report.charts import Axis, Line, bar, line_chart
from mercer.report.digits import count, duration, number, parameter, share
from mercer.report.limits import Limits
from mercer.report.sections.prose import capitalised, sentence, with_short_numbers

if TYPE_CHECKING:
    from mercer.training.findings import Findings, MachineFound

__all__ = ["section"]

_MEANINGS = {
    "primal": "objective of the machine as it stands: the margin's price plus that of the errors",
    "dual": "a bound from below: no machine of this kind has a smaller objective",
    "gap": "primal − dual: by how much at most the objective could still become smaller",
    "relative_gap": "the gap as a share of the objective",
    "violation": "how far the worst pair of rows is from the conditions of an optimum; what the tolerance bounds",
    "accuracy": "how far rounding can have moved these numbers",
    "margin": "distance from the boundary to the margin on either side",
    "counts: free": "support vectors exactly on the margin",
    "counts: bounded": "support vectors inside the margin or on the wrong side, at their largest weight",
}

# Both objectives are alike in their first digits: their difference is what counts.
_DIGITS = {"primal": 8, "dual": 8}
_HEADS = (Head("Name"), Head("Value", "number"))
_GAP = (
    "Training is a minimisation that has a mirror image, a maximisation of which every value lies below every value of "
    "the former. The gap is the distance between both. Where it is zero, the machine is the best of its kind; where it "
    "is small, no other machine of this kind is better by more than that."
)
_VIOLATION = (
    "At the optimum no two rows could shift weight between them and gain by it. The violation is the most that a pair "
    "could still gain, per unit of weight."
)
_NOT_SAID = (
    "The certificate is about the fit to the training rows. How well the machine does on other rows is what the "
    "evaluation tells."
)


def section(findings: Findings, limits: Limits) -> Section:
    """The machine."""
    machine = findings.machine
    words: Words = (
        Strong(machine.estimator),
        f" with {with_short_numbers(machine.kernel)}, fitted to all {count(findings.data.train_rows)} training rows "
        f"in {duration(machine.seconds)}. {sentence(machine.status)}",
    )
    params = tuple((Mono(name), parameter(value)) for name, value in machine.params.items())
    blocks: list[Block] = [Paragraph(words)]
    if machine.plan:
        blocks.append(Paragraph(machine.plan, "small"))
    if params:
        blocks.append(Table("Parameters", (Head("Parameter"), Head("Value", "number")), params))
    blocks += _support(findings, limits)
    blocks += [Subtitle("Certificate"), *_certificate(machine)]
    blocks.append(Beside((_terms(machine), *_convergence(machine, limits))))
    return Section("machine", "The machine", tuple(blocks))


def _support(findings: Findings, limits: Limits) -> Iterator[Block]:
    machine = findings.machine
    part = share(machine.n_support, findings.data.train_rows)
    yield Subtitle("Support vectors")
    yield Paragraph(
        f"{count(machine.n_support)} of {count(findings.data.train_rows)} training rows ({part}) are support vectors: "
        "the machine is made of these alone, and a prediction compares a row with each of them."
    )
    if machine.n_support_by_class:
        axis = Axis("rows", 0.0, float(max(1, *machine.n_support_by_class.values())))
        shown = sorted(machine.n_support_by_class.items(), key=lambda each: -each[1])[: limits.classes]
        rows = tuple((Quoted(name, is_value=True), Drawing(bar(axis, value)), count(value)) for name, value in shown)
        heads = (Head("Class"), Head("", "drawing"), Head("Support vectors", "number"))
        yield Table("By class", heads, rows, more=len(machine.n_support_by_class) - len(rows))


def _certificate(machine: MachineFound) -> Iterator[Block]:
    badge = "Holds" if machine.holds else "Does not hold"
    yield Verdict("fine" if machine.holds else "warning", badge, sentence(machine.certificate_text))
    numbers = dict(_flat(machine.certificate))
    known = [name for name in _MEANINGS if numbers.get(name) is not None]
    if known:
        rows = tuple((_named(name), _figure(numbers[name], _DIGITS.get(name, 4))) for name in known)
        yield Table("Numbers of the certificate", _HEADS, rows, tuple(sentence(_MEANINGS[name]) for name in known))
    others = tuple((_named(name), _figure(value)) for name, value in numbers.items() if name not in known)
    if others:
        yield Folded("More numbers of the certificate", Table("More numbers of the certificate", _HEADS, others))


def _named(name: str) -> str:
    return capitalised(name.replace("_", " "))


def _terms(machine: MachineFound) -> Terms:
    stop = f" The fit stops where it is within the tolerance, here {number(machine.tol)}."
    return Terms((("Gap", _GAP), ("Violation", _VIOLATION + stop), ("What it does not say", _NOT_SAID)))


def _flat(values: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}: ")
        else:
            yield f"{before}{name}", value


def _figure(value: Any, digits: int = 4) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_figure(each) for each in value[:4]) + (", …" if len(value) > 4 else "")
    return "—" if value is None else number(value, digits) if _is_number(value) else str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _convergence(machine: MachineFound, limits: Limits) -> Iterator[Block]:
    course = [
        (seconds, violation)
        for seconds, violation in machine.convergence
        if _positive(violation) and math.isfinite(seconds)
    ]
    if len(course) < 2:
        yield Paragraph("The fit was over at the first look at its violation: there is no course to draw.", "small")
        return
    seconds, violations = [point[0] for point in course], [point[1] for point in course]
    x = Axis("seconds", 0.0, max(Axis.around("", [0.0, *seconds]).high, 1e-9), n_ticks=5)
    y = Axis.around("violation", [*violations, *([machine.tol] if _positive(machine.tol) else [])], is_log=True)
    label = (
        f"Violation during the fit, on a logarithmic scale: from {number(violations[0], 2)} "
        f"to {number(violations[-1], 2)} within {duration(seconds[-1])}; the tolerance is {number(machine.tol, 2)}."
    )
    level = (machine.tol, "tolerance") if _positive(machine.tol) else None
    chart = line_chart(label, x, y, [Line("violation", seconds, violations)], most_points=limits.points, level=level)
    places = sorted({round(place * (len(course) - 1) / 7) for place in range(8)})
    rows = tuple((number(seconds[place], 3), number(violations[place], 3)) for place in places)
    numbers = Table("Violation during the fit", (Head("Seconds", "number"), Head("Violation", "number")), rows)
    yield Figure("Convergence", chart, "The violation during the fit, on a logarithmic scale.", numbers=numbers)


def _positive(value: float) -> bool:
    return math.isfinite(value) and value > 0
