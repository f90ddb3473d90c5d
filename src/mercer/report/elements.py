"""Blocks as HTML elements."""

from __future__ import annotations

from collections.abc import Iterator

from mercer.report.blocks import (
    Beside,
    Block,
    Code,
    Drawing,
    Figure,
    Folded,
    Head,
    Items,
    KeyFigure,
    Legend,
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
from mercer.report.markup import Markup, escape, join, tag
from mercer.report.palette import HEAT_STEPS

__all__ = ["Elements"]

_BADGES = {"warning": "Warning", "note": "Note", "fine": "Fine"}
# Values longer than this make their column break lines sooner.
_LONG = 24


class Elements:
    """Blocks to elements, texts cut at limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def section(self, section: Section) -> Markup:
        """A section under its heading."""
        heading = tag("h2", section.title, id=f"{section.key}-title")
        blocks = [self.block(block) for block in section.blocks]
        return tag("section", heading, *blocks, id=section.key, aria_labelledby=f"{section.key}-title")

    def words(self, words: Words) -> Markup:
        """Pieces of a sentence, names and values of the data set apart from the direction of the text around them."""
        pieces = words if isinstance(words, tuple) else (words,)
        return join(self._piece(piece) for piece in pieces)

    def block(self, block: Block) -> Markup:
        """The element of a block."""
        match block:
            case Paragraph(words, kind):
                return tag("p", self.words(words), class_=None if kind == "plain" else kind)
            case Subtitle(text):
                return tag("h3", text)
            case Items(items):
                return tag("ul", *(tag("li", self.words(item)) for item in items))
            case Table():
                return self._table(block)
            case Figure():
                return self._figure(block)
            case KeyFigure(value, name, note):
                number = tag("span", value, class_="value")
                return tag(
                    "p",
                    tag("span", name, class_="name"),
                    number,
                    tag("span", self.words(note), class_="small"),
                    class_="key",
                )
            case Verdict(level, badge, words):
                return tag("p", tag("strong", badge, class_="badge"), self.words(words), class_=f"verdict {level}")
            case Notice():
                return self._notice(block)
            case Code(lines):
                return tag(
                    "dl",
                    *(join((tag("dt", tag("code", line)), tag("dd", words))) for line, words in lines),
                    class_="code",
                )
            case Terms(pairs):
                return tag(
                    "dl", *(join((tag("dt", self.words(term)), tag("dd", self.words(words)))) for term, words in pairs)
                )
            case Folded(title, table):
                return tag("details", tag("summary", title), self._table(table))
            case Beside(blocks):
                return tag("div", *(self.block(each) for each in blocks), class_="beside")

    def short(self, text: str) -> str:
        """A name, cut."""
        return shortened(legible(text), 2 * self._limits.name)

    def _piece(self, piece: object) -> Markup:
        match piece:
            case Quoted(text, is_value):
                whole = legible(text)
                cut = shortened(whole, self._limits.value if is_value else self._limits.name)
                return tag("bdi", _unbroken(cut), class_="value" if is_value else "name")
            case Mono(text):
                return tag("code", shortened(text, self._limits.prose))
            case Strong(text):
                return tag("strong", shortened(text, self._limits.prose))
            case Drawing(svg):
                return svg
        return escape(_unbroken(shortened(legible(str(piece)), self._limits.prose)))

    def _notice(self, notice: Notice) -> Markup:
        title = tag(
            "h3", tag("span", _BADGES.get(notice.level, notice.level), class_="badge"), " ", self.words(notice.title)
        )
        todo = tag("p", tag("strong", "What to do: "), self.words(notice.todo)) if notice.todo else ""
        code = tag("span", notice.code, class_="code")
        return tag("article", code, title, tag("p", self.words(notice.words)), todo, class_=f"notice {notice.level}")

    def _figure(self, figure: Figure) -> Markup:
        caption = [tag("strong", figure.title + ". "), self.words(figure.caption)]
        legend = tag("ul", *(self._legend(entry) for entry in figure.legend), class_="legend") if figure.legend else ""
        numbers: str = ""
        if figure.numbers is not None:
            numbers = tag("details", tag("summary", "Numbers"), self._table(figure.numbers))
        frame = tag("div", figure.svg, class_="scroll", tabindex="0", role="group", aria_label=figure.title)
        return tag("figure", tag("figcaption", *caption), frame, legend, numbers)

    def _legend(self, entry: Legend) -> Markup:
        swatch = tag("svg", _swatch(entry.mark), viewBox="0 0 20 12", width=20, height=12, aria_hidden="true")
        return tag("li", swatch, tag("span", self.words(entry.words)))

    def _table(self, table: Table) -> Markup:
        head = tag("thead", tag("tr", *(self._head(head) for head in table.heads)))
        body = tag("tbody", *self._rows(table))
        whole = tag("table", tag("caption", self.words(table.title)), head, body)
        more = tag("p", f"And {table.more:,} more, which are in report.json.", class_="small") if table.more else ""
        frame = tag("div", whole, class_="scroll", tabindex="0", role="group", aria_label=table.title)
        return tag("div", frame, more)

    def _head(self, head: Head) -> Markup:
        if head.kind == "drawing":
            ends = tag("span", *(tag("span", end) for end in head.ends), class_="ends") if head.ends else ""
            hidden = tag("span", head.title if isinstance(head.title, str) and head.title else "Chart", class_="hidden")
            return tag("th", hidden, ends, scope="col", class_="drawing")
        return tag("th", self.words(head.title), scope="col", class_="number" if head.kind == "number" else None)

    def _rows(self, table: Table) -> Iterator[Markup]:
        for place, row in enumerate(table.rows):
            cells = []
            for column, (head, words) in enumerate(zip(table.heads, row, strict=True)):
                class_ = head.kind if head.kind != "text" else "long" if _length(words) > _LONG else None
                if column == 0:
                    cells.append(tag("th", self.words(words), scope="row", class_=class_))
                else:
                    cells.append(tag("td", self.words(words), class_=class_))
            yield tag("tr", *cells, class_="marked" if place == table.marked else None)
            if table.details and table.details[place]:
                yield tag("tr", tag("td", self.words(table.details[place]), colspan=len(table.heads)), class_="details")


def _swatch(mark: str) -> Markup:
    """The mark of a chart by itself: a line, or a box of a map."""
    if mark.startswith("line-") or mark == "pale":
        return tag("line", x1=1, x2=19, y1=6, y2=6, class_=f"line {mark}")
    best = HEAT_STEPS - 1
    box = tag("rect", x=2, y=0, width=16, height=12, rx=2, class_="unknown" if mark == "unknown" else f"heat-{best}")
    if mark == "chosen":
        return join((box, tag("rect", x=2, y=1, width=16, height=10, rx=2, fill="none", class_=mark)))
    if mark == "near":
        return join((box, tag("rect", x=4, y=2, width=12, height=8, rx=1, fill="none", class_=f"{mark} edge-{best}")))
    return box


def _unbroken(text: str) -> str:
    """With percent signs and errors on the line of their numbers."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}")


def _length(words: Words) -> int:
    pieces = words if isinstance(words, tuple) else (words,)
    return sum(len(piece if isinstance(piece, str) else getattr(piece, "text", "")) for piece in pieces)
