"""A reader of LIBSVM data, line by line and with Python's own numbers: what the core's reader must agree with."""

import math
import re

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
WORD = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
QUERY = re.compile(rb"qid:(-?\d+)")
ENTRY = re.compile(rb"(\d+):(.*)")
BLANKS = b" \t\r\v\f"


class Refused(Exception):
    """Has the number of the line."""


def read(text, zero_based="auto", n_features=None, finite=True, queries=False):
    """Rows of (label, query, {column: value}), and the number of columns seen."""
    rows = []
    text = text.removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(text.split(b"\n"), 1):
        tokens = [token for token in re.split(b"[" + BLANKS + b"]+", line.partition(b"#")[0]) if token]
        if tokens:
            rows.append((number, *_row(number, tokens, finite, queries)))
    if zero_based == "auto":
        zero_based = any(0 in entries for *_, entries in rows)
    base = 0 if zero_based else 1
    limit = min(2**63 - 1 if n_features is None else n_features, 2**63 - 1)
    for number, _, _, entries in rows:
        if any(index - base < 0 or index - base >= limit for index in entries):
            raise Refused(number)
    made = [(label, query, {k - base: v for k, v in entries.items()}) for _, label, query, entries in rows]
    return made, max((k + 1 for _, _, entries in made for k in entries), default=0)


def _row(number, tokens, finite, queries):
    label = _number(number, tokens[0], finite)
    tokens = tokens[1:]
    query = None
    if tokens and tokens[0].startswith(b"qid:"):
        found = QUERY.fullmatch(tokens.pop(0))
        if not found or not -(2**63) <= int(found[1]) < 2**63:
            raise Refused(number)
        query = int(found[1])
    if queries and query is None:
        raise Refused(number)
    entries = {}
    for token in tokens:
        found = ENTRY.fullmatch(token)
        if not found or int(found[1]) >= 2**63 or any(k >= int(found[1]) for k in entries):
            raise Refused(number)
        entries[int(found[1])] = _number(number, found[2], finite)
    return label, query, entries


def _number(line, token, finite):
    if not NUMBER.fullmatch(token) and (finite or not WORD.fullmatch(token)):
        raise Refused(line)
    value = float(token) if not token.lower().endswith(b"nan") else math.nan  # its sign says nothing
    if finite and not math.isfinite(value):
        raise Refused(line)
    return value
