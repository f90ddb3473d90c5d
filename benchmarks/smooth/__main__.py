"""`python -m benchmarks.smooth`: the report on smooth machines."""

import sys

from benchmarks.smooth.book import SMOOTH
from benchmarks.ways.command import main

if __name__ == "__main__":
    sys.exit(main(SMOOTH))
