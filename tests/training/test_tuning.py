"""The search for parameters alone."""

import pytest

from mercer.errors import InputError, ParameterError
from mercer.training import TrainingOptions, train
from mercer.training.tuning import tune
from tests.training.tables import number, people, prices, table, text


def test_the_choice_is_the_best_cell_of_the_grid():
    choice = tune(people(120), "buys", options=TrainingOptions(folds=3))
    cells = [
        (score, C, gamma)
        for row, C in zip(choice.scores, choice.C, strict=True)
        for score, gamma in zip(row, choice.gamma, strict=True)
        if score is not None
    ]
    assert choice.score == pytest.approx(max(cells)[0])
    i, j = choice.chosen
    assert choice.params == {"C": choice.C[i], "gamma": choice.gamma[j]}
    assert choice.scores[i][j] == pytest.approx(choice.score)
    assert (choice.folds, choice.score_name) == (3, "accuracy")
    assert choice.certificate


def test_a_regression_looks_for_epsilon_too():
    choice = tune(prices(100), "price", options=TrainingOptions(folds=3, quick=True))
    assert set(choice.params) == {"C", "gamma", "epsilon"}
    assert choice.score_name == "r2"
    assert choice.score > 0.5


def test_all_rows_count_and_columns_can_be_left_out():
    heard = []
    options = TrainingOptions(folds=3, quick=True, ignore=("town",))
    without = tune(people(120), "buys", options=options, progress=lambda *told: heard.append(told))
    assert without.score < tune(people(120), "buys", options=TrainingOptions(folds=3, quick=True)).score
    assert {stage for stage, _, _ in heard} == {"search"}
    shares = [done for _, done, _ in heard]
    assert 0 <= min(shares) <= max(shares) <= 1


def test_what_training_refuses_is_refused():
    with pytest.raises(InputError, match="Did you mean 'buys'"):
        tune(people(60), "bys", options=TrainingOptions())
    with pytest.raises(ParameterError, match="folds"):
        tune(people(60), "buys", options=TrainingOptions(folds=1))


@pytest.mark.parametrize("act", [tune, train])
@pytest.mark.parametrize(("made", "target"), [(people(60), "buys"), (prices(60), "price")])
def test_more_folds_than_rows_are_refused_in_words(act, made, target):
    with pytest.raises(ParameterError, match=r"folds: expected \d+ at most for the \d+ rows.*got 400.*such as 5"):
        act(made, target, options=TrainingOptions(folds=400))


def test_few_rows_have_fewer_folds_than_usual(random):
    choice = tune(table(number("x", random.normal(size=15)), text("y", [*"abc"] * 5)), "y", options=TrainingOptions())
    assert choice.folds == 5
    fewer = train(table(number("x", random.normal(size=15)), text("y", [*"abc"] * 5)), "y").findings.choice
    assert (fewer.folds, fewer.draws) == (4, 3)
