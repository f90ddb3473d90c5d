"""What a training run found, as plain values: what the terminal shows, reports draw, and scripts read as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = [
    "Baseline",
    "CalibrationCurve",
    "Check",
    "ChoiceFound",
    "ColumnFound",
    "Confusion",
    "Curve",
    "DataFound",
    "Evaluation",
    "Findings",
    "Importance",
    "MachineFound",
    "Metric",
    "Residuals",
    "RowFound",
]


@dataclass(frozen=True)
class ColumnFound:
    """A column as it was understood.

    Attributes
    ----------
    kind : str
        "number", "boolean", "category", "date" or "text".
    role : str
        "feature", "target" or "left out".
    missing, distinct, features : int
        Rows without a value, different values, and how many numbers the encoder makes of it.
    summary : str
        The range of numbers, or the commonest values with their shares.
    note : str
        Why it was left out, or what to know about it; empty where there is nothing.
    holds_values : bool
        Whether the summary quotes values of rows, which a report without rows leaves out.
    """

    name: str
    kind: str
    role: str
    missing: int
    distinct: int
    features: int
    summary: str
    note: str = ""
    holds_values: bool = False


@dataclass(frozen=True)
class DataFound:
    """The table: how it was read, and what became of its rows and columns.

    Attributes
    ----------
    told : list of str
        Sentences on what was detected: separator, header, words for missing values.
    split : str
        How the test rows were chosen.
    dropped : int
        Rows without a target.
    apart_rows : int
        Rows that sets and intervals are learnt from, and nothing else.
    """

    source: str
    format: str
    told: list[str]
    rows: int
    dropped: int
    train_rows: int
    test_rows: int
    split: str
    n_features: int
    columns: list[ColumnFound]
    apart_rows: int = 0


@dataclass(frozen=True)
class ChoiceFound:
    """The search for parameters.

    Attributes
    ----------
    params : dict
        The chosen values.
    C, gamma : list of float
        The values that were looked at; `scores[i][j]` and `spreads[i][j]` are the mean and the standard deviation over
        folds of the i-th C and the j-th gamma, None where a cell was not finished.
    chosen : (int, int)
        The place of the choice among them.
    certificate : str
        What is proven of the choice.
    draws : int
        How often the rows were parted into folds.
    """

    params: dict[str, Any]
    score_name: str
    score: float
    spread: float
    folds: int
    seconds: float
    C: list[float]
    gamma: list[float]
    scores: list[list[float | None]]
    spreads: list[list[float | None]]
    chosen: tuple[int, int]
    certificate: str
    is_proven: bool
    draws: int = 1


@dataclass(frozen=True)
class MachineFound:
    """The machine that was fitted to all training rows, and its proof.

    Attributes
    ----------
    certificate : dict
        Its numbers: primal, dual, gap, relative_gap, violation, counts.
    certificate_text : str
        The same in words.
    holds : bool
        Whether the certificate is within the tolerance.
    convergence : list of (float, float)
        Seconds since the start of the fit, and the violation then.
    """

    estimator: str
    kernel: str
    params: dict[str, Any]
    plan: str
    status: str
    seconds: float
    n_support: int
    n_support_by_class: dict[str, int]
    certificate: dict[str, Any]
    certificate_text: str
    holds: bool
    tol: float
    convergence: list[tuple[float, float]]


@dataclass(frozen=True)
class Metric:
    """A figure of the evaluation with its standard error, and what it means."""

    key: str
    name: str
    value: float
    error: float | None
    definition: str
    larger_is_better: bool = True


@dataclass(frozen=True)
class Confusion:
    """How many test rows of each class (first index) were given each label (second)."""

    labels: list[str]
    counts: list[list[int]]


@dataclass(frozen=True)
class Curve:
    """Points of a curve of one class against the rest, and the area below it."""

    label: str
    x: list[float]
    y: list[float]
    area: float


@dataclass(frozen=True)
class CalibrationCurve:
    """Mean predicted probability and observed share of some bins, with the rows in each."""

    label: str
    predicted: list[float]
    observed: list[float]
    counts: list[int]


@dataclass(frozen=True)
class Residuals:
    """Predicted and true targets of at most some hundred test rows, and quantiles of truth − prediction of all."""

    predicted: list[float]
    truth: list[float]
    quantiles: dict[str, float]


@dataclass(frozen=True)
class Evaluation:
    """How the machine does on rows that were held out. The first metric is the one that counts.

    Attributes
    ----------
    seen_rows : int
        Of these rows the ones that are training rows too, in all columns and the target.
    """

    rows: int
    metrics: list[Metric]
    confusion: Confusion | None = None
    roc: list[Curve] = field(default_factory=list)
    precision_recall: list[Curve] = field(default_factory=list)
    calibration: list[CalibrationCurve] = field(default_factory=list)
    residuals: Residuals | None = None
    seen_rows: int = 0


@dataclass(frozen=True)
class Baseline:
    """What something else reaches on the same rows by the metric that counts."""

    name: str
    value: float
    error: float | None
    seconds: float
    words: str


@dataclass(frozen=True)
class Importance:
    """How much worse the metric that counts becomes where a column is shuffled."""

    column: str
    loss: float
    error: float


@dataclass(frozen=True)
class RowFound:
    """A row worth a look.

    Attributes
    ----------
    row : int
        Its number in the file, the first row of data being 1.
    truth, predicted : str
        Its target, and what the machine says; of training rows without themselves where that is known.
    figure : float
        Its coefficient, or how wrong the machine is on it.
    words : str
        What that means.
    values : dict
        Its values by column, as the file has them.
    """

    row: int
    truth: str
    predicted: str
    figure: float
    words: str
    values: dict[str, str]


@dataclass(frozen=True)
class Check:
    """Something that was looked at.

    Attributes
    ----------
    code : str
        Such as "M101": its letters and number stay the same between versions.
    level : str
        "fine", "note" or "warning".
    words, todo : str
        What was found, and what to do about it; the latter is empty where nothing is to be done.
    """

    code: str
    level: str
    title: str
    words: str
    todo: str = ""


@dataclass(frozen=True)
class Findings:
    """All of it. `task` is "classification" or "regression", `reason` says why."""

    mercer: str
    created: str
    seed: int
    seconds: float
    task: str
    reason: str
    target: str
    classes: dict[str, int]
    data: DataFound
    choice: ChoiceFound
    machine: MachineFound
    evaluation: Evaluation
    baselines: list[Baseline]
    verdict: str
    importance: list[Importance]
    influential: list[RowFound]
    mistakes: list[RowFound]
    checks: list[Check]
    next_steps: list[str]

    def plain(self) -> dict[str, Any]:
        """As JSON knows it."""
        return asdict(self)
