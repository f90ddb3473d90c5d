"""HTML that was escaped on its way in: a type of its own, so that nothing else can reach a page.

`tag` escapes every child and attribute that is not `Markup` already. Text put together in any other way is a plain
`str` again and is escaped once more: a mistake shows as an entity on the page, never as somebody's markup.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape as _escape

from mercer.report.legible import legible

__all__ = ["Attribute", "Markup", "escape", "join", "tag", "verbatim"]

Attribute = str | int | float | bool | None

_VOID = frozenset({"br", "col", "input", "meta"})
# Of SVG, where an element without children may close itself.
_CLOSED = frozenset({"circle", "line", "path", "polyline", "rect"})


class Markup(str):
    """HTML as it stands on a page. Only this module makes it."""

    __slots__ = ()


def escape(text: str) -> Markup:
    """Text as HTML shows it; what is HTML already stays as it is."""
    return text if isinstance(text, Markup) else Markup(_escape(legible(text), quote=True))


def join(parts: Iterable[str], between: str = "") -> Markup:
    """Parts in a row, each escaped where it is not HTML."""
    return Markup(str.join(escape(between), (escape(part) for part in parts)))


def tag(name: str, /, *children: str, **attributes: Attribute) -> Markup:
    """An element. Of attributes, `class_` is `class`, `stroke_width` is `stroke-width`; None and False are left out.

    Examples
    --------
    >>> print(tag("p", "1 < 2", class_="small"))
    <p class="small">1 &lt; 2</p>
    """
    opening = name + "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{opening}>")
    if name in _CLOSED and not children:
        return Markup(f"<{opening}/>")
    return Markup(f"<{opening}>{join(children)}</{name}>")


def verbatim(text: str) -> Markup:
    """Text of this package, such as its style sheet, which stands on the page as it is."""
    if "</" in text:
        raise ValueError("Text that closes an element cannot stand on a page as it is.")
    return Markup(text)


def _attribute(key: str, value: Attribute) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    if isinstance(value, float):
        value = f"{value:.1f}".removesuffix(".0")
    return f' {name}="{escape(str(value))}"'
