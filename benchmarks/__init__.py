"""Mercer beside other SVM libraries: the same data, tol, cache and threads, judged by one float64 judge.

``python -m benchmarks`` from the root of the repository runs the race, keeps the figures in ``results.json`` and
writes ``RESULTS.md`` from all that are kept; README.md says how to read it.
"""
