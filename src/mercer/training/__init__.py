"""From a table to a certified model: encode, tune, fit, certify, evaluate, and say what was found.

A leaf above `tune`: it may import every room but those of pictures, files and commands.
"""

__all__: list[str] = []
