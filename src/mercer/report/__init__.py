"""What a training run found, as a report: one HTML page, its text as Markdown, its numbers as JSON.

A leaf that knows `Findings` alone. `sections` say what there is to say, once, in blocks (`blocks.py`); `page.py` makes
HTML of them and `markdown.py` text. All HTML is made by `markup.py`, which escapes whatever is not HTML already,
and all drawings by `charts`. The page loads nothing and runs nothing.
"""

from mercer.report.writing import write_report

__all__ = ["write_report"]
