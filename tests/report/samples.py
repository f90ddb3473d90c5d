"""Findings as training runs make them: two classes, five classes, a number, and all that is hard to show."""

from dataclasses import replace

import numpy as np

from mercer.training.findings import (
    Baseline,
    CalibrationCurve,
    Check,
    ChoiceFound,
    ColumnFound,
    Confusion,
    Curve,
    DataFound,
    Evaluation,
    Findings,
    Importance,
    MachineFound,
    Metric,
    Residuals,
    RowFound,
)

NASTY = [
    "<script>alert(1)</script>",
    '"quotes" & \'apostrophes\' onload="x"',
    "اسم العمود",
    "prix | coût * _net_ `code` [link](x)",
    "👩‍👩‍👧 emoji",
    "line\nbreak\x00null\u202eturned\udc80half",
    "</style></title><img src=x onerror=alert(1)>",
]


def two_classes():
    """Something like a census: mixed columns, missing values, warnings."""
    random = np.random.default_rng(0)
    columns = [
        ColumnFound("income", "category", "target", 12, 2, 0, "<=50K 76 %, >50K 24 %", holds_values=True),
        ColumnFound("age", "number", "feature", 0, 72, 1, "17 to 90, median 37"),
        ColumnFound(
            "workclass", "category", "feature", 278, 8, 7, "Private 74 %, Self-emp-not-inc 8 %", holds_values=True
        ),
        ColumnFound(
            "education", "category", "feature", 0, 16, 16, "HS-grad 32 %, Some-college 22 %", holds_values=True
        ),
        ColumnFound("capital_gain", "number", "feature", 0, 97, 1, "0 to 99,999, median 0", "most values are 0"),
        ColumnFound("hours_per_week", "number", "feature", 0, 81, 1, "1 to 99, median 40"),
        ColumnFound("married", "boolean", "feature", 3, 2, 2, "yes 46 %, no 54 %", holds_values=True),
        ColumnFound("since", "date", "feature", 41, 1_204, 5, "2001-03-04 to 2023-11-30"),
        ColumnFound(
            "person",
            "text",
            "left out",
            0,
            4_884,
            0,
            "p000017, p000391, …",
            "every value is different: it looks like an id",
            holds_values=True,
        ),
    ]
    exponents_C, exponents_gamma = range(-3, 8), range(-9, 1)
    C, gamma = [2.0**k for k in exponents_C], [2.0**k for k in exponents_gamma]
    scores, spreads = _grid(C, gamma, 0.857, (5, 4), random)
    confusion = Confusion(["<=50K", ">50K"], [[863, 61], [118, 179]])
    return Findings(
        mercer="0.20.0",
        created="2026-11-18 14:32",
        seed=0,
        seconds=3.84,
        task="classification",
        reason="the column holds 2 different words",
        target="income",
        classes={"<=50K": 3_703, ">50K": 1_169},
        data=DataFound(
            "census.csv",
            "CSV",
            [
                "The separator is a comma, the first line has the names of the columns.",
                "“?” and empty fields were read as missing.",
            ],
            4_884,
            12,
            3_651,
            1_221,
            "every fourth row, drawn at random with both classes in their shares",
            33,
            columns,
        ),
        choice=ChoiceFound(
            {"C": 4.0, "gamma": 0.03125},
            "accuracy",
            0.8571,
            0.0087,
            5,
            1.92,
            C,
            gamma,
            scores,
            spreads,
            (5, 4),
            "Of 110 cells this one is best on these folds, proven; 9 cannot be told from it.",
            True,
        ),
        machine=_machine("SVC", {"<=50K": 702, ">50K": 641}, 4.0, random),
        evaluation=Evaluation(
            1_221,
            [
                Metric("accuracy", "Accuracy", 0.85340, 0.01012, "Share of rows whose label is right."),
                Metric(
                    "balanced_accuracy",
                    "Balanced accuracy",
                    0.7683,
                    0.0142,
                    "Mean over classes of the share of their rows that are found.",
                ),
                Metric(
                    "log_loss", "Log loss", 0.3217, 0.0164, "Mean of −log of the probability given to the truth.", False
                ),
                Metric(
                    "roc_auc",
                    "ROC area",
                    0.9049,
                    0.0091,
                    "Chance that a row of the class is ranked above one of the others.",
                ),
                Metric("brier", "Brier score", 0.1012, None, "Mean squared error of the probabilities.", False),
            ],
            confusion,
            [_curve(">50K", 0.905)],
            [_falling(">50K", 0.78)],
            [_calibration(">50K", random)],
        ),
        baselines=[
            Baseline("Constant guess", 0.7568, 0.0123, 0.0, "Always the commonest class."),
            Baseline("Linear machine", 0.8428, 0.0104, 0.21, "LinearSVC with its defaults on the same numbers."),
            Baseline(
                "Gradient boosting",
                0.8698,
                0.0096,
                0.84,
                "scikit-learn's histogram gradient boosting with its defaults.",
            ),
        ],
        verdict="The machine is well above the best constant guess and a little above a linear one; gradient boosting "
        "is ahead by more than the spread, so a tree may suit these data better.",
        importance=[
            Importance("capital_gain", 0.0412, 0.0031),
            Importance("married", 0.0371, 0.0042),
            Importance("education", 0.0249, 0.0038),
            Importance("age", 0.0131, 0.0029),
            Importance("hours_per_week", 0.0098, 0.0024),
            Importance("workclass", 0.0021, 0.0019),
            Importance("since", -0.0008, 0.0011),
        ],
        influential=[_row(place, "<=50K", ">50K", 4.0, random) for place in range(8)],
        mistakes=[_row(place, ">50K", "<=50K", 2.9 - place / 7, random) for place in range(8)],
        checks=[
            Check("M101", "fine", "Certificate", "The machine is within the tolerance."),
            Check(
                "M204",
                "warning",
                "A tree is better",
                "Gradient boosting reaches 0.870, 0.016 more than the machine.",
                "Compare on more rows, or use the tree.",
            ),
            Check(
                "M301",
                "note",
                "Imbalance",
                "24 % of rows are of the smaller class.",
                "Look at the balanced accuracy as well.",
            ),
            Check("M110", "fine", "Choice inside the grid", "The choice is not on the edge of the grid."),
            Check(
                "M402",
                "warning",
                "Possible leak",
                "The column capital_gain alone reaches 0.80.",
                "If it is not known when predicting, run again with --drop-leaks.",
            ),
        ],
        next_steps=["Look at the rows that it gets most wrong.", "Try the same with --drop-leaks."],
    )


