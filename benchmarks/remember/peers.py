"""The other libraries: those that are installed, and their versions. One that is not is left out of the races."""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import Any

import mercer
from mercer._runtime import core

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
    try:
        return importlib.import_module(MODULES[package])
    except ImportError:
        return None


def told_versions() -> str:
    """Mercer and all peers, those that are not installed told to be so."""
    told = [f"mercer {mercer.__version__} ({core.simd_level()})"]
    for package in MODULES:
        is_there = module_of(package) is not None
        told.append(f"{package} {importlib.metadata.version(package) if is_there else 'not installed'}")
    return ", ".join(told)
