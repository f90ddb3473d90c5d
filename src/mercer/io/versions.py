"""Versions of scikit-learn: what its own transformers keep may differ from one to the next."""

from __future__ import annotations

from typing import Any

from mercer.errors import NumericsWarning, warn_user

__all__ = ["check_scikit_learn", "scikit_learn_version"]


def scikit_learn_version() -> str:
    import sklearn

    return str(sklearn.__version__)


def check_scikit_learn(path: str, written: Any) -> None:
    """Warns of transformers of scikit-learn's that another version wrote."""
    here = scikit_learn_version()
    if not isinstance(written, str) or written.split(".")[:2] != here.split(".")[:2]:
        warn_user(
            NumericsWarning(
                f"{path} has transformers of scikit-learn {written}, and this is {here}: expected the same version, in "
                "which they are known to mean the same. Look at some predictions, or fit and save it again."
            )
        )
