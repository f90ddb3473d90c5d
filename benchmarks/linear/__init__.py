"""Linear machines beside LIBLINEAR and stochastic gradients: seconds to a primal value, against one certified bound.

Every library climbs a ladder of its own tolerances. Of each fit the whole call is timed, and the primal objective is
recomputed in float64 from the weights. ``python -m benchmarks.linear`` keeps the figures in ``linear.json`` and writes
``LINEAR.md`` from all that are kept; README.md says how to read it.
"""
