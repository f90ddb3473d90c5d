"""A report: its title, its sections, where its figures are kept, and which packages it names."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mercer
from benchmarks.ways.section import Section
from mercer._runtime import core

HERE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Book:
    """One report.

    Attributes
    ----------
    name : str
        Of its package in ``benchmarks``.
    title : str
        What it is called.
    sections : dict
        By the letters they are asked for.
    stem : str
        Of its files: figures in ``stem.json``, the report in ``STEM.md``.
    packages : dict
        Modules of other libraries by the names of the packages that hold them.
    """

    name: str
    title: str
    sections: Mapping[str, Section]
    stem: str
    packages: Mapping[str, str]

    @property
    def record(self) -> Path:
        return HERE / f"{self.stem}.json"

    @property
    def output(self) -> Path:
        return HERE / f"{self.stem.upper()}.md"

    def told_versions(self) -> str:
        """Mercer and all peers, those that are not installed told to be so."""
        told = [f"mercer {mercer.__version__} ({core.simd_level()})"]
        for package, module in self.packages.items():
            is_there = installed(module) is not None
            told.append(f"{package} {importlib.metadata.version(package) if is_there else 'not installed'}")
        return ", ".join(told)


def installed(module: str) -> Any:
    """A module, or None where its package is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None
