"""JSON as strict as a file from anywhere needs it: limited in size and depth, without NaN, and each key once."""

from __future__ import annotations

import json
from typing import Any

from mercer.errors import ModelFileError

__all__ = ["MOST_BYTES", "check_size", "parse_json"]

#: Of a text: a parser makes objects of many times its size.
MOST_BYTES = 32_000_000
# Values of a text, counted by what parts them. Each takes some hundred bytes in Python.
_MOST_VALUES = 2_000_000


def parse_json(text: bytes | str, what: str) -> Any:
    """The value of a JSON text; `what` it is, for errors."""
    try:
        plain = text if isinstance(text, str) else text.decode("utf-8")
        check_size(plain, what)
        return json.loads(plain, object_pairs_hook=_object, parse_constant=_refuse)
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as error:  # objects within objects, more than Python parses
        raise ModelFileError(f"{what}: expected JSON, got a text that is not ({error}).") from error


def check_size(text: str, what: str) -> None:
    """Raises for a text that is larger than one that is read."""
    if len(text) > MOST_BYTES:
        raise ModelFileError(f"{what}: expected JSON of at most {MOST_BYTES} bytes, got {len(text)}.")
    values = sum(text.count(mark) for mark in ",[{")
    if values > _MOST_VALUES:
        raise ModelFileError(f"{what}: expected JSON of at most {_MOST_VALUES} values, got {values}.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is no JSON")
