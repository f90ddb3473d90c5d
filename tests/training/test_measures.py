"""Scores against scikit-learn's, and their standard errors against resampling."""

import numpy as np
import pytest
from sklearn import metrics

from mercer.training import measures

ROWS = 400
# Of a standard error from 2,000 resamples, and of the first order of what is resampled.
RESAMPLING = 0.12


@pytest.fixture
def labels(random):
    truth = random.integers(0, 3, ROWS)
    return truth, np.where(random.random(ROWS) < 0.7, truth, random.integers(0, 3, ROWS))


@pytest.fixture
def probabilities(random, labels):
    raw = random.random((ROWS, 3))
    raw[np.arange(ROWS), labels[0]] += 0.7
    return raw / raw.sum(axis=1, keepdims=True)


@pytest.fixture
def numbers(random):
    truth = random.normal(size=ROWS)
    return truth, truth + 0.5 * random.normal(size=ROWS)


def resampled(function, truth, predicted, random):
    draws = [random.integers(0, len(truth), len(truth)) for _ in range(2000)]
    return float(np.std([function(truth[rows], predicted[rows]) for rows in draws]))


def of_labels():
    return [
        (measures.accuracy, metrics.accuracy_score),
        (measures.balanced_accuracy, metrics.balanced_accuracy_score),
        (measures.f1_macro, lambda y, z: metrics.f1_score(y, z, average="macro")),
    ]


@pytest.mark.parametrize(("ours", "theirs"), of_labels())
def test_scores_of_labels_are_scikit_learns_with_their_errors(ours, theirs, labels, random):
    measure = ours(*labels)
    assert measure.value == pytest.approx(theirs(*labels), abs=1e-12)
    assert measure.influence.mean() == pytest.approx(0.0, abs=1e-12)
    spread = resampled(lambda y, z: ours(y, z).value, *labels, random)
    assert measure.error == pytest.approx(spread, rel=RESAMPLING)


def test_scores_of_numbers_are_scikit_learns_with_their_errors(numbers, random):
    pairs = [
        (measures.r2, metrics.r2_score),
        (measures.root_mean_squared_error, metrics.root_mean_squared_error),
        (measures.mean_absolute_error, metrics.mean_absolute_error),
    ]
    for ours, theirs in pairs:
        measure = ours(*numbers)
        assert measure.value == pytest.approx(theirs(*numbers), abs=1e-12)
        spread = resampled(lambda y, z, f=ours: f(y, z).value, *numbers, random)
        assert measure.error == pytest.approx(spread, rel=RESAMPLING)


def test_the_median_error_is_scikit_learns_with_its_error(numbers, random):
    value, error = measures.median_absolute_error(*numbers)
    assert value == pytest.approx(metrics.median_absolute_error(*numbers))
    spread = resampled(lambda y, z: measures.median_absolute_error(y, z)[0], *numbers, random)
    assert error == pytest.approx(spread, rel=0.4)  # the ranks beside a median are few


def test_areas_losses_and_brier_scores_are_scikit_learns(labels, probabilities, random):
    truth = labels[0]
    area = measures.roc_auc(truth, probabilities)
    assert area.value == pytest.approx(metrics.roc_auc_score(truth, probabilities, multi_class="ovr"), abs=1e-12)
    spread = resampled(lambda y, z: measures.roc_auc(y, z).value, truth, probabilities, random)
    assert area.error == pytest.approx(spread, rel=RESAMPLING)
    assert measures.log_loss(truth, probabilities).value == pytest.approx(metrics.log_loss(truth, probabilities))
    two, said = (truth == 1).astype(int), probabilities[:, 1]
    both = np.stack([1 - said, said], axis=1)
    assert measures.brier(two, both).value == pytest.approx(metrics.brier_score_loss(two, said))


def test_ties_count_by_half(random):
    truth, values = random.integers(0, 2, 100), random.integers(0, 4, 100).astype(float)
    area = measures.roc_auc(truth, np.stack([-values, values], axis=1))
    assert area.value == pytest.approx(metrics.roc_auc_score(truth, values), abs=1e-12)


def test_one_class_has_no_area():
    assert measures.roc_auc(np.zeros(5, dtype=int), np.zeros((5, 2))) is None


def test_the_error_of_a_difference_is_that_of_pairs(labels, random):
    truth, one = labels
    other = np.where(random.random(ROWS) < 0.1, truth, one)
    ahead, error = measures.accuracy(truth, one).beside(measures.accuracy(truth, other))
    gains = (truth == other).astype(float) - (truth == one)
    assert ahead == pytest.approx(gains.mean())
    assert error == pytest.approx(np.std(gains, ddof=1) / np.sqrt(ROWS))


def test_targets_that_are_all_the_same_explain_nothing():
    assert measures.r2(np.ones(5), np.zeros(5)).value == 0.0


def test_a_single_row_has_no_error():
    assert measures.accuracy(np.array([1]), np.array([1])).error is None
    assert measures.median_absolute_error(np.array([1.0]), np.array([3.0])) == (2.0, None)
