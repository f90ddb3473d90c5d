"""Encodings as plain values and back, and what is made of forged ones: an error that says what is wrong."""

import copy
import json
import math
import pickle
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.errors import InputError
from mercer.tables import Encoding
from tests.reference.tables import table_of

COLUMNS = {
    "age": [22.0, None, 35.0, 41.0, 58.0] * 4,
    "job": ["clerk", "smith", None, "smith", "rare"] * 3 + ["clerk", "smith", "rarer", "smith", "clerk"],
    "member": [True, False, True, None, True] * 4,
    "since": [datetime(2020, 1, 5, 8), datetime(2021, 6, 7, 20), None, datetime(2022, 3, 1), datetime(2020, 9, 9)] * 4,
    "same": [1.0] * 20,
    "hour": [float(k % 15) for k in range(20)],
    "some": ([1.0] * 3 + [None] * 2) * 4,
}
REMARKS = [f"{word} number {k}" for k in range(15) for word in ("good", "bad", "no", "good")]
TABLE = table_of({name: 3 * values for name, values in COLUMNS.items()} | {"remark": REMARKS})
ENCODING = Encoding.learn(TABLE, least_rows=4, most_categories=2)
PLACE = {code.name: place for place, code in enumerate(ENCODING.columns)}


def forged(column, field, value):
    plain = copy.deepcopy(ENCODING.plain())
    plain["columns"][PLACE[column]][field] = value
    return plain


def test_every_code_is_among_the_columns():
    codes = [code.code for code in ENCODING.columns]
    assert codes == ["number", "category", "boolean", "date", "left out", "steps", "presence", "words"]


def test_plain_values_are_json_and_come_back_equal():
    text = json.dumps(ENCODING.plain(), allow_nan=False)
    again = Encoding.from_plain(json.loads(text))
    assert again == ENCODING
    np.testing.assert_array_equal(again(TABLE).X, ENCODING(TABLE).X)
    assert again.notes == ENCODING.notes
    assert again.schema == ENCODING.schema


def test_pickles_come_back_equal_whatever_was_worked_out():
    before = pickle.dumps(Encoding(ENCODING.columns))
    assert len(ENCODING.feature_names) == ENCODING.n_features
    assert pickle.loads(pickle.dumps(ENCODING)) == ENCODING
    assert pickle.dumps(ENCODING) == before


WRONG = [
    ("age", "fill", math.nan),
    ("age", "fill", "3"),
    ("age", "fill", None),
    ("age", "fill", True),
    ("age", "mean", math.inf),
    ("age", "mean", 10**400),
    ("age", "scale", 0.0),
    ("age", "scale", -1.0),
    ("age", "scale", 10**400),
    ("age", "scale", [1.0]),
    ("age", "has_indicator", 1),
    ("age", "name", 3),
    ("age", "name", "job"),
    ("age", "note", None),
    ("age", "code", "text"),
    ("age", "code", "category"),
    ("age", "code", ["number"]),
    ("age", "surplus", 1),
    ("job", "categories", "abc"),
    ("job", "categories", ["smith", "clerk"]),
    ("job", "categories", ["clerk", "clerk"]),
    ("job", "categories", ["clerk", 3]),
    ("job", "categories", {"clerk": 1}),
    ("job", "pooled", ["clerk", "rarer"]),
    ("job", "pooled", ["rare"]),
    ("job", "pooled", None),
    ("job", "n_pooled", -1),
    ("job", "n_pooled", 2.0),
    ("job", "n_pooled", True),
    ("job", "n_pooled", 10**30),
    ("job", "has_missing", "yes"),
    ("member", "words", ["no"]),
    ("member", "words", ["no", "no"]),
    ("member", "words", ["no", "yes", "maybe"]),
    ("member", "fill", 1.5),
    ("member", "fill", math.nan),
    ("since", "scale", 0),
    ("since", "mean", -math.inf),
    ("since", "cycles", ["week", "year"]),
    ("since", "cycles", ["month"]),
    ("since", "cycles", ["year", "year"]),
    ("same", "kind", "float"),
    ("remark", "vocabulary", []),
    ("remark", "vocabulary", ["good", "bad"]),
    ("remark", "vocabulary", ["good", "good"]),
    ("remark", "vocabulary", [3]),
    ("remark", "vocabulary", "good"),
    ("remark", "has_indicator", 0),
    ("hour", "n_steps", 10**9),
    ("hour", "n_steps", 15.0),
    ("hour", "n_steps", -1),
    ("hour", "first", 10**30),
    ("hour", "first", 0.5),
    ("hour", "scale", 0.0),
    ("same", "kind", ["number"]),
    ("some", "kind", None),
]


@pytest.mark.parametrize(("column", "field", "value"), WRONG, ids=str)
def test_forged_fields_are_refused(column, field, value):
    with pytest.raises(InputError):
        Encoding.from_plain(forged(column, field, value))


@pytest.mark.parametrize("column", PLACE)
def test_fields_that_are_gone_are_missed(column):
    own = ENCODING.plain()["columns"][PLACE[column]]
    for field in own:
        plain = copy.deepcopy(ENCODING.plain())
        del plain["columns"][PLACE[column]][field]
        with pytest.raises(InputError):
            Encoding.from_plain(plain)


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [],
        {},
        "x",
        3,
        {"columns": None},
        {"columns": {}},
        {"columns": []},
        {"columns": [3]},
        {"columns": [], "x": 1},
    ],
)
def test_other_values_are_no_encoding(plain):
    with pytest.raises(InputError):
        Encoding.from_plain(plain)


def test_errors_name_the_column_and_quote_little():
    with pytest.raises(InputError, match="Column 'age', mean: expected a finite number, got 'xxx") as raised:
        Encoding.from_plain(forged("age", "mean", "x" * 10**6))
    assert len(str(raised.value)) < 300


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(PLACE)), st.data())
@settings(max_examples=500, deadline=None)
def test_forged_values_either_work_or_are_refused(column, data):
    own = ENCODING.plain()["columns"][PLACE[column]]
    plain = forged(column, data.draw(st.sampled_from(sorted(own))), data.draw(ANYTHING))
    try:
        encoding = Encoding.from_plain(plain)
    except InputError:
        return
    assert Encoding.from_plain(json.loads(json.dumps(encoding.plain(), allow_nan=False))) == encoding
    try:
        X = encoding(TABLE).X
    except InputError:  # another name, or another kind
        return
    assert X.shape == (TABLE.n_rows, len(encoding.feature_names))
    assert np.all(np.isfinite(X))
