"""Points of curves against scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics

from mercer.training.curves import (
    calibration_curves,
    confusion_of,
    precision_recall_curves,
    residuals_of,
    roc_curves,
)


@pytest.fixture
def two(random):
    truth = random.integers(0, 2, 1000)
    values = truth + random.normal(size=1000)
    return truth, np.stack([-values, values], axis=1)


def test_a_roc_curve_lies_on_scikit_learns(two):
    truth, values = two
    (curve,) = roc_curves(truth, values, ["no", "yes"])
    x, y, _ = metrics.roc_curve(truth, values[:, 1], drop_intermediate=False)
    assert curve.label == "yes"
    assert curve.area == pytest.approx(metrics.roc_auc_score(truth, values[:, 1]))
    assert len(curve.x) <= 200
    assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
    assert set(zip(curve.x, curve.y, strict=True)) <= set(zip(x.tolist(), y.tolist(), strict=True))


def test_the_area_below_precision_and_recall_is_the_average_precision(two):
    truth, values = two
    (curve,) = precision_recall_curves(truth, values, ["no", "yes"])
    assert curve.area == pytest.approx(metrics.average_precision_score(truth, values[:, 1]))


def test_many_classes_have_ten_curves_at_most(random):
    truth, values = random.integers(0, 15, 500), random.random((500, 15))
    assert len(roc_curves(truth, values, [str(k) for k in range(15)])) == 10


def test_a_confusion_matrix_is_scikit_learns(random):
    truth, said = random.integers(0, 3, 200), random.integers(0, 3, 200)
    confusion = confusion_of(truth, said, ["a", "b", "c"])
    assert confusion.counts == metrics.confusion_matrix(truth, said).tolist()


def test_many_classes_are_taken_together(random):
    truth, said = random.integers(0, 30, 2000), random.integers(0, 30, 2000)
    confusion = confusion_of(truth, said, [f"class {k}" for k in range(30)])
    assert len(confusion.labels) == 20
    assert confusion.labels[-1] == "11 other classes"
    assert np.sum(confusion.counts) == 2000


def test_true_probabilities_are_calibrated(random):
    said = random.random(20_000)
    truth = (random.random(20_000) < said).astype(int)
    (curve,) = calibration_curves(truth, np.stack([1 - said, said], axis=1), ["no", "yes"])
    assert sum(curve.counts) == 20_000
    np.testing.assert_allclose(curve.predicted, curve.observed, atol=0.04)


def test_few_rows_have_no_calibration_curve():
    assert calibration_curves(np.array([0, 1]), np.full((2, 2), 0.5), ["no", "yes"]) == []


def test_residuals_are_some_rows_and_quantiles_of_all(random):
    truth, said = random.normal(size=2000), np.zeros(2000)
    residuals = residuals_of(truth, said, 0)
    assert len(residuals.truth) == len(residuals.predicted) == 500
    assert residuals.quantiles["50 %"] == pytest.approx(np.median(truth))
    assert residuals.quantiles["0 %"] == truth.min()
