"""Parameter search beside its peers: `mercer.GridSearchCV`, scikit-learn's, and what others publish.

``tasks`` are data with a grid; ``searches`` are the ways to search it, and ``race`` lets them take turns. Each section
of the report is a file in ``sections``, which says what is run on its tasks and how it is told. ``python -m
benchmarks.tune`` keeps the figures in ``tune.json`` and writes ``TUNE.md`` from all that are kept; README.md says how
to read it.
"""
