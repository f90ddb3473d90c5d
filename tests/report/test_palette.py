"""Colours can be told from what they stand on, light and dark."""

import pytest

from mercer.report.palette import DARK, LIGHT, contrast, heat

# WCAG 2, level AA: text, and marks of charts.
TEXT, MARKS = 4.5, 3.0
LETTERS = ["ink", "muted", "accent", "warning", "note", "fine"]


def test_contrast_of_black_on_white_is_the_largest():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#777777") == 1.0


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", LETTERS)
def test_letters_can_be_read(colours, name):
    assert contrast(colours[name], colours["paper"]) >= TEXT
    assert contrast(colours[name], colours["raised"]) >= TEXT


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["line-0", "line-1", "line-2", "line-3", "line-4", "faint"])
def test_marks_can_be_seen(colours, name):
    assert contrast(colours[name], colours["paper"]) >= MARKS


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_on_maps_can_be_read(scheme):
    colours = heat(scheme)
    assert len(set(colours)) == len(colours)
    assert all(contrast(ink, colour) >= TEXT for colour, ink in colours)


def test_both_schemes_have_the_same_names():
    assert LIGHT.keys() == DARK.keys()
