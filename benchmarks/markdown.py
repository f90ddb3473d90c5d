"""Numbers and tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NONE = "—"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, first column to the left, the others to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def seconds(value: float | None) -> str:
    """Three digits, in milliseconds below a tenth of a second."""
    if value is None:
        return NONE
    return f"{_digits(value)} s" if value >= 0.1 else f"{_digits(value * 1000)} ms"


def times(value: float | None) -> str:
    """A ratio with three digits."""
    return NONE if value is None else _digits(value)


def number(value: float | int | str) -> str:
    """A parameter as short as it can be told apart."""
    return value if isinstance(value, str) else f"{value:.6g}"


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 99.95 else f"{value:#.3g}"
