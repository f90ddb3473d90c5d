"""Sets and intervals of conformal prediction: by hand, beside naive twins, and by how often they cover."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

import mercer
from mercer.calibration import conformal
from mercer.calibration.conformal import CrossIntervals, CrossSets, SplitIntervals, SplitSets, nonconformity

# A share of so many draws is further off than this many standard deviations once in 15 000 times.
SIGMAS = 4.0


def sampling_error(share, draws):
    return SIGMAS * math.sqrt(share * (1 - share) / draws)


def strangeness(values, k):
    return max(value for j, value in enumerate(values) if j != k) - values[k]


def is_too_strange(smaller, n, level):
    return smaller >= Fraction(str(level)) * (n + 1)


def naive_split_sets(calibration, codes, values, level, per_class):
    sets = np.ones(values.shape, dtype=bool)
    for row in range(values.shape[0]):
        for k in range(values.shape[1]):
            compared = [i for i in range(len(codes)) if not per_class or codes[i] == k]
            own = strangeness(values[row], k)
            smaller = sum(strangeness(calibration[i], codes[i]) < own for i in compared)
            sets[row, k] = not is_too_strange(smaller, len(compared), level)
    return sets


def naive_cross_sets(calibration, codes, folds, values_by_fold, level, per_class):
    sets = np.ones(values_by_fold.shape[1:], dtype=bool)
    for row in range(sets.shape[0]):
        for k in range(sets.shape[1]):
            compared = [i for i in range(len(codes)) if not per_class or codes[i] == k]
            smaller = 0
            for i in compared:
                smaller += strangeness(calibration[i], codes[i]) < strangeness(values_by_fold[folds[i], row], k)
            sets[row, k] = not is_too_strange(smaller, len(compared), level)
    return sets


def naive_cross_interval(residuals, folds, predicted_by_fold, level):
    n, ends = len(residuals), []
    low, high = math.floor((1 - Fraction(str(level))) * (n + 1)), math.ceil(Fraction(str(level)) * (n + 1))
    for row in range(predicted_by_fold.shape[1]):
        below = sorted(predicted_by_fold[folds[i], row] - abs(residuals[i]) for i in range(n))
        above = sorted(predicted_by_fold[folds[i], row] + abs(residuals[i]) for i in range(n))
        ends.append([below[low - 1] if low >= 1 else -math.inf, above[high - 1] if high <= n else math.inf])
    return np.array(ends)


def some_values(random, *shape):
    """With ties, as values of few digits have."""
    return random.normal(size=shape).round(1)


def test_nonconformity_is_the_lead_of_the_best_other_class():
    values = np.array([[3.0, 1.0, 2.5], [1.0, 1.0, 0.0], [-2.0, -1.0, -3.0]])
    expected = [[-0.5, 2.0, 0.5], [0.0, 0.0, 1.0], [1.0, -1.0, 2.0]]
    np.testing.assert_array_equal(nonconformity(values), expected)
    np.testing.assert_array_equal(nonconformity([[-0.7, 0.7]]), [[1.4, -1.4]])


def test_nonconformity_of_an_unknown_class_is_infinite():
    np.testing.assert_array_equal(nonconformity([[-np.inf, 2.0, 1.0]]), [[np.inf, -1.0, 1.0]])
    np.testing.assert_array_equal(nonconformity([[-np.inf, 2.0]]), [[np.inf, -np.inf]])


# Scores of the rows' own classes: −2, 1, −0.5, −3; the smallest first: −3, −2, −0.5, 1.
FOUR_ROWS, FOUR_CODES = np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 0.5], [0.0, 3.0]]), np.array([0, 1, 1, 1])


@pytest.mark.parametrize(
    ("level", "threshold"), [(0.2, -3.0), (0.21, -2.0), (0.4, -2.0), (0.6, -0.5), (0.8, 1.0), (0.81, math.inf)]
)
def test_split_sets_take_the_score_of_rank_level_times_n_plus_1(level, threshold):
    known = SplitSets.learn(FOUR_ROWS, FOUR_CODES)
    np.testing.assert_array_equal(known.thresholds(level), [threshold, threshold])


def test_split_sets_hold_every_class_no_stranger_than_the_threshold():
    known = SplitSets.learn(FOUR_ROWS, FOUR_CODES)
    values = [[1.0, 0.0], [1.1, 0.0], [0.0, 0.2]]
    np.testing.assert_array_equal(known.sets(values, 0.8), [[True, True], [True, False], [True, True]])
    np.testing.assert_array_equal(known.sets(values, 0.6), [[True, False], [True, False], [False, False]])
    assert known.sets([[100.0, -100.0]], 0.81).all()


def test_split_sets_per_class_compare_with_the_classs_own_rows():
    known = SplitSets.learn(FOUR_ROWS, FOUR_CODES, per_class=True)
    np.testing.assert_array_equal(known.thresholds(0.5), [-2.0, -0.5])
    np.testing.assert_array_equal(known.thresholds(0.75), [math.inf, 1.0])
    np.testing.assert_array_equal(known.sets([[0.0, 9.0], [2.0, 0.0]], 0.75), [[True, True], [True, False]])


def test_sets_per_class_always_hold_a_class_without_calibration_rows():
    values, folds = np.column_stack([FOUR_ROWS, np.full(4, -9.0)]), np.array([0, 1, 0, 1])
    sets = SplitSets.learn(values, FOUR_CODES, per_class=True).sets(values, 0.5)
    crossed = CrossSets.learn(values, FOUR_CODES, folds, per_class=True).sets(np.stack([values, values]), 0.5)
    for found in (sets, crossed):
        assert found[:, 2].all()
        assert not found[:, :2].all()


def test_level_is_the_decimal_that_is_written():
    assert 0.55 * 100 > 55
    known = SplitIntervals.learn(np.arange(1.0, 100.0))
    np.testing.assert_array_equal(known.interval([0.0], 0.55), [[-55.0, 55.0]])
    np.testing.assert_array_equal(known.interval([0.0], np.float64(0.99)), [[-99.0, 99.0]])


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("level", [0.05, 0.5, 0.8, 0.9, 0.97])
def test_split_sets_are_those_of_the_twin(random, level, per_class):
    calibration, codes, values = some_values(random, 37, 3), random.integers(3, size=37), some_values(random, 40, 3)
    found = SplitSets.learn(calibration, codes, per_class).sets(values, level)
    np.testing.assert_array_equal(found, naive_split_sets(calibration, codes, values, level, per_class))


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("level", [0.05, 0.5, 0.8, 0.9, 0.97])
def test_cross_sets_are_those_of_the_twin(random, level, per_class):
    calibration, codes, folds = some_values(random, 37, 3), random.integers(3, size=37), random.permutation(37) % 4
    values = some_values(random, 4, 40, 3)
    found = CrossSets.learn(calibration, codes, folds, per_class).sets(values, level)
    np.testing.assert_array_equal(found, naive_cross_sets(calibration, codes, folds, values, level, per_class))


def test_cross_sets_compare_a_row_by_the_machine_of_its_fold():
    # Own scores: −2 and −0.5 in fold 0, −1 and −3 in fold 1.
    known = CrossSets.learn(FOUR_ROWS, [0, 0, 1, 1], [0, 1, 0, 1])
    # Class 0 has scores −1.5 and 0.8, with 1 + 2 smaller ones; class 1 has 1.5 and −0.8, with 2 + 2.
    values = [[[1.5, 0.0]], [[0.0, 0.8]]]
    np.testing.assert_array_equal(known.sets(values, 0.6), [[False, False]])
    np.testing.assert_array_equal(known.sets(values, 0.61), [[True, False]])
    np.testing.assert_array_equal(known.sets(values, 0.8), [[True, False]])
    np.testing.assert_array_equal(known.sets(values, 0.81), [[True, True]])


@pytest.mark.parametrize("per_class", [False, True])
def test_cross_sets_of_machines_that_agree_are_split_sets(random, per_class):
    calibration, codes, values = some_values(random, 60, 3), random.integers(3, size=60), some_values(random, 50, 3)
    split = SplitSets.learn(calibration, codes, per_class)
    crossed = CrossSets.learn(calibration, codes, np.arange(60) % 5, per_class)
    np.testing.assert_array_equal(crossed.sets(np.stack([values] * 5), 0.8), split.sets(values, 0.8))


@pytest.mark.parametrize("per_class", [False, True])
def test_sets_grow_with_the_level(random, per_class):
    calibration, codes, folds = some_values(random, 60, 3), random.integers(3, size=60), np.arange(60) % 5
    split, crossed = (
        SplitSets.learn(calibration, codes, per_class),
        CrossSets.learn(calibration, codes, folds, per_class),
    )
    values = some_values(random, 5, 50, 3)
    for low, high in [(0.1, 0.5), (0.5, 0.9), (0.9, 0.95), (0.95, 0.999)]:
        assert np.all(split.sets(values[0], low) <= split.sets(values[0], high))
        assert np.all(crossed.sets(values, low) <= crossed.sets(values, high))
    assert split.sets(values[0], 0.999).all()
    assert crossed.sets(values, 0.999).all()


def test_split_interval_reaches_as_far_as_the_residual_of_its_rank():
    known = SplitIntervals.learn([0.5, -1.0, 0.25, 2.0])
    np.testing.assert_array_equal(known.interval([10.0, 0.0], 0.6), [[9.0, 11.0], [-1.0, 1.0]])
    np.testing.assert_array_equal(known.interval([10.0], 0.61), [[8.0, 12.0]])
    np.testing.assert_array_equal(known.interval([10.0], 0.81), [[-np.inf, np.inf]])
    assert known.interval([], 0.6).shape == (0, 2)


def test_cross_interval_takes_the_ends_of_its_rank():
    known = CrossIntervals.learn([0.5, -1.0, 0.25, 2.0], [0, 0, 1, 1])
    # f − r: 9.5, 9, 11.75, 10; f + r: 10.5, 11, 12.25, 14.
    predicted = [[10.0], [12.0]]
    np.testing.assert_array_equal(known.interval(predicted, 0.8), [[9.0, 14.0]])
    np.testing.assert_array_equal(known.interval(predicted, 0.6), [[9.5, 12.25]])
    np.testing.assert_array_equal(known.interval(predicted, 0.81), [[-np.inf, np.inf]])


def test_cross_interval_may_be_empty_below_one_half():
    known = CrossIntervals.learn([0.0, 0.0], [0, 1])
    np.testing.assert_array_equal(known.interval([[0.0], [10.0]], 0.3), [[10.0, 0.0]])


@pytest.mark.parametrize("level", [0.05, 0.5, 0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n_folds", [1, 4, 43])
def test_cross_intervals_are_those_of_the_twin(random, level, n_folds):
    residuals, folds = some_values(random, 43), random.permutation(43) % n_folds
    predicted = some_values(random, n_folds, 30)
    found = CrossIntervals.learn(residuals, folds).interval(predicted, level)
    np.testing.assert_array_equal(found, naive_cross_interval(residuals, folds, predicted, level))


def test_cross_interval_of_machines_that_agree_is_the_split_interval(random):
    residuals, predicted = random.normal(size=60), random.normal(size=20)
    crossed = CrossIntervals.learn(residuals, np.arange(60) % 5).interval(np.stack([predicted] * 5), 0.9)
    np.testing.assert_array_equal(crossed, SplitIntervals.learn(residuals).interval(predicted, 0.9))


@pytest.mark.parametrize("room", [1, 100, 500, 2**18])
def test_cross_intervals_in_blocks_are_those_of_the_twin(monkeypatch, room):
    # Numbers of its own each time: memory that was freed could hold the ends of the time before.
    random = np.random.default_rng(room)
    residuals, folds, predicted = some_values(random, 43), np.arange(43) % 4, some_values(random, 4, 31)
    monkeypatch.setattr(conformal, "_BLOCK", room)
    found = CrossIntervals.learn(residuals, folds).interval(predicted, 0.7)
    np.testing.assert_array_equal(found, naive_cross_interval(residuals, folds, predicted, 0.7))


def test_cross_interval_of_many_rows_needs_little_memory(random):
    n, rows = 6000, 2000
    known, predicted = CrossIntervals.learn(random.normal(size=n), np.arange(n) % 10), random.normal(size=(10, rows))
    tracemalloc.start()
    known.interval(predicted, 0.9)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16e6 < 8 * n * rows


def draw(random, shares, rows):
    """Classes with such shares around places of their own, and values of a machine that is neither good nor fair."""
    codes = random.choice(len(shares), p=shares, size=rows)
    x = random.normal(loc=1.2 * codes)
    return np.column_stack([-((x - 1.0 * k) ** 2) + 2.0 * math.log(share) for k, share in enumerate(shares)]), codes


def covered(sets, codes):
    return sets[np.arange(len(codes)), codes]


def test_split_sets_cover_as_often_as_the_rank_says(random):
    draws, hits = 2000, 0
    for _ in range(draws):
        values, codes = draw(random, [0.5, 0.3, 0.2], 20)
        hits += covered(SplitSets.learn(values[1:], codes[1:]).sets(values[:1], 0.8), codes[:1])[0]
    # ⌈0.8 · 20⌉ of 20 rows are as likely to be the new one.
    assert hits / draws == pytest.approx(16 / 20, abs=sampling_error(0.8, draws))


def test_split_sets_cover_only_on_the_whole_unless_asked_per_class(random):
    draws, shares, level = 600, [0.85, 0.15], 0.8
    counts, whole, within = np.zeros(2), np.zeros(2), np.zeros(2)
    for _ in range(draws):
        values, codes = draw(random, shares, 104)
        new, new_codes = values[100:], codes[100:]
        values, codes = values[:100], codes[:100]
        counts += np.bincount(new_codes, minlength=2)
        hits = covered(SplitSets.learn(values, codes).sets(new, level), new_codes)
        whole += np.bincount(new_codes, weights=hits, minlength=2)
        hits = covered(SplitSets.learn(values, codes, per_class=True).sets(new, level), new_codes)
        within += np.bincount(new_codes, weights=hits, minlength=2)
    # Four new rows share their calibration rows, which makes them worth fewer.
    error = np.array([sampling_error(level, count / 4) for count in counts])
    assert whole.sum() / counts.sum() >= level - error[0]
    assert whole[1] / counts[1] < level - 2 * error[1]
    assert np.all(within / counts >= level - error)
    assert within[0] / counts[0] <= level + 0.05


def test_split_intervals_cover_as_often_as_the_rank_says(random):
    draws, hits = 2000, 0
    for _ in range(draws):
        y = random.standard_t(2, size=10)
        low, high = SplitIntervals.learn(y[1:] - 0.3).interval([0.3], 0.7)[0]
        hits += low <= y[0] <= high
    assert hits / draws == pytest.approx(7 / 10, abs=sampling_error(0.7, draws))


def fold_means(x, y, folds, n_folds):
    """A small machine for each fold: the mean of each class in the rows outside it."""
    return np.array([[x[(folds != fold) & (y == k)].mean() for k in range(2)] for fold in range(n_folds)])


@pytest.mark.parametrize("per_class", [False, True])
def test_cross_sets_cover_as_proven_and_in_practice(random, per_class):
    n, n_folds, level, draws = 40, 5, 0.8, 800
    folds, hits, counts = np.arange(n) % n_folds, np.zeros(2), np.zeros(2)
    for _ in range(draws):
        codes = random.permutation(np.repeat([0, 1], [14, 27]))
        x = random.normal(loc=1.5 * codes)
        means = fold_means(x[:n], codes[:n], folds, n_folds)
        values = -((x[:n, None] - means[folds]) ** 2)
        known = CrossSets.learn(values, codes[:n], folds, per_class)
        new = -((x[n] - means[:, None, :]) ** 2)
        hits[codes[n]] += covered(known.sets(new, level), codes[n:])[0]
        counts[codes[n]] += 1
    error = sampling_error(level, draws)
    assert hits.sum() / draws >= 2 * level - 1 - 2 * (n_folds - 1) / (n + n_folds)
    assert hits.sum() / draws == pytest.approx(level, abs=error + 0.05)
    if per_class:
        assert np.all(hits / counts >= level - 2 * error)


def test_cross_intervals_cover_as_proven_with_a_machine_that_is_not_stable(random):
    n, d, n_folds, level, draws, hits = 20, 15, 5, 0.8, 500, 0
    folds = np.arange(n) % n_folds
    for _ in range(draws):
        X = random.normal(size=(n + 1, d))
        y = X[:, 0] + random.normal(size=n + 1)
        w = np.array([np.linalg.lstsq(X[:n][folds != fold], y[:n][folds != fold])[0] for fold in range(n_folds)])
        residuals = y[:n] - np.einsum("ij,ij->i", X[:n], w[folds])
        low, high = CrossIntervals.learn(residuals, folds).interval((w @ X[n])[:, None], level)[0]
        hits += low <= y[n] <= high
    excess = min(2 * (n_folds - 1) / (n + n_folds), (1 - n_folds / n) / (n_folds + 1))
    assert hits / draws >= 2 * level - 1 - excess
    assert hits / draws >= level - sampling_error(level, draws)


def test_scores_of_folds_with_a_refitted_machine_may_cover_nothing(random):
    """Of "cv" nothing is proven: this machine is perfect unless it has all 40 rows."""
    y, folds = random.normal(size=40), np.arange(40) % 4

    def machine(rows):
        return 0.0 if rows < 40 else 1e3

    residuals = y - machine(30)
    low, high = SplitIntervals.learn(residuals).interval([machine(40)], 0.9)[0]
    assert low > y.max()
    low, high = CrossIntervals.learn(residuals, folds).interval(np.full((4, 1), machine(30)), 0.9)[0]
    assert ((low <= y) & (y <= high)).mean() >= 0.9


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 1.5, math.nan, "0.9", None, True])
def test_level_outside_0_and_1_is_refused(level):
    sets, folds = SplitSets.learn(FOUR_ROWS, FOUR_CODES), [0, 1, 0, 1]
    calls = [
        lambda: sets.sets(FOUR_ROWS, level),
        lambda: CrossSets.learn(FOUR_ROWS, FOUR_CODES, folds).sets(np.stack([FOUR_ROWS] * 2), level),
        lambda: SplitIntervals.learn([1.0]).interval([1.0], level),
        lambda: CrossIntervals.learn([1.0, 2.0], [0, 1]).interval([[1.0], [1.0]], level),
    ]
    for call in calls:
        with pytest.raises(mercer.ParameterError, match=r"confidence_level: expected a number in \(0, 1\), got"):
            call()


NAN_VALUES = np.where(np.eye(4, 2) > 0, np.nan, FOUR_ROWS)


@pytest.mark.parametrize(
    ("values", "codes", "folds", "message"),
    [
        (NAN_VALUES, FOUR_CODES, [0, 1, 0, 1], "values: expected finite numbers.*got NaN"),
        (FOUR_ROWS + np.inf, FOUR_CODES, [0, 1, 0, 1], "values: expected finite numbers.*got NaN"),
        (FOUR_ROWS - np.inf, FOUR_CODES, [0, 1, 0, 1], "values: expected finite numbers.*only −inf"),
        (FOUR_ROWS[:, 0], FOUR_CODES, [0, 1, 0, 1], r"values: expected shape \(any, any\), got \(4,\)"),
        (FOUR_ROWS[:, :1], FOUR_CODES, [0, 1, 0, 1], "values: expected columns of two or more classes, got 1"),
        ([["a", "b"]], [0], [0], "values: expected an array of numbers"),
        (np.empty((0, 2)), np.empty(0, dtype=int), [], "values: expected at least one calibration row, got none"),
        (FOUR_ROWS, FOUR_CODES[:3], [0, 1, 0, 1], r"codes: expected shape \(4\), got \(3,\)"),
        (FOUR_ROWS, FOUR_CODES + 1, [0, 1, 0, 1], "codes: expected numbers of classes, 0 to 1, got 1 to 2"),
        (FOUR_ROWS, FOUR_CODES - 1, [0, 1, 0, 1], "codes: expected numbers of classes, 0 to 1, got -1 to 0"),
        (FOUR_ROWS, FOUR_CODES / 1, [0, 1, 0, 1], "codes: expected integers, got float64"),
    ],
)
def test_bad_calibration_rows_are_refused(values, codes, folds, message):
    with pytest.raises(mercer.InputError, match=message):
        SplitSets.learn(values, codes)
    with pytest.raises(mercer.InputError, match=message):
        CrossSets.learn(values, codes, folds)


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([0, 1, 0], r"folds: expected shape \(4\), got \(3,\)"),
        ([1, 2, 1, 2], r"folds: expected numbers from 0 on, each with a row, got \[1, 2\]"),
        ([0, 2, 0, 2], r"folds: expected numbers from 0 on, each with a row, got \[0, 2\]"),
        ([0.0, 1.0, 0.0, 1.0], "folds: expected integers, got float64"),
    ],
)
def test_bad_folds_are_refused(folds, message):
    with pytest.raises(mercer.InputError, match=message):
        CrossSets.learn(FOUR_ROWS, FOUR_CODES, folds)
    with pytest.raises(mercer.InputError, match=message):
        CrossIntervals.learn([1.0, 2.0, 3.0, 4.0], folds)


def test_new_rows_that_do_not_fit_are_refused():
    split = SplitSets.learn(FOUR_ROWS, FOUR_CODES)
    crossed = CrossSets.learn(FOUR_ROWS, FOUR_CODES, [0, 1, 0, 1])
    intervals = CrossIntervals.learn([1.0, 2.0], [0, 1])
    calls = [
        (lambda: split.sets(np.ones((3, 3)), 0.8), r"values: expected shape \(any, 2\), got \(3, 3\)"),
        (lambda: split.sets(NAN_VALUES, 0.8), "values: expected finite numbers"),
        (lambda: crossed.sets(FOUR_ROWS, 0.8), r"values_by_fold: expected shape \(2, any, 2\), got \(4, 2\)"),
        (lambda: crossed.sets(np.stack([FOUR_ROWS] * 3), 0.8), "values_by_fold: expected shape"),
        (lambda: crossed.sets(np.stack([FOUR_ROWS, NAN_VALUES]), 0.8), "values: expected finite numbers"),
        (lambda: intervals.interval([1.0, 2.0], 0.8), r"predicted_by_fold: expected shape \(2, any\), got \(2,\)"),
        (lambda: intervals.interval([[1.0], [np.nan]], 0.8), "predicted_by_fold: expected finite numbers, got NaN"),
        (lambda: SplitIntervals.learn([1.0]).interval([np.nan], 0.8), "predicted: expected finite numbers, got NaN"),
        (lambda: SplitIntervals.learn([[1.0]]), r"residuals: expected shape \(any\), got \(1, 1\)"),
        (lambda: SplitIntervals.learn([]), "residuals: expected at least one calibration row, got none"),
        (lambda: SplitIntervals.learn([np.nan]), "residuals: expected finite numbers, got NaN"),
        (lambda: CrossIntervals.learn([], []), "residuals: expected at least one calibration row, got none"),
    ]
    for call, message in calls:
        with pytest.raises(mercer.InputError, match=message):
            call()


def test_per_class_is_true_or_false():
    with pytest.raises(mercer.ParameterError, match="per_class: expected True or False"):
        SplitSets.learn(FOUR_ROWS, FOUR_CODES, per_class="yes")