def five_classes():
    """A problem of five classes, with curves of each."""
    random = np.random.default_rng(1)
    names = ["setosa", "versicolor", "virginica", "ambiguous, to be looked at again", "other"]
    base = two_classes()
    counts = (90 * np.eye(5) + random.integers(0, 9, (5, 5))).astype(int).tolist()
    return _of_classes(base, names, counts, random)


def of_classes(n):
    """As many classes as asked for."""
    random = np.random.default_rng(n)
    counts = (120 * np.eye(n) + random.integers(0, 4, (n, n))).astype(int).tolist()
    return _of_classes(two_classes(), [f"class {chr(65 + k % 26)}{k // 26 or ''}" for k in range(n)], counts, random)


def regression():
    """Bikes an hour."""
    random = np.random.default_rng(2)
    base = two_classes()
    truth = np.abs(random.gamma(1.3, 140, 400))
    predicted = truth + random.normal(0, 18 + 0.12 * truth)
    return replace(
        base,
        task="regression",
        reason="the column holds numbers, 869 different ones",
        target="count",
        classes={},
        data=replace(
            base.data,
            source="bike-sharing-hour.csv",
            columns=[
                ColumnFound("count", "number", "target", 0, 869, 0, "1 to 977, median 142"),
                *base.data.columns[1:],
            ],
        ),
        choice=replace(base.choice, params={"C": 4.0, "gamma": 0.03125, "epsilon": 0.05}, score_name="R²"),
        machine=replace(base.machine, estimator="SVR", n_support_by_class={}),
        evaluation=Evaluation(
            1_221,
            [
                Metric(
                    "rmse", "Root mean squared error", 42.318, 1.274, "Square root of the mean squared residual.", False
                ),
                Metric("mae", "Mean absolute error", 26.91, 0.83, "Mean size of the residuals.", False),
                Metric("r2", "R²", 0.9447, 0.0041, "Share of the target's variance that the predictions explain."),
            ],
            residuals=Residuals(
                predicted.tolist(),
                truth.tolist(),
                {"5 %": -61.2, "25 %": -14.8, "50 %": 0.4, "75 %": 17.9, "95 %": 70.3},
            ),
        ),
        baselines=[
            Baseline("Constant guess", 181.9, 3.2, 0.0, "Always the mean."),
            Baseline("Linear machine", 139.4, 2.9, 0.3, "LinearSVR with its defaults."),
            Baseline(
                "Gradient boosting", 45.1, 1.4, 0.9, "scikit-learn's histogram gradient boosting with its defaults."
            ),
        ],
        verdict="The machine explains 94 % of the variance; a linear machine is far behind, gradient "
        "boosting cannot be told from it.",
        influential=[_row(place, str(200 + place), "143.2", 4.0, random) for place in range(5)],
        mistakes=[_row(place, str(900 - place), "512.7", 387.3 - 9 * place, random) for place in range(5)],
    )


