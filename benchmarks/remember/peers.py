"""The other libraries that may be installed. One that is not is left out of the races."""

from __future__ import annotations

from typing import Any

from benchmarks.ways.book import installed

#: Modules by the names of the packages that hold them.
MODULES = {
    "scikit-learn": "sklearn",
    "faiss-cpu": "faiss",
    "pykdtree": "pykdtree.kdtree",
    "statsmodels": "statsmodels.nonparametric.smoothers_lowess",
    "fastlowess": "fastlowess",
    "scikit-misc": "skmisc.loess",
}


def module_of(package: str) -> Any:
    """The module of a package, or None where that is not installed."""
    return installed(MODULES[package])
