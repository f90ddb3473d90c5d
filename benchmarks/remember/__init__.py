"""Machines that remember their rows beside their peers: neighbours, densities and local regression.

A problem is a number of ways to answer the same question, which take turns (``benchmarks.ways``). Each section of the
report is a file in ``sections``, which says what is measured, and which bars are asked of it. ``peers`` knows which
other libraries are installed, ``judge`` what is right. ``python -m benchmarks.remember`` keeps the figures in
``memory.json`` and writes ``MEMORY.md`` from all that are kept; README.md says how to read it.
"""
