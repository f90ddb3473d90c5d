"""Charts as inline SVG: small functions from numbers to markup.

Colours are classes of the style sheet, so that one drawing serves light, dark and paper. A chart is drawn at the width
of a telephone, and what is wider scrolls in its frame, so that its letters never become too small to read.
"""

from mercer.report.charts.axis import Axis
from mercer.report.charts.bars import bar, mark
from mercer.report.charts.confusion_matrix import confusion_matrix
from mercer.report.charts.heat_map import heat_map
from mercer.report.charts.lines import Line, line_chart
from mercer.report.charts.scatter import scatter

__all__ = ["Axis", "Line", "bar", "confusion_matrix", "heat_map", "line_chart", "mark", "scatter"]
