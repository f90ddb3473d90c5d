"""The frame of a chart with two axes: grid, ticks, titles, and where a point lies within."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from mercer.report.charts.axis import Axis
from mercer.report.legible import shortened, width_of
from mercer.report.markup import Markup, join, tag

__all__ = ["FONT", "Frame", "fitted", "picture"]

#: Size of the letters in a chart, in pixels.
FONT = 11.5
_GAP = 6.0


def picture(width: float, height: float, label: str, *marks: str, class_: str = "chart") -> Markup:
    """A drawing of a size, which a screen reader announces by its label."""
    size = f"0 0 {width:.0f} {height:.0f}"
    return tag(
        "svg",
        *marks,
        viewBox=size,
        width=round(width),
        height=round(height),
        class_=class_,
        role="img",
        aria_label=label,
    )


def fitted(text: str, room: float, size: float = FONT) -> str:
    """A text, or as much of its beginning as fits into a width."""
    if width_of(text, size) <= room:
        return text
    most = len(text)
    while most > 2 and width_of(shortened(text, most), size) > room:
        most -= 1
    return shortened(text, most)


@dataclass(frozen=True)
class Frame:
    """A plane with two axes. All lengths are pixels."""

    x: Axis
    y: Axis
    width: float = 360.0
    height: float = 300.0

    @cached_property
    def left(self) -> float:
        """Where the plane begins: the widest tick of the y-axis stands before it, and the title of that axis above."""
        return _GAP + 2 + max(width_of(label, FONT) for _, label in self.y.ticks)

    @cached_property
    def right(self) -> float:
        """Where it ends: half of the last tick of the x-axis reaches beyond."""
        return self.width - max(_GAP, width_of(self.x.ticks[-1][1], FONT) / 2 + 1)

    @property
    def top(self) -> float:
        return 2.2 * FONT

    @property
    def bottom(self) -> float:
        return self.height - 3.4 * FONT

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies; what is beyond an axis lies on its edge."""
        across = self.left + self.x.place(x) * (self.right - self.left)
        return across, self.bottom - self.y.place(y) * (self.bottom - self.top)

    def draw(self, label: str, marks: Iterable[str]) -> Markup:
        """The chart of these marks."""
        return picture(self.width, self.height, label, self._grid(), *marks)

    def _grid(self) -> Markup:
        parts = []
        for value, text in self.y.ticks:
            _, y = self.at(self.x.low, value)
            parts.append(tag("line", x1=self.left, x2=self.right, y1=y, y2=y, class_="grid"))
            parts.append(tag("text", text, x=self.left - _GAP, y=y + 0.35 * FONT, class_="tick end"))
        for value, text in self.x.ticks:
            x, _ = self.at(value, self.y.low)
            parts.append(tag("line", x1=x, x2=x, y1=self.bottom, y2=self.bottom + 4, class_="axis"))
            parts.append(tag("text", text, x=x, y=self.bottom + 1.5 * FONT, class_="tick middle"))
        parts.append(tag("line", x1=self.left, x2=self.right, y1=self.bottom, y2=self.bottom, class_="axis"))
        parts.append(tag("text", fitted(self.y.title, self.width), x=0, y=FONT, class_="title"))
        title = fitted(self.x.title, self.right - self.left)
        parts.append(tag("text", title, x=self.right, y=self.height - 0.4 * FONT, class_="title end"))
        return join(parts)
