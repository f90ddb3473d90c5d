"""Examples in docstrings run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import mercer


def modules():
    """The names of all modules whose docstrings have an example."""
    names = [found.name for found in pkgutil.walk_packages(mercer.__path__, "mercer.")]
    return [name for name in names if not name.endswith(("__main__", "_core")) and ">>>" in source_of(name)]


def source_of(name):
    loader = importlib.util.find_spec(name).loader
    return loader.get_source(name) or ""


@pytest.mark.parametrize("name", modules())
def test_examples_print_what_they_say(name):
    module = importlib.import_module(name)
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert found.attempted > 0
    assert found.failed == 0
