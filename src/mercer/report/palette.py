"""The colours of a page, light and dark, as variables of its style sheet.

One accent, inks on paper, and what tells lines and levels of warning apart. All text keeps a contrast of 4.5 at least
to what it stands on, and all marks of charts 3; a test computes them.
"""

from __future__ import annotations

__all__ = ["DARK", "HEAT_STEPS", "LIGHT", "contrast", "heat", "heat_classes", "variables"]

#: How many colours a map has, from the least to the largest.
HEAT_STEPS = 10

LIGHT = {
    "paper": "#fcfbf8",
    "raised": "#f4f2ec",
    "ink": "#1c1f23",
    "muted": "#5a5f66",
    "rule": "#e2dfd7",
    "faint": "#8b8f94",
    "accent": "#0f5c7a",
    "warning": "#94450a",
    "note": "#4f4a86",
    "fine": "#2c6a3f",
    "line-0": "#0f5c7a",
    "line-1": "#b4511a",
    "line-2": "#6650a8",
    "line-3": "#3b7a36",
    "line-4": "#ad2f5f",
}
DARK = {
    "paper": "#15181b",
    "raised": "#1e2226",
    "ink": "#e7e5e0",
    "muted": "#a6acb3",
    "rule": "#30353a",
    "faint": "#777d84",
    "accent": "#7ec8e3",
    "warning": "#f2ad6b",
    "note": "#b9b2f2",
    "fine": "#8fd0a0",
    "line-0": "#7ec8e3",
    "line-1": "#f2ad6b",
    "line-2": "#b9a9f5",
    "line-3": "#98d28f",
    "line-4": "#f294b6",
}
_HEAT_ENDS = {"light": ("#e9f0f1", "#0c4f69"), "dark": ("#22292d", "#9adcf3")}


def heat(scheme: str) -> list[tuple[str, str]]:
    """Colours of a map from the least value to the largest, each with the colour of letters on it."""
    low, high = (_channels(end) for end in _HEAT_ENDS[scheme])
    steps = [place / (HEAT_STEPS - 1) for place in range(HEAT_STEPS)]
    mixed = ["#" + "".join(f"{round(a + (b - a) * t):02x}" for a, b in zip(low, high, strict=True)) for t in steps]
    # Whichever of both is further away has a contrast of 4.58 at least, on any colour.
    return [(colour, max("#000000", "#ffffff", key=lambda ink: contrast(ink, colour))) for colour in mixed]


def variables(scheme: str) -> str:
    """Declarations of all colours of a scheme, "light" or "dark"."""
    named = dict(LIGHT if scheme == "light" else DARK)
    for step, (colour, ink) in enumerate(heat(scheme)):
        named[f"heat-{step}"], named[f"on-{step}"] = colour, ink
    return f"color-scheme: {scheme};" + "".join(f"--{name}:{colour};" for name, colour in named.items())


def heat_classes() -> str:
    """Rules by which boxes of a map and letters on them have the colours of their step."""
    steps = range(HEAT_STEPS)
    return "".join(
        f"rect.heat-{k},.heat-{k} rect{{fill:var(--heat-{k})}}text.on-{k},.on-{k} text{{fill:var(--on-{k})}}"
        f".edge-{k}{{stroke:var(--on-{k})}}"
        for k in steps
    )


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as WCAG 2 defines it: from 1, the same, to 21, black on white."""
    lower, upper = sorted((_luminance(one), _luminance(other)))
    return (upper + 0.05) / (lower + 0.05)


def _luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _channels(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
