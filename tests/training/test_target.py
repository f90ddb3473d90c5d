"""What is to be predicted, and why."""

import numpy as np
import pytest

from mercer.errors import InputError, ParameterError
from mercer.training import TrainingOptions
from mercer.training.target import read_target, read_test_target
from tests.training.tables import boolean, date, number, text

DEFAULTS = TrainingOptions()


def repeated(values, times=30):
    return list(values) * times


@pytest.mark.parametrize(
    ("column", "classes"),
    [
        (text("y", repeated(["b", "a"])), ("a", "b")),
        (boolean("y", repeated([1, 0])), ("no", "yes")),
        (number("y", repeated([1, 0])), ("0", "1")),
        (number("y", repeated([3, 2, 10])), ("2", "3", "10")),
        (number("y", repeated([0.5, 1.5])), ("0.5", "1.5")),
    ],
)
def test_words_booleans_and_few_whole_numbers_are_classes(column, classes):
    target = read_target(column, DEFAULTS)
    assert target.task == "classification"
    assert target.classes == classes
    assert "because" in target.reason
    texts = column.texts()[target.rows]
    assert [target.classes[code] for code in target.y] == texts.tolist()


@pytest.mark.parametrize(
    "values",
    [
        np.linspace(0, 1, 60),
        np.arange(60),
        repeated([0.1, 0.2, 0.3]),
        [*repeated([1, 2, 3], 1000), 4],
    ],
)
def test_other_numbers_are_numbers(values):
    target = read_target(number("y", values), DEFAULTS)
    assert target.task == "regression"
    assert target.classes == ()
    np.testing.assert_array_equal(target.y, values)


def test_a_task_that_is_asked_for_is_taken():
    column = number("y", repeated([1, 2, 3]))
    assert read_target(column, TrainingOptions(task="regression")).task == "regression"
    wine = number("y", repeated([1, 2, 3], 1000) + [4] * 5)
    assert read_target(wine, TrainingOptions(task="classification")).classes == ("1", "2", "3", "4")


def test_rows_without_a_target_are_dropped_and_counted():
    target = read_target(text("y", ["a", "b", None] * 20), DEFAULTS)
    assert target.dropped == 20
    assert len(target.rows) == 40
    assert 2 not in target.rows


def test_a_target_of_one_value_is_refused():
    with pytest.raises(InputError, match=r"one value, 'a', in all 20 rows"):
        read_target(text("y", ["a"] * 20), DEFAULTS)
    with pytest.raises(InputError, match="no value at all"):
        read_target(number("y", [np.nan] * 20), DEFAULTS)


def test_a_target_of_names_is_refused():
    with pytest.raises(InputError, match=r"100 different values in 100 rows.*Name another column"):
        read_target(text("y", [f"name {k}" for k in range(100)]), DEFAULTS)


def test_dates_and_words_of_a_regression_are_refused():
    with pytest.raises(InputError, match="got dates"):
        read_target(date("y", ["2024-01-01", "2024-01-02"] * 20), DEFAULTS)
    with pytest.raises(InputError, match="got words such as 'a'"):
        read_target(text("y", ["a", "b"] * 20), TrainingOptions(task="regression"))


def test_a_rare_class_is_left_out_and_named():
    target = read_target(text("y", [*repeated(["a", "b"]), "c", "c"]), DEFAULTS)
    assert target.rare == {"c": 2}
    assert target.classes == ("a", "b")
    assert len(target.rows) == 60
    assert set(np.unique(target.y)) == {0, 1}


def test_too_many_rare_classes_are_refused_by_name():
    with pytest.raises(InputError, match=r"'c' \(2\), 'd' \(2\), 'e' \(2\).*Merge rare classes"):
        read_target(text("y", repeated(["a", "b"], 10) + ["c", "d", "e"] * 2), DEFAULTS)


def test_labels_that_training_has_not_seen_are_refused_with_the_near_ones():
    target = read_target(text("income", repeated(["<=50K", ">50K"])), DEFAULTS)
    with pytest.raises(InputError, match=r"'<=50K.' \(near '<=50K'\), '>50K.' \(near '>50K'\)"):
        read_test_target(text("income", ["<=50K.", ">50K."]), target)


def test_labels_of_a_test_table_get_the_numbers_of_training():
    target = read_target(text("y", [*repeated(["b", "a"]), "rare"]), DEFAULTS)
    rows, codes, dropped = read_test_target(text("y", ["b", None, "rare", "a"]), target)
    assert rows.tolist() == [0, 3]
    assert codes.tolist() == [1, 0]
    assert dropped == 1


def test_numbers_of_a_test_table_may_be_read_as_words():
    target = read_target(number("y", repeated([0, 1])), DEFAULTS)
    assert read_test_target(text("y", ["1", "0"]), target)[1].tolist() == [1, 0]


def test_a_score_of_the_other_task_is_refused():
    with pytest.raises(ParameterError, match=r"accuracy.*in classification, got 'r2'"):
        read_target(text("y", repeated(["a", "b"])), TrainingOptions(scoring="r2"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"task": "clustering"},
        {"seed": -1},
        {"time_limit": 0},
        {"class_weight": "heavy"},
        {"scoring": "luck"},
        {"confidence": 1.0},
        {"ignore": "age"},
        {"folds": 1},
    ],
)
def test_wrong_options_are_refused_by_name(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        TrainingOptions(**wrong)


@pytest.mark.parametrize("scale", [1e308, 1e300, 1e150, 1e-150, 1e-300])
def test_targets_whose_squares_are_out_of_range_are_to_be_rescaled(scale):
    values = scale * np.linspace(-1, 1, 60)
    with pytest.raises(InputError, match=r"'y' as the target.*got.*Rescale"):
        read_target(number("y", values), DEFAULTS)
    target = read_target(number("y", np.linspace(-1, 1, 60)), DEFAULTS)
    if scale > 1:
        with pytest.raises(InputError, match=r"The test table: 'y'.*Rescale"):
            read_test_target(number("y", values), target)


@pytest.mark.parametrize("scale", [1e90, 1e-90])
def test_targets_whose_squares_are_not_are_taken(scale):
    assert read_target(number("y", scale * np.linspace(-1, 1, 60)), DEFAULTS).task == "regression"
