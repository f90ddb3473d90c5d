"""Versions of scikit-learn: what its own transformers keep may differ from one to the next."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from mercer.errors import NumericsWarning, warn_user

__all__ = ["check_scikit_learn", "other_version", "scikit_learn_version"]


def scikit_learn_version() -> str:
    try:
        return version("scikit-learn")
    except PackageNotFoundError:
        return "unknown"


def _is_other(written: Any) -> bool:
    return not isinstance(written, str) or written.split(".")[:2] != scikit_learn_version().split(".")[:2]


def other_version(told: dict[str, Any]) -> str:
    """A sentence where the file is from another version of scikit-learn, which may be all that is wrong."""
    written = told.get("scikit-learn")
    if written is None or not _is_other(written):
        return ""
    return f" It was written with scikit-learn {written!s:.20}, and this is {scikit_learn_version()}: load it there."


def check_scikit_learn(path: str, written: Any) -> None:
    """Warns of transformers of scikit-learn's that another version wrote."""
    if _is_other(written):
        warn_user(
            NumericsWarning(
                f"{path} has transformers of scikit-learn {written!s:.20}, and this is {scikit_learn_version()}: "
                "expected the same version, in which they are known to mean the same. Look at some predictions, or fit "
                "and save it again."
            )
        )
