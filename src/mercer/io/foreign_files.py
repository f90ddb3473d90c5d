"""What a file is that is no model file, as its first bytes tell, and what to do with it."""

from __future__ import annotations

__all__ = ["told_of"]

_BEGINNINGS = (
    (b"\x80", "a pickle. Reading one runs whatever code it holds: load it with pickle or joblib if you trust it"),
    (b"PK\x03\x04", "a zip archive, as skops or NumPy write"),
    (b"\x93NUMPY", "an array of NumPy's"),
    (b"\x1f\x8b", "a file compressed by gzip. Unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a file compressed by zstd. Unpack it first"),
    (b"\x89HDF", "an HDF5 file"),
    (b"PAR1", "a Parquet table"),
    (b"svm_type", "a model of LIBSVM's. Read it with mercer.io.load_libsvm_model"),
    (b"solver_type", "a model of LIBLINEAR's"),
    (b"{", "a JSON text"),
    (b"<", "an XML or HTML text"),
)


def told_of(start: bytes, size: int) -> str:
    """A sentence on a file with these first bytes, of so many."""
    if size == 0:
        return "an empty file."
    for beginning, told in _BEGINNINGS:
        if start.startswith(beginning):
            return f"{told}."
    return f"a file of {size} bytes that is damaged, cut short or something else."
