"""Names of the array types that pass between the folders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Integers", "Booleans", "Labels"]

Floats = NDArray[np.float64]
Integers = NDArray[np.signedinteger[Any]]
Booleans = NDArray[np.bool_]
Labels = NDArray[Any]
