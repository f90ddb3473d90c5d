"""A confusion matrix: truth by rows, predictions by columns, coloured by the share of its row."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.report.charts.frame import FONT, fitted, picture
from mercer.report.digits import count, share
from mercer.report.legible import legible, width_of
from mercer.report.markup import Markup, join, tag
from mercer.report.palette import HEAT_STEPS

__all__ = ["confusion_matrix"]

_MOST_LABEL = 110.0
# Up to so many classes a cell has room for any count; beyond, smaller cells and smaller letters.
_MOST_WIDE = 8
# And up to so many, for its share too.
_MOST_LARGE = 4
_SMALL_FONT = 9.5


def confusion_matrix(label: str, names: Sequence[str], counts: Sequence[Sequence[int]]) -> Markup:
    """The matrix. Names too long for their place are cut, and stand whole in the title of each cell."""
    is_wide = len(names) <= _MOST_WIDE
    size = FONT if is_wide else _SMALL_FONT
    texts = [[_short(value, is_wide) for value in row] for row in counts]
    widest = max((width_of(text, size) for row in texts for text in row), default=0.0)
    is_large = len(names) <= _MOST_LARGE
    side = max(80.0 if is_large else 52.0, widest + 12) if is_wide else max(24.0, widest + 5)
    height = 54.0 if is_large else 40.0 if is_wide else 24.0
    names = [fitted(legible(name), _MOST_LABEL, FONT) for name in names]
    longest = max(width_of(name, FONT) for name in names)
    turned = longest > side - 6
    left, top = longest + 8, 2.2 * FONT + (longest + 8 if turned else 1.5 * FONT)
    width, bottom = left + side * len(names) + 4, top + height * len(names)
    marks = [
        tag("text", "truth", x=0, y=top - 0.5 * FONT, class_="title"),
        tag("text", "predicted", x=left, y=FONT, class_="title"),
    ]
    for j, name in enumerate(names):
        marks.append(_head(name, left + side * (j + 0.5), top, turned))
    for i, name in enumerate(names):
        y = top + height * i
        marks.append(tag("text", name, x=left - 6, y=y + height / 2 + 0.35 * FONT, class_="tick end"))
        whole = sum(counts[i])
        for j, value in enumerate(counts[i]):
            x = left + side * j
            step = _step(value, whole)
            words = f"{names[i]} taken for {names[j]}: {count(value)} ({share(value, whole)})"
            box = tag("rect", tag("title", words), x=x + 1, y=y + 1, width=side - 2, height=height - 2, rx=3)
            middle, base = x + side / 2, y + height / 2 + 0.35 * size
            if is_large:
                text = join(
                    (
                        tag("text", texts[i][j], x=middle, y=base - 0.55 * size, class_="middle count"),
                        tag("text", share(value, whole), x=middle, y=base + 0.85 * size, class_="middle"),
                    )
                )
            else:
                text = tag("text", texts[i][j], x=middle, y=base, class_="middle" if is_wide else "middle small")
            marks.append(tag("g", box, text, class_=f"heat-{step} on-{step}" + (" right" if i == j else "")))
    return picture(max(width, 90.0), bottom + 4, label, *marks)


def _step(value: int, whole: int) -> int:
    """The colour of a count: the palest for none at all, and a visible one for any."""
    if not value:
        return 0
    return max(1, min(HEAT_STEPS - 1, int(value / max(1, whole) * HEAT_STEPS)))


def _short(value: int, is_wide: bool) -> str:
    if not value:
        return "·" if not is_wide else "0"
    if is_wide or value < 10_000:
        return count(value) if is_wide else str(value)
    return f"{value // 1000}k"


def _head(name: str, x: float, top: float, turned: bool) -> Markup:
    if not turned:
        return tag("text", name, x=x, y=top - 0.6 * FONT, class_="tick middle")
    y = top - 6
    return tag("text", name, x=x + 4, y=y, class_="tick", transform=f"rotate(-90 {x + 4:.1f} {y:.1f})")
