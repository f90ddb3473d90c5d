"""Kernel ridge regression, Gaussian processes and features that matter, beside their peers.

Each section of the report is a file in ``sections``; ``processes`` has the search for a kernel's parameters as other
libraries do it. ``python -m benchmarks.smooth`` keeps the figures in ``smooth.json`` and writes ``SMOOTH.md`` from all
that are kept.
"""
