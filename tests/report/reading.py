"""A page as a parser sees it: a tree of elements, which must be closed in their order."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "col", "input", "meta"}


@dataclass
class Element:
    name: str
    attributes: dict
    children: list = field(default_factory=list)

    def all(self, *names):
        """Elements of some names below this one, in the order of the page."""
        for child in self.children:
            if isinstance(child, Element):
                if child.name in names or not names:
                    yield child
                yield from child.all(*names)

    @property
    def text(self):
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop().name == tag

    def handle_data(self, data):
        self.open[-1].children.append(data)


def read_page(text):
    """The root of a page; every element is closed where it should be."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == [reader.root]
    return reader.root
