"""What a report says, before it is HTML or Markdown: sections of a few kinds of blocks.

Each section is written once; `page` and `markdown` only know the blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mercer.report.markup import Markup

__all__ = [
    "Beside",
    "Block",
    "Code",
    "Drawing",
    "Figure",
    "Folded",
    "Head",
    "Items",
    "KeyFigure",
    "Legend",
    "Mono",
    "Notice",
    "Paragraph",
    "Piece",
    "Quoted",
    "Section",
    "Strong",
    "Subtitle",
    "Table",
    "Terms",
    "Verdict",
    "Words",
]


@dataclass(frozen=True)
class Quoted:
    """A name or a value of the data, which may be in any script; `is_value` where it comes from a row."""

    text: str
    is_value: bool = False


@dataclass(frozen=True)
class Mono:
    """Something to type."""

    text: str


@dataclass(frozen=True)
class Strong:
    """Something that counts."""

    text: str


@dataclass(frozen=True)
class Drawing:
    """A small chart within a cell of a table; Markdown leaves its column out."""

    svg: Markup


Piece = str | Quoted | Mono | Strong | Drawing
Words = Piece | tuple[Piece, ...]


@dataclass(frozen=True)
class Paragraph:
    """`kind` is "plain", "lead" or "small"."""

    words: Words
    kind: str = "plain"


@dataclass(frozen=True)
class Subtitle:
    """The heading of a part of a section."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    items: tuple[Words, ...]


@dataclass(frozen=True)
class Head:
    """The head of a column. `kind` is "text", "number" or "drawing", whose `ends` are the values at its edges."""

    title: str | Quoted
    kind: str = "text"
    ends: tuple[str, str] | None = None


@dataclass(frozen=True)
class Table:
    """A table whose first column names its rows.

    Attributes
    ----------
    details : tuple of Words
        More on each row, which stands below it; empty where there is none.
    more : int
        Rows that were left out here.
    marked : int or None
        The row that is set apart.
    """

    title: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Words, ...], ...]
    details: tuple[Words, ...] = ()
    more: int = 0
    marked: int | None = None


@dataclass(frozen=True)
class Legend:
    """What a mark of a chart means: its class in the style sheet, and words."""

    mark: str
    words: Words


@dataclass(frozen=True)
class Figure:
    """A chart, what it shows in words for who cannot see it, and its numbers."""

    title: str
    svg: Markup
    caption: Words = ""
    legend: tuple[Legend, ...] = ()
    numbers: Table | None = None


@dataclass(frozen=True)
class KeyFigure:
    """A number in large type, and what it is."""

    value: str
    name: str
    note: Words = ""


@dataclass(frozen=True)
class Verdict:
    """A sentence that stands out, behind a badge. `level` is "fine", "note" or "warning"."""

    level: str
    badge: str
    words: Words


@dataclass(frozen=True)
class Notice:
    """Something that was found, and what to do about it."""

    level: str
    code: str
    title: str
    words: Words
    todo: str = ""


@dataclass(frozen=True)
class Code:
    """Lines to type, each with what it does."""

    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Terms:
    """Terms and what they mean."""

    pairs: tuple[tuple[Words, Words], ...]


@dataclass(frozen=True)
class Folded:
    """A table that opens where a reader asks for it."""

    title: str
    table: Table


@dataclass(frozen=True)
class Beside:
    """Blocks that stand side by side where there is room."""

    blocks: tuple[Block, ...]


Block = Paragraph | Subtitle | Items | Table | Figure | KeyFigure | Verdict | Notice | Code | Terms | Folded | Beside


@dataclass(frozen=True)
class Section:
    """A part of the report; its key is its address on the page."""

    key: str
    title: str
    blocks: tuple[Block, ...] = field(default=())
