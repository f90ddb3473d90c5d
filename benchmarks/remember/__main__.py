"""`python -m benchmarks.remember`: the report on machines that remember."""

import sys

from benchmarks.remember.book import MEMORY
from benchmarks.ways.command import main

if __name__ == "__main__":
    sys.exit(main(MEMORY))
