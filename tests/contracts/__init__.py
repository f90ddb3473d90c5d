"""What must hold for every kernel, problem, solver, machine and estimator: registering one is all it takes to test it.

Each kind of thing has a registry, `kernel_registry` and so on: data only, one entry a thing, with what poses it and the
naive twin of `tests.reference` that it must equal. `test_all_*` runs over the entries, and fails where the library has
one that its registry does not hold.
"""
