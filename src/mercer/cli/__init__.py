"""Commands. A leaf: it may import everything, and nothing imports it.

`app` has the list of commands, each a file of its own whose body imports what it needs when it runs: `mercer --help`
takes no longer than Python and click. Data go to standard output, talk to standard error (`terminal`); every way to end
has an exit code (`ending`). `svm_train`, `svm_predict` and `svm_scale` take LIBSVM's own options and files.
"""

from __future__ import annotations

import sys

__all__ = ["main", "svm_predict", "svm_scale", "svm_train"]


def main() -> int:
    """The program `mercer`."""
    try:
        from mercer.cli.app import run
    except ImportError as error:
        package = error.name or "a package"
        print(f"error: {package} is not installed. Install it: pip install mercer[app]", file=sys.stderr)
        return 2
    return run(sys.argv[1:])


# LIBSVM's programs under names of their own as well, for scripts that ask for an executable, as its grid.py does.


def svm_train() -> int:
    """The program `mercer-svm-train`."""
    from mercer.cli.svm_train import main as program

    return program(sys.argv[1:])


def svm_predict() -> int:
    """The program `mercer-svm-predict`."""
    from mercer.cli.svm_predict import main as program

    return program(sys.argv[1:])


def svm_scale() -> int:
    """The program `mercer-svm-scale`."""
    from mercer.cli.svm_scale import main as program

    return program(sys.argv[1:])