def hard_to_show():
    """200 columns with names of every kind, 26 classes, curves of ten of them, values of 10,000 characters."""
    random = np.random.default_rng(3)
    base = of_classes(26)
    names = [f"{NASTY[k % len(NASTY)]} {k}" + "very long name " * (k % 9) for k in range(200)]
    long = "\"<&'>" * 2_000
    columns = [
        ColumnFound(name, "category", "feature", k, 40, 40, f"{long[:300]} 10 %", long, holds_values=True)
        for k, name in enumerate(names)
    ]
    labels = [NASTY[k % len(NASTY)] + f" {k}" for k in range(26)]
    # A few of 10,000 characters among the first columns, which are those that a page shows.
    values = {name: long if k < 4 else long[:120] for k, name in enumerate(names)}
    rows = [RowFound(k, labels[k % 26], labels[3], 1e-9 * k, long, values) for k in range(30)]
    points = np.linspace(0, 1, 4_000)
    curves = [
        Curve(label, points.tolist(), (points ** (0.1 + k / 30)).tolist(), 0.9 - k / 100)
        for k, label in enumerate(labels[:10])
    ]
    return replace(
        base,
        target=NASTY[0],
        reason=NASTY[6],
        classes={label: 100 + k for k, label in enumerate(labels)},
        data=replace(base.data, source=NASTY[1], told=NASTY * 30, columns=columns),
        machine=replace(
            base.machine,
            n_support_by_class={label: k for k, label in enumerate(labels)},
            certificate_text=long,
            convergence=[(k / 1e3, float(random.lognormal())) for k in range(8_000)],
        ),
        evaluation=replace(
            base.evaluation,
            confusion=replace(base.evaluation.confusion, labels=labels),
            roc=curves,
            precision_recall=curves,
        ),
        importance=[Importance(name, 9.0 - k / 25, 0.1) for k, name in enumerate(names)],
        influential=rows,
        mistakes=rows,
        checks=[Check(f"M{k}", "warning", NASTY[k % 7], long, NASTY[0]) for k in range(200)],
        verdict=long,
        next_steps=[long] * 50,
    )


