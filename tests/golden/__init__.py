"""Numbers of many small fits, bit by bit: what moving code about must not change.

`python -m tests.golden check` compares them, at the SIMD level "base"; `write` takes those of today. Bits depend on the
compiler, NumPy and the processor, so the test of them runs where the file was written and is left out elsewhere.
"""
