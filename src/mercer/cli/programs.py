"""LIBSVM's programs under names of their own, for scripts that ask for an executable, as LIBSVM's grid.py does."""

from __future__ import annotations

import sys

__all__ = ["svm_predict", "svm_scale", "svm_train"]


def svm_train() -> int:
    """The program `mercer-svm-train`."""
    from mercer.cli.svm_train import main

    return main(sys.argv[1:])


def svm_predict() -> int:
    """The program `mercer-svm-predict`."""
    from mercer.cli.svm_predict import main

    return main(sys.argv[1:])


def svm_scale() -> int:
    """The program `mercer-svm-scale`."""
    from mercer.cli.svm_scale import main

    return main(sys.argv[1:])