def _of_classes(base, names, counts, random):
    n = len(names)
    sizes = {name: 4 * sum(row) for name, row in zip(names, counts, strict=True)}
    areas = np.sort(random.uniform(0.85, 0.995, n))[::-1]
    return replace(
        base,
        reason=f"the column holds {n} different words",
        target="kind",
        classes=sizes,
        data=replace(
            base.data,
            columns=[
                ColumnFound(
                    "kind", "category", "target", 0, n, 0, f"{names[0]} 21 %, {names[1]} 20 %, …", holds_values=True
                ),
                *base.data.columns[1:],
            ],
        ),
        machine=replace(base.machine, n_support_by_class={name: int(random.integers(20, 200)) for name in names}),
        evaluation=replace(
            base.evaluation,
            confusion=Confusion(names, counts),
            roc=[_curve(name, area) for name, area in zip(names, areas, strict=True)],
            precision_recall=[_falling(name, area - 0.05) for name, area in zip(names, areas, strict=True)],
            calibration=[_calibration(name, random) for name in names],
        ),
    )


def _machine(estimator, support, C, random):
    seconds = np.cumsum(random.gamma(2, 0.004, 60))
    violation = 2.0 * np.exp(-np.linspace(0, 7.7, 60)) * random.lognormal(0, 0.15, 60)
    return MachineFound(
        estimator,
        "an RBF kernel",
        {"C": C, "gamma": 0.03125, "tol": 0.001},
        "Kernel values are computed as they are needed; nothing is stored.",
        "solved",
        0.31,
        sum(support.values()),
        support,
        {
            "primal": 4731.2284,
            "dual": 4731.0192,
            "gap": 0.2092,
            "relative_gap": 4.42e-5,
            "violation": 9.1e-4,
            "counts": {"free": 412, "bounded": 931},
        },
        "The objective is 4731.23 and no machine of this kind has less than 4731.02: the fit is within "
        "0.0044 % of the best.",
        True,
        1e-3,
        list(zip(seconds.tolist(), violation.tolist(), strict=True)),
    )


def _grid(C, gamma, best, place, random):
    i, j = np.mgrid[: len(C), : len(gamma)]
    scores = (
        best
        - 0.004 * ((i - place[0]) * 0.6 + (j - place[1])) ** 2
        - 0.0008 * (i - place[0]) ** 2
        - 0.001 * random.random(i.shape)
    )
    scores = np.maximum(scores, 0.757)
    scores[place] = best
    spreads = np.full(scores.shape, 0.0087)
    rows, wide = scores.tolist(), spreads.tolist()
    rows[-1][-1] = wide[-1][-1] = None
    return rows, wide


def _curve(label, area):
    x = np.linspace(0, 1, 150)
    return Curve(label, x.tolist(), (x ** ((1 - area) / area)).tolist(), float(area))


def _falling(label, area):
    x = np.linspace(0, 1, 150)
    return Curve(label, x.tolist(), (1 - 0.8 * x ** (area / (1 - area))).tolist(), float(area))


def _calibration(label, random):
    predicted = np.linspace(0.05, 0.95, 10)
    observed = np.clip(predicted + random.normal(0, 0.04, 10), 0, 1)
    return CalibrationCurve(label, predicted.tolist(), observed.tolist(), [400, 160, 90, 70, 60, 60, 70, 80, 100, 131])


def _row(place, truth, predicted, figure, random):
    values = {
        "age": str(random.integers(17, 90)),
        "workclass": ["Private", "Self-emp-not-inc", "State-gov"][place % 3],
        "education": ["HS-grad", "Bachelors", "Masters", "11th"][place % 4],
        "capital_gain": str(random.choice([0, 0, 7_688, 15_024])),
        "hours_per_week": str(random.integers(10, 80)),
        "married": ["yes", "no"][place % 2],
        "since": f"20{10 + place}-03-04",
        "person": f"p{random.integers(10_000):06d}",
    }
    return RowFound(
        int(random.integers(1, 4_884)),
        truth,
        predicted,
        float(figure),
        "Its coefficient is as large as C lets it be.",
        values,
    )
