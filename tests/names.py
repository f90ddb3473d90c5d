"""Names of parameters in the titles of tests."""

import re

__all__ = ["plain"]


def plain(value):
    """The value as text, the same in each process: without the addresses of functions."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
