"""Blocks as Markdown: the same report for people who read text, and for programs that do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mercer.report.blocks import (
    Beside,
    Block,
    Code,
    Drawing,
    Figure,
    Folded,
    Items,
    KeyFigure,
    Mono,
    Notice,
    Paragraph,
    Quoted,
    Section,
    Strong,
    Subtitle,
    Table,
    Terms,
    Verdict,
    Words,
)
from mercer.report.legible import legible, shortened
from mercer.report.limits import Limits

__all__ = ["markdown"]

# An underscore within a word is no emphasis, and names of columns read better without a backslash.
_SPECIAL = re.compile(r"[\\`*{}\[\]|~$#]|(?<![^\W_])_|_(?![^\W_])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_NUMBERED = re.compile(r"^(\d+)(?=[.)])")
_BADGES = {"warning": "Warning", "note": "Note", "fine": "Fine"}


def markdown(title: str, sections: Sequence[Section], limits: Limits) -> str:
    """The report as Markdown."""
    writer = _Writer(limits)
    parts = [f"# {writer.words(title)}"]
    for section in sections:
        parts.append(f"## {section.title}")
        for block in section.blocks:
            parts += writer.block(block)
    return "\n\n".join(parts) + "\n"


class _Writer:
    """Blocks to paragraphs of Markdown, cut at limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def words(self, words: Words) -> str:
        pieces = words if isinstance(words, tuple) else (words,)
        return "".join(self._piece(piece) for piece in pieces)

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Paragraph(words):
                yield _line(self.words(words))
            case Subtitle(text):
                yield f"### {self.words(text)}"
            case Items(items):
                yield "\n".join(f"- {_line(self.words(item))}" for item in items)
            case Table():
                yield from self._table(block)
            case Figure(title, _, caption, _, numbers):
                yield f"**{self.words(title)}.** {self.words(caption)}".rstrip()
                if numbers is not None:
                    yield from self._table(numbers)
            case KeyFigure(value, name, note):
                yield f"**{self.words(name)}: {self.words(value)}** {self.words(note)}".rstrip()
            case Verdict(_, badge, words):
                yield f"**{self.words(badge)}.** {self.words(words)}"
            case Notice(level, code, title, words, todo):
                yield f"**{_BADGES.get(level, level)} {self.words(code)}: {self.words(title)}.** {self.words(words)}"
                if todo:
                    yield f"What to do: {self.words(todo)}"
            case Code(lines):
                widest = max(len(command) for command, _ in lines)
                yield "\n".join(["```console", *(f"{command:<{widest}}  # {words}" for command, words in lines), "```"])
            case Terms(pairs):
                yield "\n".join(f"- **{self.words(term)}.** {self.words(meaning)}" for term, meaning in pairs)
            case Folded(_, table):
                yield from self._table(table)
            case Beside(blocks):
                for each in blocks:
                    yield from self.block(each)

    def _table(self, table: Table) -> Iterator[str]:
        shown = [place for place, head in enumerate(table.heads) if head.kind != "drawing"]
        heads = [self.words(table.heads[place].title) for place in shown]
        bars = ["---:" if table.heads[place].kind == "number" else "---" for place in shown]
        rows = [[self.words(row[place]) for place in shown] for row in table.rows]
        if table.details:
            heads, bars = [*heads, "More"], [*bars, "---"]
            rows = [[*row, self.words(words)] for row, words in zip(rows, table.details, strict=True)]
        yield f"{self.words(table.title)}:"
        yield "\n".join(_row(cells) for cells in (heads, bars, *rows))
        if table.more:
            yield f"And {table.more:,} more, which are in report.json."

    def _piece(self, piece: object) -> str:
        match piece:
            case Quoted(text, is_value):
                return _escaped(shortened(legible(text), self._limits.value if is_value else self._limits.name))
            case Mono(text):
                return f"`{legible(text).replace('`', 'ˋ').replace('|', '¦')}`"
            case Strong(text):
                return f"**{_escaped(text)}**"
            case Drawing():
                return ""
        return _escaped(shortened(legible(str(piece)), self._limits.prose))


def _escaped(text: str) -> str:
    # Entities, since not every Markdown takes a backslash before what opens an element.
    return _SPECIAL.sub(r"\\\g<0>", text).translate(_ENTITIES)


def _line(text: str) -> str:
    """A paragraph that begins no list, whatever it begins with."""
    return "\\" + text if text.startswith(("-", "+")) else _NUMBERED.sub(r"\1\\", text)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
