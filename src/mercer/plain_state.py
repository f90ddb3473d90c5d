"""What of an object goes into its pickle."""

from __future__ import annotations

from functools import cached_property
from typing import Any

__all__ = ["PlainState"]


class PlainState:
    """An object whose pickle, and so its `joblib.hash`, is the same whatever was worked out from it meanwhile."""

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }
