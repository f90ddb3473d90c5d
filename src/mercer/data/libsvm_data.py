"""Data in the text format of LIBSVM and SVMlight, both ways.

A row is a line: ``label qid:number index:value index:value … # comment``, where the query id and the comment may be
missing, and entries that are missing are zero. The core reads and writes it on all threads.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._runtime import available_threads, core
from mercer.checks import flag, flag_or_auto, integer, number_of_threads
from mercer.data import is_sparse
from mercer.data.libsvm_faults import told
from mercer.data.read_text import TextSource, is_plain_file, name_of, text_of
from mercer.data.written_text import opened_for_writing
from mercer.errors import InputError, ParameterError
from mercer.typing import Floats

__all__ = ["LibsvmData", "dump_libsvm", "load_libsvm"]

# Entries that are made text before it is written: some ten megabytes of it.
_ENTRIES_AT_ONCE = 1 << 19
# Up to here, float64 holds every whole number.
_MOST_WHOLE = 2**53


@dataclass(frozen=True, eq=False)
class LibsvmData:
    """Rows, their labels, and what else a file of LIBSVM data tells."""

    X: sp.csr_matrix
    y: Floats
    query_id: NDArray[np.int64] | None
    zero_based: bool


def load_libsvm(
    source: TextSource,
    *,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    dtype: Any = np.float64,
    query_id: bool = False,
    ensure_all_finite: bool = True,
    threads: int | None = None,
    name: str | None = None,
) -> LibsvmData:
    """Read LIBSVM data.

    Numbers are rounded correctly, as `float` reads them. Entries stay as the file has them, explicit zeros included, so
    that files of precomputed kernels (``0:number 1:value …``) are read too: their first column is the number.

    Parameters
    ----------
    source : str, path, file object or bytes
        What to read; "-" is standard input. Text that gzip, bz2 or xz has compressed is told by its first bytes.
    n_features : int, optional
        Columns of X. By default as many as the largest index asks for. An index beyond it is an error.
    zero_based : bool or "auto"
        Whether the first feature has index 0. "auto": it has where an index 0 occurs in the file.
    dtype : float64 or float32
        Of X. Labels are float64.
    query_id : bool
        Whether to return the numbers after ``qid:``, which every row must have then.
    ensure_all_finite : bool
        Whether nan and infinity are errors.
    threads : int, optional
        By default all that are available. Results do not depend on it.
    name : str, optional
        What errors call the source.

    Returns
    -------
    LibsvmData
        With fields `X` (a `csr_matrix`), `y`, `query_id` (or None) and `zero_based`.

    Examples
    --------
    >>> from mercer.data.libsvm_data import load_libsvm
    >>> data = load_libsvm(b"+1 1:0.5 3:2\\n-1 2:1e3  # a comment\\n")
    >>> data.X.toarray().tolist(), data.y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1000.0, 0.0]], [1.0, -1.0])
    """
    columns = None if n_features is None else integer("n_features", n_features, 0)
    arguments = {
        "base": _base_of(zero_based),
        "columns": None if columns is None else min(columns, 2**63 - 1),
        "single": _is_single(dtype),
        "finite_only": flag("ensure_all_finite", ensure_all_finite),
        "with_queries": flag("query_id", query_id),
        "threads": number_of_threads("threads", threads) or available_threads(),
    }
    try:
        values, indices, indptr, labels, queries, seen, is_zero_based = _read(source, arguments)
    except core.LibsvmError as error:
        raise told(error, name or name_of(source), n_features) from None
    shape = (len(labels), seen if columns is None else columns)
    X = sp.csr_matrix((values, indices, indptr), shape=shape)
    X.has_canonical_format = True
    return LibsvmData(X, labels, queries, is_zero_based)


def dump_libsvm(
    X: Any,
    y: Any,
    path: str | Path | IO[bytes],
    *,
    zero_based: bool = False,
    comment: str | None = None,
    query_id: Any = None,
    threads: int | None = None,
) -> None:
    """Write LIBSVM data that `load_libsvm` reads as the same numbers, to the last bit.

    Numbers are written in the fewest digits that tell them from all others. Zeros of a dense matrix are left out; so
    are columns that end in zeros only, for which `load_libsvm` has `n_features`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    y : array of shape (n,)
        Labels or targets, numbers.
    path : str, path or file object
        Where to write: "-" is standard output, and endings .gz, .bz2 and .xz compress. A file is replaced as a whole,
        once all of it is written.
    zero_based : bool
        Whether the first feature has index 0. LIBSVM begins with 1.
    comment : str, optional
        Written before the rows, with # before each of its lines.
    query_id : array of shape (n,), optional
        Whole numbers, written as ``qid:number``.
    threads : int, optional
        By default all that are available.

    Examples
    --------
    >>> from io import BytesIO
    >>> from mercer.data.libsvm_data import dump_libsvm
    >>> file = BytesIO()
    >>> dump_libsvm([[0.1, 0], [0, 2]], [1, -1], file, comment="two rows")
    >>> print(file.getvalue().decode(), end="")
    # two rows
    1 1:0.1
    -1 2:2
    """
    data, rows, entries = _matrix_of(X)
    labels = np.ascontiguousarray(_exact_numbers(_vector_of(y, rows, "labels"), "labels"), dtype=np.float64)
    queries = None if query_id is None else _whole_numbers(_vector_of(query_id, rows, "query ids"))
    is_zero_based = flag("zero_based", zero_based)
    used = number_of_threads("threads", threads) or available_threads()
    rows_at_once = max(1, _ENTRIES_AT_ONCE * rows // max(entries, rows, 1))
    with opened_for_writing(path) as out:
        if comment is not None:
            out.write("".join(f"# {line}\n" for line in comment.splitlines()).encode())
        for first in range(0, rows, rows_at_once):
            last = min(rows, first + rows_at_once)
            out.write(core.libsvm_lines(data, labels, queries, is_zero_based, first, last, used))


def _read(source: TextSource, arguments: dict[str, Any]) -> tuple[Any, ...]:
    if not isinstance(source, (str, os.PathLike)) or source == "-":
        return core.read_libsvm(text_of(source), **arguments)
    with open(source, "rb", buffering=0) as file:
        if not is_plain_file(file.fileno()):
            return core.read_libsvm(text_of(file), **arguments)
        try:
            return core.read_libsvm_file(file.fileno(), os.fstat(file.fileno()).st_size, **arguments)
        except RuntimeError as error:
            raise InputError(f"{source}: expected a file that nobody changes, but {error}.") from error


def _base_of(zero_based: Any) -> core.IndexBase:
    known = flag_or_auto("zero_based", zero_based)
    if known is None:
        return core.IndexBase.detect
    return core.IndexBase.zero if known else core.IndexBase.one


def _is_single(dtype: Any) -> bool:
    wanted = np.dtype(dtype)
    if wanted not in (np.float32, np.float64):
        raise ParameterError(f"dtype: expected float64 or float32, got {wanted}. Convert what was read.")
    return bool(wanted == np.float32)


def _matrix_of(X: Any) -> tuple[core.Data, int, int]:
    """The core's view of a matrix, its rows, and how many entries it has at most."""
    if not is_sparse(X):
        X = np.asarray(X)
    if X.ndim != 2:
        raise InputError(f"Expected a matrix with a row for each label, got an array of shape {X.shape}.")
    if not is_sparse(X):
        values = np.require(_exact_numbers(X, "X"), requirements=["C", "A"])
        return core.Data.dense(values), X.shape[0], X.size
    X = X.tocsr()
    try:
        X.check_format(full_check=True)
    except ValueError as error:
        raise InputError(f"Expected a well-formed sparse matrix, got one that is not: {error}.") from error
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    index = np.int64 if 8 in (X.indices.itemsize, X.indptr.itemsize) else np.int32
    indices, indptr = (np.require(part, index, ["C", "A"]) for part in (X.indices, X.indptr))
    values = np.require(_exact_numbers(X.data, "X"), requirements=["C", "A"])
    return core.Data.csr(values, indices, indptr, X.shape[1]), X.shape[0], X.nnz


def _vector_of(values: Any, rows: int, what: str) -> NDArray[Any]:
    vector = np.asarray(values)
    if vector.shape != (rows,):
        raise InputError(f"Expected {rows} {what}, one for each row of X, got an array of shape {vector.shape}.")
    return vector


def _exact_numbers(values: NDArray[Any], what: str) -> NDArray[np.floating[Any]]:
    """As float64, or float32 where they are; an error where that would change a number."""
    if values.dtype.kind not in "biuf":
        raise InputError(f"Expected {what} that are numbers, got {values.dtype}. Encode words as numbers first.")
    if values.dtype.kind == "f" and values.dtype.itemsize == 4:
        return values.astype(np.float32, copy=False)
    numbers = values.astype(np.float64, copy=False)
    if values.dtype.itemsize > 8:
        is_exact = not np.any((numbers != values) & ~np.isnan(values))
    else:
        is_whole = values.dtype.kind in "iu" and values.size > 0
        is_exact = not is_whole or (values.max() <= _MOST_WHOLE and values.min() >= -_MOST_WHOLE)
    if not is_exact:
        raise InputError(f"Expected {what} that float64 holds exactly, got larger or longer ones of {values.dtype}.")
    return numbers


def _whole_numbers(values: NDArray[Any]) -> NDArray[np.int64]:
    if values.dtype.kind not in "biu" or (values.dtype.kind == "u" and values.size and values.max() >= 2**63):
        raise InputError(f"Expected query ids that are whole numbers of 64 bits, got {values.dtype}.")
    return np.ascontiguousarray(values, dtype=np.int64)
