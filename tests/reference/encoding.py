"""The encoding of a table by its definition: lists of Python values, one cell after the other."""

import math
import statistics
from collections import Counter
from datetime import datetime, timedelta

YEAR = 365.2425
REACH = 1e6
EPOCH = datetime(1970, 1, 1)


def encode(train, test, kinds, most_categories=40, least_rows=10):
    """The features of the test rows, a list of lists, and how many cells of each column training has not seen.

    `train` and `test` are dicts of lists, of numbers, bools, datetimes or str, with None for what is missing.
    """
    rows = len(next(iter(test.values())))
    X, unseen = [[] for _ in range(rows)], {}
    for name, kind in kinds.items():
        features, odd = COLUMNS[kind](train[name], test[name], most_categories, least_rows)
        for row, own in zip(X, features, strict=True):
            row += own
        if odd:
            unseen[name] = odd
    return X, unseen


def marked(train, test, features):
    """With a mark where a value is missing, if training missed any."""
    if None in train:
        return [[*own, float(value is None)] for own, value in zip(features, test, strict=True)]
    return features


def presence(train, test, least_rows):
    """Whether a value is missing, where training can tell anything from it; else no feature."""
    missing = train.count(None)
    if missing < least_rows or len(train) - missing < least_rows:
        return [[] for _ in test]
    return [[float(value is None)] for value in test]


def number(train, test, most_categories, least_rows):
    given = [value for value in train if value is not None]
    if not given or min(given) == max(given):
        return presence(train, test, least_rows), 0
    mean, scale, median = statistics.fmean(given), statistics.pstdev(given), statistics.median(given)
    features = marked(train, test, [[scaled(median if value is None else value, mean, scale)] for value in test])
    steps = sorted(set(given))
    is_stepwise = steps == [steps[0] + k for k in range(len(steps))] and steps[0] == round(steps[0])
    if is_stepwise and 13 <= len(steps) <= 40 and len(given) >= least_rows * len(steps):
        features = [own + [float(value == step) for step in steps] for own, value in zip(features, test, strict=True)]
    return features, 0


def boolean(train, test, most_categories, least_rows):
    given = [float(value) for value in train if value is not None]
    if not given or min(given) == max(given):
        return presence(train, test, least_rows), 0
    share = statistics.fmean(given)
    return marked(train, test, [[share if value is None else float(value)] for value in test]), 0


def date(train, test, most_categories, least_rows):
    given = [days(value) for value in train if value is not None]
    if not given or min(given) == max(given):
        return presence(train, test, least_rows), 0
    mean, scale = statistics.fmean(given), statistics.pstdev(given)
    cycles = [cycle for cycle in (of_year, of_week, of_day) if spread([cycle(day) for day in given]) > 1e-3]
    features = []
    for value in test:
        if value is None:
            features.append([0.0] * (1 + 2 * len(cycles)))
            continue
        own = [scaled(days(value), mean, scale)]
        for cycle in cycles:
            angle = cycle(days(value))
            own += [math.sin(angle), math.cos(angle)]
        features.append(own)
    return marked(train, test, features), 0


def scaled(value, mean, scale):
    return max(-REACH, min(REACH, (value - mean) / scale))


def days(value):
    return (value - EPOCH) / timedelta(days=1)


def of_year(day):
    return 2 * math.pi * (math.floor(day) % YEAR) / YEAR


def of_week(day):
    return 2 * math.pi * (math.floor(day) % 7) / 7


def of_day(day):
    return 2 * math.pi * (day - math.floor(day))


def spread(angles):
    return 1 - math.hypot(statistics.fmean(map(math.sin, angles)), statistics.fmean(map(math.cos, angles)))


def text(train, test, most_categories, least_rows):
    counts = Counter(value for value in train if value is not None)
    given = sum(counts.values())
    is_id = len(counts) > most_categories and len(counts) > given / 2
    if len(counts) < 2:
        return presence(train, test, least_rows), 0
    if is_id:
        return common_words(train, test, most_categories, least_rows), 0
    commonest = sorted(counts, key=lambda word: (-counts[word], word))
    kept = [word for word in commonest[:most_categories] if counts[word] >= least_rows]
    if not kept:
        return common_words(train, test, most_categories, least_rows), 0
    pooled = set(counts) - set(kept)
    if len(pooled) == 1 and len(kept) < most_categories:
        kept, pooled = kept + list(pooled), set()
    unseen, features = 0, []
    for value in test:
        own = [float(value == word) for word in sorted(kept)]
        if value is None and None in train:
            is_other = False
        else:
            is_other = value not in kept
            unseen += value is not None and value not in counts
        own += [float(is_other)] if pooled else []
        features.append(own)
    return marked(train, test, features), unseen


def common_words(train, test, most_words, least_rows):
    given = [words(value) for value in train if value is not None]
    counts = Counter(word for own in given for word in own)
    common = [word for word in counts if counts[word] >= least_rows and len(given) - counts[word] >= least_rows]
    vocabulary = sorted(sorted(common, key=lambda word: (-counts[word], word))[:most_words])
    if not vocabulary:
        return presence(train, test, least_rows)
    return marked(train, test, [[float(word in words(value or "")) for word in vocabulary] for value in test])


def words(text):
    found = set()
    for part in text.split():
        while part and not part[0].isalnum():
            part = part[1:]
        while part and not part[-1].isalnum():
            part = part[:-1]
        if len(part) > 1 and all(letter.isalpha() for letter in part):
            found.add(part.lower())
    return found


COLUMNS = {"number": number, "boolean": boolean, "date": date, "text": text}
