"""The report as one HTML page that needs nothing from outside, and runs nothing.

The policy in its head forbids whatever a page could load or run; its one style sheet is let in by its hash. Light and
dark are a matter of the style sheet alone.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from mercer.report.blocks import Section
from mercer.report.elements import Elements
from mercer.report.limits import Limits
from mercer.report.markup import Markup, tag, verbatim
from mercer.report.palette import heat_classes, variables

__all__ = ["page"]

_SCHEMES = (("auto", "Auto"), ("light", "Light"), ("dark", "Dark"))


def page(title: str, subtitle: str, sections: Sequence[Section], limits: Limits) -> str:
    """The page."""
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    elements = Elements(limits)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="generator", content="Mercer"),
        tag("title", elements.short(title)),
        tag("style", verbatim(style)),
    )
    body = tag(
        "body",
        tag("a", "To the report", href="#summary", class_="skip"),
        _header(elements, title, subtitle),
        tag(
            "div",
            _contents(sections),
            tag("main", *(elements.section(section) for section in sections)),
            class_="columns",
        ),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en")


def _header(elements: Elements, title: str, subtitle: str) -> Markup:
    choices = [
        tag(
            "label",
            tag("input", type="radio", name="scheme", id=f"scheme-{key}", checked=key == "auto"),
            tag("span", name),
        )
        for key, name in _SCHEMES
    ]
    schemes = tag("fieldset", tag("legend", "Colours"), *choices, class_="schemes")
    return tag(
        "header",
        tag("div", tag("p", "Mercer report", class_="eyebrow"), schemes, class_="bar"),
        tag("h1", tag("bdi", elements.short(title))),
        tag("p", tag("bdi", elements.short(subtitle)), class_="subtitle"),
    )


def _contents(sections: Sequence[Section]) -> Markup:
    links = [tag("li", tag("a", section.title, href=f"#{section.key}")) for section in sections]
    return tag("nav", tag("ol", *links), aria_label="Contents")


@cache
def _style() -> str:
    sheet = files("mercer.report").joinpath("page.css").read_text("utf-8")
    light, dark = variables("light"), variables("dark")
    # On paper a page is light, whatever its reader's screen is.
    schemes = (
        f":root{{{light}}}\n"
        f"@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}\n"
        f"@media screen{{:root:has(#scheme-light:checked){{{light}}}:root:has(#scheme-dark:checked){{{dark}}}}}\n"
    )
    return schemes + heat_classes() + sheet
