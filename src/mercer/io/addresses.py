"""Where the classes are that a model file may name: a closed list. Nothing is imported that a file tells.

A file has the name of a class; its address is looked up here. Classes are imported when a file asks for one, so that
reading a table's model takes none of scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["address_of", "found_at"]


def address_of(kind: type) -> str:
    """The module and name of a class."""
    return f"{kind.__module__}:{kind.__qualname__}"


def found_at(address: str) -> Any:
    """The class at an address of Mercer's own tables."""
    module, _, name = address.partition(":")
    return getattr(import_module(module), name)
