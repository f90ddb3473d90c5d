"""Colours, markers and line styles that tell things apart in grey and to the colour-blind as well.

The colours are those of Okabe and Ito (2008). Nothing is told by colour alone.
"""

__all__ = [
    "BLUE",
    "CHOICE",
    "CLASS_COLOURS",
    "CLASS_MARKERS",
    "EACH_CLASS_COLOURS",
    "EACH_CLASS_MARKERS",
    "GREEN",
    "GREY",
    "LINE_STYLES",
    "ORANGE",
    "PURPLE",
    "SERIES_COLOURS",
    "SKY",
    "VERMILLION",
]

BLUE = "#0072b2"
ORANGE = "#e69f00"
VERMILLION = "#d55e00"
GREEN = "#009e73"
PURPLE = "#cc79a7"
SKY = "#56b4e9"
GREY = "#7f7f7f"

#: What was chosen of many: black within white, which is seen on every colour.
CHOICE = {"marker": "*", "facecolors": "black", "edgecolors": "white", "linewidths": 1.0, "zorder": 4}

#: The two classes of a machine, in the order of `classes_`: by shape and by brightness.
CLASS_COLOURS = (BLUE, ORANGE)
CLASS_MARKERS = ("o", "s")

#: Of machines for any number of classes, of which this many can be told apart; the first two look as above.
EACH_CLASS_COLOURS = (*CLASS_COLOURS, GREEN, PURPLE, VERMILLION, SKY)
EACH_CLASS_MARKERS = (*CLASS_MARKERS, "^", "D", "v", "P")

#: Curves that share a picture: the n-th has the n-th colour and the n-th style.
SERIES_COLOURS = ("black", BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
LINE_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 3)), (0, (1, 3)))
