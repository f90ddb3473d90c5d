"""Names, sentences and times as they read within the words of a report."""

from __future__ import annotations

import re
from datetime import datetime

__all__ = ["capitalised", "in_sentence", "moment", "named_score", "sentence", "with_short_numbers"]

_LONG_NUMBER = re.compile(r"\d+\.\d{6,}(e[-+]?\d+)?")
_SCORES = {"r2": "R²", "roc_auc": "ROC AUC"}


def capitalised(text: str) -> str:
    """With a large first letter, as a sentence begins."""
    return text[:1].upper() + text[1:]


def in_sentence(name: str) -> str:
    """The name of a metric within a sentence: "Accuracy" is small there, "ROC area" is not."""
    return name[:1].lower() + name[1:] if name[1:2].islower() else name


def sentence(text: str) -> str:
    """With a large first letter and a mark at its end; nothing where there is nothing."""
    text = capitalised(text.strip())
    return text if not text or text.endswith((".", "!", "?", "…")) else text + "."


def named_score(name: str) -> str:
    """The name of a score of the search: "r2" is R²."""
    return _SCORES.get(name, name.replace("_", " "))


def with_short_numbers(text: str) -> str:
    """With six digits of every number that has many.

    Examples
    --------
    >>> with_short_numbers("RBF(gamma=0.015366246595803598)")
    'RBF(gamma=0.0153662)'
    """
    return _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.6g}", text)


def moment(text: str) -> str:
    """A time to the minute, where it is one; else the text."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{time:%Y-%m-%d %H:%M} {time:%Z}".rstrip()
