"""From a table to a model and findings."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mercer.errors import InputError, ParameterError
from mercer.estimators import certify
from mercer.tables import Table
from mercer.training import Trained, TrainingOptions, train
from tests.training.tables import date, number, people, prices, table, text

QUICK = TrainingOptions(quick=True)


def checks_of(trained):
    return {check.code: check for check in trained.findings.checks}


def with_column(made, column):
    return Table((*made.columns, column), made.reading)


@pytest.fixture(scope="module")
def classified():
    return train(people(), "buys")


@pytest.fixture(scope="module")
def regressed():
    return train(prices(), "price")


# ---------------------------------------------------------------- classification


def test_a_mixed_table_becomes_a_certified_model(classified):
    findings = classified.findings
    assert isinstance(classified, Trained)
    assert findings.task == "classification"
    assert findings.classes == {"no": sum_of("no"), "yes": sum_of("yes")}
    assert findings.machine.holds
    assert findings.machine.estimator == "SVC"
    assert findings.evaluation.metrics[0].key == "accuracy"
    assert findings.evaluation.metrics[0].value > 0.75
    assert findings.data.train_rows + findings.data.test_rows == 240


def sum_of(label):
    return int(np.count_nonzero(people()["buys"].texts() == label))


def test_the_model_predicts_what_was_evaluated(classified):
    made, findings = people(), classified.findings
    predictions = classified.model.predict(made)
    numbers = [row.row - 1 for row in findings.mistakes]
    texts = made["buys"].texts()
    assert len(numbers) > 0
    for row, number_ in zip(findings.mistakes, numbers, strict=True):
        assert texts[number_] == row.truth != row.predicted == predictions.labels[number_]
        assert row.values["name"] == f"person {number_}"
    wrong = findings.evaluation.rows - np.trace(findings.evaluation.confusion.counts)
    assert findings.evaluation.metrics[0].value == pytest.approx(1 - wrong / findings.evaluation.rows)


def test_findings_are_plain_and_finite(classified, regressed):
    for trained in (classified, regressed):
        text_ = json.dumps(trained.findings.plain(), allow_nan=False)
        assert json.loads(text_)["target"] == trained.findings.target
        assert json.dumps(trained.model.record, allow_nan=False)


def test_the_kernel_is_better_than_a_line_and_a_guess_where_it_should_be(classified):
    by_name = {one.name: one for one in classified.findings.baselines}
    assert set(by_name) == {"Best constant guess", "Linear machine", "Gradient boosting"}
    reached = classified.findings.evaluation.metrics[0].value
    assert reached > by_name["Linear machine"].value + 0.1
    assert reached > by_name["Best constant guess"].value + 0.2
    assert checks_of(classified)["M505"].level == "fine"


def test_columns_that_make_the_target_count_and_others_do_not(classified):
    losses = {one.column: one.loss for one in classified.findings.importance}
    assert set(losses) == {"age", "income", "town"}
    assert min(losses["age"], losses["town"]) > 0.1
    assert abs(losses["income"]) < 0.1
    order = [one.loss for one in classified.findings.importance]
    assert order == sorted(order, reverse=True)


def test_names_are_left_out_with_a_word(classified):
    name = next(column for column in classified.findings.data.columns if column.name == "name")
    assert name.role == "left out"
    assert "different values" in name.note
    assert checks_of(classified)["M103"].level == "note"


def test_probabilities_are_calibrated_and_measured(classified):
    keys = [metric.key for metric in classified.findings.evaluation.metrics]
    assert keys == ["accuracy", "balanced_accuracy", "roc_auc", "log_loss", "brier", "f1_macro"]
    assert all(metric.error is not None and metric.error >= 0 for metric in classified.findings.evaluation.metrics)
    assert classified.findings.evaluation.roc[0].area == pytest.approx(classified.findings.evaluation.metrics[2].value)


def test_the_grid_has_the_choice_in_it(classified):
    choice = classified.findings.choice
    i, j = choice.chosen
    assert choice.C[i] == choice.params["C"]
    assert choice.gamma[j] == choice.params["gamma"]
    assert choice.scores[i][j] == pytest.approx(choice.score)
    assert choice.score == max(score for row in choice.scores for score in row if score is not None)


def test_the_same_seed_gives_the_same_findings(classified):
    again = train(people(), "buys").findings
    first = classified.findings
    assert again.evaluation == first.evaluation
    assert again.importance == first.importance
    assert again.choice.params == first.choice.params
    assert again.mistakes == first.mistakes


def test_the_record_tells_where_the_model_comes_from(classified):
    record = classified.model.record
    assert record["estimator"] == "SVC"
    assert record["params"] == classified.findings.choice.params
    assert record["rows"] == classified.findings.data.train_rows
    assert record["score"]["value"] == classified.findings.evaluation.metrics[0].value
    assert record["certificate"]["holds"]
    assert record["target"] == "buys"


def test_three_classes_are_told_apart(random):
    x, z = random.normal(size=(2, 300))
    labels = np.where(x > 0.3, "east", np.where(z > 0, "north", "south"))
    found = train(table(number("x", x), number("z", z), text("y", labels.tolist())), "y").findings
    assert found.evaluation.metrics[0].value > 0.9
    assert len(found.evaluation.roc) == 3
    assert set(found.machine.n_support_by_class) == {"east", "north", "south"}


# ---------------------------------------------------------------- regression


def test_numbers_are_predicted(regressed):
    findings = regressed.findings
    assert findings.task == "regression"
    assert [metric.key for metric in findings.evaluation.metrics] == ["r2", "rmse", "mae", "median_absolute_error"]
    assert findings.evaluation.metrics[0].value > 0.95
    assert findings.machine.estimator == "SVR"
    assert findings.machine.holds
    assert set(findings.choice.params) == {"C", "gamma", "epsilon"}
    assert findings.evaluation.residuals is not None
    assert findings.mistakes[0].figure == max(row.figure for row in findings.mistakes)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_the_target_changes_nothing(regressed, unit):
    other = train(prices(unit=unit), "price", options=QUICK).findings
    same = train(prices(), "price", options=QUICK).findings
    assert other.machine.holds
    assert other.evaluation.metrics[0].value == pytest.approx(same.evaluation.metrics[0].value, abs=1e-3)
    assert other.choice.params["C"] == pytest.approx(unit * same.choice.params["C"])
    assert other.machine.n_support == pytest.approx(same.machine.n_support, abs=5)


# ---------------------------------------------------------------- test tables


def test_a_test_table_is_what_the_model_is_judged_by():
    trained = train(people(), "buys", test=people(80, seed=5), options=QUICK)
    assert trained.findings.data.test_rows == 80
    assert trained.findings.data.train_rows == 240
    assert "made.csv" in trained.findings.data.split


def test_a_test_table_without_a_column_is_refused():
    with pytest.raises(InputError, match="town"):
        train(people(), "buys", test=people(80).without("town"), options=QUICK)


def test_a_test_table_need_not_have_what_is_left_out():
    test = people(80, seed=5).without("name")
    assert train(people(), "buys", test=test, options=QUICK).findings.data.test_rows == 80


def test_a_test_table_of_another_kind_is_refused():
    test = people(80)
    words = text("age", ["old"] * 80)
    columns = [words if column.name == "age" else column for column in test.columns]
    with pytest.raises(InputError, match=r"'age'.*got text"):
        train(people(), "buys", test=Table(tuple(columns), test.reading), options=QUICK)


def test_new_categories_and_columns_of_a_test_table_are_told():
    test = people(80, seed=5)
    towns = text("town", ["Rome"] * 40 + test["town"].texts()[40:].tolist())
    columns = [towns if column.name == "town" else column for column in test.columns]
    found = train(people(), "buys", test=table(*columns, number("more", np.zeros(80))), options=QUICK)
    assert checks_of(found)["M203"].level == "warning"
    assert "town (40 rows)" in checks_of(found)["M203"].words
    assert "more" in checks_of(found)["M205"].words


def test_an_unknown_target_is_refused_with_the_nearest_name():
    with pytest.raises(InputError, match="buys"):
        train(people(), "buy")


# ---------------------------------------------------------------- leaks


def leaking():
    made = people(noise=0.15)
    buys = made["buys"].texts() == "yes"
    return with_column(made, number("paid", np.where(buys, 20.0, 0.0)))


def test_a_column_that_tells_the_target_is_pointed_at():
    check = checks_of(train(leaking(), "buys", options=QUICK))["M201"]
    assert check.level == "warning"
    assert "paid" in check.words
    assert check.todo


def test_leaks_are_dropped_where_that_is_asked_for():
    trained = train(leaking(), "buys", options=replace(QUICK, drop_leaks=True))
    paid = next(column for column in trained.findings.data.columns if column.name == "paid")
    assert paid.role == "left out"
    assert "paid" not in trained.model.encoding.names
    assert trained.findings.evaluation.metrics[0].value < 0.95
    assert "paid" in checks_of(trained)["M201"].words


def test_a_table_without_leaks_has_none(classified, regressed):
    assert checks_of(classified)["M201"].level == "fine"


# ---------------------------------------------------------------- checks


def test_checks_have_stable_codes_and_say_what_to_do(classified, regressed):
    for trained in (classified, regressed):
        codes = [check.code for check in trained.findings.checks]
        assert len(set(codes)) == len(codes)
        for check in trained.findings.checks:
            assert check.level in ("fine", "note", "warning")
            assert check.words.endswith((".", "?"))
            assert check.level != "warning" or check.todo
        assert trained.findings.next_steps


def test_noise_is_said_to_be_noise(random):
    labels = random.choice(["a", "b"], 200).tolist()
    made = table(number("x", random.normal(size=200)), number("z", random.normal(size=200)), text("y", labels))
    trained = train(made, "y", options=QUICK)
    assert checks_of(trained)["M501"].level == "warning"
    assert "no better than the best constant guess" in trained.findings.verdict


def test_few_rows_copies_dates_and_rare_classes_are_told(random):
    days = np.datetime64("2024-01-01") + np.repeat(np.arange(20), 2)
    x = np.repeat(random.normal(size=20), 2)
    labels = [*np.where(x[:38] > 0, "a", "b").tolist(), "c", None]
    made = table(date("day", days), number("x", x), number("same", 2 * x + 1), text("y", labels))
    checks = checks_of(train(made, "y", options=QUICK))
    assert checks["M101"].level == "warning"
    assert "x and same" in checks["M104"].words
    assert "c (1)" in checks["M107"].words
    assert "1 rows of the table" in checks["M108"].words
    assert "day holds dates" in checks["M109"].words
    assert checks["M202"].level == "warning"
    assert checks["M204"].level == "note"


def test_imbalance_is_told_and_balanced_weights_are_taken(random):
    x = random.normal(size=400)
    labels = np.where(x + 0.5 * random.normal(size=400) > 1.8, "rare", "common").tolist()
    made = table(number("x", x), number("z", random.normal(size=400)), text("y", labels))
    plain = train(made, "y", options=QUICK)
    weighted = train(made, "y", options=replace(QUICK, class_weight="balanced", scoring="balanced_accuracy"))
    assert checks_of(plain)["M106"].level == "note"
    assert checks_of(weighted)["M106"].level == "fine"
    assert weighted.findings.evaluation.metrics[0].key == "balanced_accuracy"
    assert weighted.findings.choice.score_name == "balanced_accuracy"
    recall = {one: np.array(one.findings.evaluation.confusion.counts)[1] for one in (plain, weighted)}
    assert recall[weighted][1] >= recall[plain][1]


# ---------------------------------------------------------------- options


def test_sets_cover_what_they_say():
    options = replace(QUICK, sets=True)
    trained = train(people(600), "buys", options=options)
    fresh = people(600, seed=9)
    sets = trained.model.predict(fresh, confidence_level=0.9).sets
    truth = fresh["buys"].texts() == "yes"
    covered = sets[np.arange(600), truth.astype(int)].mean()
    assert covered > 0.85  # 0.9 less three standard errors of 90 calibration rows' quantile
    intervals = train(prices(600), "price", options=options).model.predict(prices(600, seed=9), confidence_level=0.9)
    price = prices(600, seed=9)["price"].values
    assert np.mean((intervals.intervals[:, 0] <= price) & (price <= intervals.intervals[:, 1])) > 0.85


def test_parameters_are_chosen_on_some_of_many_rows():
    trained = train(people(800), "buys", options=TrainingOptions(tune_rows=200, quick=True))
    check = checks_of(trained)["M303"]
    assert check.level == "note"
    assert check.words.startswith("200 of 600")
    assert trained.model.record["rows"] == 600


def test_progress_is_told_in_stages():
    heard = []
    train(people(), "buys", progress=lambda *told: heard.append(told))
    stages = list(dict.fromkeys(stage for stage, _, _ in heard))
    assert stages == ["encode", "search", "fit", "evaluate", "baselines", "importance", "gather"]
    assert all(0 <= done <= 1 and isinstance(words, str) for _, done, words in heard)


def test_ctrl_c_comes_through():
    def stop(stage, done, words):
        if stage == "search":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(people(), "buys", progress=stop)


def test_a_time_limit_too_short_for_the_kernel_leads_to_a_linear_machine(monkeypatch):
    monkeypatch.setattr("mercer.training.fitting._PATIENCE", 0.0)
    options = TrainingOptions(tune_rows=300, quick=True)
    trained = train(people(800), "buys", options=options)
    assert trained.findings.machine.estimator == "LinearSVC"
    assert trained.findings.machine.holds
    assert checks_of(trained)["M402"].level == "warning"
    assert trained.model.predict(people(50, seed=3)).probabilities.shape == (50, 2)
    regressed = train(prices(800), "price", options=options)
    assert regressed.findings.machine.estimator == "LinearSVR"
    assert regressed.findings.evaluation.metrics[0].value > 0.8


def test_a_time_limit_is_kept():
    trained = train(people(2000), "buys", options=TrainingOptions(time_limit=5.0))
    assert trained.findings.seconds < 6.0


def test_the_certificate_is_what_certify_says(classified):
    # The same numbers from the machine and its training rows, worked out anew.
    from mercer.estimators import SVC
    from mercer.training.prepared import encode_parts
    from mercer.training.split import split_rows
    from mercer.training.target import read_target

    options, made = TrainingOptions(), people()
    goal = read_target(made["buys"], options)
    data = encode_parts(split_rows(made, goal, 0.25, options), goal)
    model = SVC(**classified.findings.choice.params).fit(data.X, data.y)
    proof = certify(model, data.X, data.y)
    told = classified.findings.machine.certificate
    assert told["primal"] == pytest.approx(proof.primal, rel=1e-3)
    assert told["relative_gap"] <= 1e-3


def test_a_share_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="test"):
        train(people(), "buys", test=1.5)
