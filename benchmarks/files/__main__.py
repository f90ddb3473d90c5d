"""`python -m benchmarks.files`: the report on files and commands."""

import sys

from benchmarks.files.book import FILES
from benchmarks.ways.command import main

if __name__ == "__main__":
    sys.exit(main(FILES))
