"""What a model file cannot hold, why, and what to do instead."""

from __future__ import annotations

from typing import Any

from mercer.errors import ModelFileError

__all__ = ["unstorable"]


def unstorable(value: Any, where: str) -> ModelFileError:
    """The error for a value that no file can hold."""
    return ModelFileError(
        f"{where}: expected numbers, texts, arrays, kernels and estimators of Mercer's, or scikit-learn's plain "
        f"transformers, got {_told(value)}. {_advice(value)}"
    )


def _told(value: Any) -> str:
    if not isinstance(value, type) and hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"an array of dtype {value.dtype}"
    kind = type(value)
    told = repr(value)
    return f"{kind.__module__}.{kind.__qualname__}" if len(told) > 60 else f"{told} ({kind.__name__})"


def _advice(value: Any) -> str:
    kind = type(value).__name__
    if kind in ("RandomState", "Generator"):
        return "A file holds no state of random numbers: give random_state as a whole number."
    if hasattr(value, "_sign") and hasattr(value, "_kwargs"):
        return "A score that is a function cannot be stored: give scoring by its name."
    if callable(value) and not hasattr(value, "fit"):
        return (
            "A file holds no code, and loading one runs none: use a kernel, a metric or a score by its name, or keep "
            "such a model with pickle or joblib."
        )
    return "Leave it out, or keep such a model with pickle or joblib."
