"""What reports share that let several ways to answer the same question take turns.

A `Book` has sections, each of which says what is measured (`section`) and which bars are asked of it (`bars`). `race`
lets the ways take turns, `record` keeps the figures, `report` writes them, `command` is the command line. ``remember``
and ``smooth`` are such books.
"""
