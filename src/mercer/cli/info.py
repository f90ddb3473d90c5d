"""`mercer info`: what a bug report should say of the machine."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import click

from mercer.cli.options import as_json
from mercer.cli.terminal import paragraph, print_json

__all__ = ["command"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "duckdb", "pyarrow", "onnx", "safetensors")


@click.command("info")
@as_json
def command(is_json: bool) -> None:
    """Versions, the processor's level, threads, BLAS."""
    import numpy as np

    from mercer import __version__
    from mercer._runtime import available_threads, core

    blas = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    found = {
        "mercer": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "simd": core.simd_level(),
        "simd levels": core.simd_levels(),
        "threads": available_threads(),
        "blas": f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip(),
        "packages": {name: _version(name) for name in _PACKAGES},
    }
    if is_json:
        print_json(found)
        return
    for name, value in found.items():
        told = value
        if isinstance(value, dict):
            told = ", ".join(f"{package} {number or 'not installed'}" for package, number in value.items())
        elif isinstance(value, list):
            told = ", ".join(value)
        click.echo(paragraph(name, str(told), indent=13))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
