"""The findings of a run, and the record that the model carries."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from mercer.tabular import TableModel
from mercer.training.baselines import verdict_of
from mercer.training.checks_of_data import checks_of_data
from mercer.training.checks_of_machine import checks_of_machine
from mercer.training.columns import describe_columns
from mercer.training.findings import DataFound, Findings
from mercer.training.next_steps import next_steps
from mercer.training.notable import influential_rows, mistaken_rows
from mercer.training.outcome import Outcome
from mercer.training.pace import Pace
from mercer.training.training_rows import plain_training_rows

__all__ = ["gather"]


def gather(outcome: Outcome, model: TableModel, pace: Pace) -> tuple[TableModel, Findings]:
    """The model with its record, and all that is to be told."""
    data, fit, options = outcome.data, outcome.fit, outcome.options
    checks = [*checks_of_data(outcome), *checks_of_machine(outcome)]
    created = datetime.now(UTC).isoformat(timespec="seconds")
    pace.tell("gather", 0.5, "rows worth a look")
    findings = Findings(
        mercer=_version(),
        created=created,
        seed=options.seed,
        seconds=pace.seconds,
        task=data.target.task,
        reason=data.target.reason,
        target=data.target.name,
        classes=_counts(outcome),
        data=_data_found(outcome),
        choice=fit.choice.found,
        machine=fit.found,
        evaluation=replace(outcome.judged.found, seen_rows=outcome.seen),
        baselines=[rival.found for rival in outcome.rivals],
        verdict=_verdict(outcome),
        importance=outcome.importance,
        influential=influential_rows(data, fit),
        mistakes=mistaken_rows(data, outcome.judged),
        checks=checks,
        next_steps=next_steps(outcome, checks),
    )
    pace.tell("gather", 1.0, "done")
    findings = replace(findings, seconds=pace.seconds)
    return replace(model, record=_record(outcome, findings)), findings


def _verdict(outcome: Outcome) -> str:
    words = verdict_of(outcome.rivals, outcome.fit)
    if outcome.is_mostly_unseen:
        return words
    share = 100 * outcome.seen / len(outcome.data.test)
    return f"The score is not one of unseen rows: {share:.3g} % of the test rows are training rows. {words}"


def _record(outcome: Outcome, findings: Findings) -> dict[str, Any]:
    """Where the model comes from, as JSON holds it."""
    score = findings.evaluation.metrics[0]
    return {
        "estimator": findings.machine.estimator,
        "params": findings.machine.params,
        "seed": findings.seed,
        "score": {
            "name": score.key,
            "value": score.value,
            "error": score.error,
            "rows": findings.evaluation.rows,
            "seen": findings.evaluation.seen_rows,
        },
        "certificate": {**findings.machine.certificate, "holds": findings.machine.holds, "tol": findings.machine.tol},
        "created": findings.created,
        "mercer": findings.mercer,
        "rows": findings.data.train_rows,
        "target": findings.target,
        "task": findings.task,
        "source": findings.data.source,
        "reading": _reading(outcome),
        "confidence": outcome.options.confidence if outcome.options.sets else None,
        "training_rows": plain_training_rows(outcome),
    }


def _reading(outcome: Outcome) -> dict[str, Any]:
    """What new tables must be read by as well, since a few rows of them may not tell."""
    reading = outcome.table.reading
    return {"day_first": dict(reading.date_orders), "nulls": list(reading.nulls_given)}


def _counts(outcome: Outcome) -> dict[str, int]:
    target = outcome.data.target
    if not target.is_classification:
        return {}
    counts = np.bincount(target.y, minlength=len(target.classes))
    return dict(zip(target.classes, counts.tolist(), strict=True))


def _data_found(outcome: Outcome) -> DataFound:
    data, reading = outcome.data, outcome.table.reading
    leaks = [leak.column for leak in outcome.dropped_leaks]
    return DataFound(
        source=reading.source,
        format=reading.format,
        told=list(reading.told),
        rows=outcome.table.n_rows,
        dropped=data.target.dropped,
        train_rows=len(data.train),
        test_rows=len(data.test),
        split=data.parts.words,
        n_features=data.encoding.n_features,
        columns=describe_columns(outcome.table, data, outcome.options, leaks),
        apart_rows=0 if data.parts.apart is None else len(data.parts.apart),
    )


def _version() -> str:
    try:
        return version("mercer")
    except PackageNotFoundError:
        return "unknown"
