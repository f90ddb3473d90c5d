"""What is wrong with a line of LIBSVM data, in words: the line, what was expected, what came, what to do."""

from __future__ import annotations

from mercer._runtime import core
from mercer.errors import InputError

__all__ = ["told"]

_FAULT = core.LibsvmFault
# The core tells no more of what stands in a line.
_MOST_TOLD = 60
_FORM = "A line is: label index:value index:value …"

# What is expected, and what to do.
_WORDS: dict[core.LibsvmFault, tuple[str, str]] = {
    _FAULT.bad_label: (
        "a number as the label",
        f"{_FORM} Number the classes, and read tables with a header or commas as CSV.",
    ),
    _FAULT.missing_label: ("a label before the first index:value", f"{_FORM} Put 0 where labels are not known."),
    _FAULT.several_labels: (
        "one label",
        "Rows with several labels (multilabel data) are not read: make a file for each label. Read tables with commas "
        "as CSV.",
    ),
    _FAULT.bad_entry: ("index:value, with an index in digits", f"{_FORM} Put # before comments."),
    _FAULT.missing_colon: ("index:value", f"{_FORM} Put # before comments, and no blanks around colons."),
    _FAULT.negative_index: ("an index ≥ 0", "Number the features from 1."),
    _FAULT.zero_index: (
        "indices from 1 on, as zero_based=False says",
        'Read it with zero_based=True, or with "auto", which finds out.',
    ),
    _FAULT.not_ascending: ("indices that ascend", "Sort the entries of each line by their index."),
    _FAULT.repeated_index: ("each index once in a line", "Leave one of the entries, or add their values."),
    _FAULT.missing_value: ("a value right after the colon", "Remove the blank after the colon, or the entry."),
    _FAULT.bad_value: (
        "a decimal number as the value",
        "Write it with a point, as in 0.5 or 5e-1; read tables of other forms as CSV.",
    ),
    _FAULT.hexadecimal: ("a decimal number", "Write the number in decimal digits, %.17g loses nothing."),
    _FAULT.not_finite: (
        "a finite number",
        "Leave out what is missing, or read it with ensure_all_finite=False.",
    ),
    _FAULT.too_large: ("a number that the dtype can hold", "Scale the feature, or read it as float64."),
    _FAULT.bad_query: ("qid: and a whole number of 64 bits", "Number the queries."),
    _FAULT.misplaced_query: ("one qid, right after the label", "Move it there."),
    _FAULT.missing_query: (
        "a qid in every row, as query_id=True says",
        "Put qid:number after the label, or read it with query_id=False.",
    ),
}


def told(error: core.LibsvmError, source: str, n_features: int | None) -> InputError:
    """The error for a line that cannot be read."""
    fault, line, column, text, before = error.args
    expected, hint = _words_of(fault, n_features)
    shown = text.decode("utf-8", "backslashreplace") + ("…" if len(text) == _MOST_TOLD else "")
    came = f"{shown!r}" if shown else "nothing"
    if fault in (_FAULT.not_ascending, _FAULT.repeated_index):
        came += f" after index {before}"
    return InputError(f"{source}, line {line}, column {column}: expected {expected}, got {came}. {hint}")


def _words_of(fault: core.LibsvmFault, n_features: int | None) -> tuple[str, str]:
    if fault != _FAULT.index_beyond:
        return _WORDS[fault]
    if n_features is None:
        return "an index below 2⁶³", "Number or hash the features into that range."
    return f"indices of at most {n_features} features, as n_features says", "Raise n_features, or leave it out."
