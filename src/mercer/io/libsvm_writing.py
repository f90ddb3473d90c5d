"""LIBSVM model files, written as its own programs write them, with all digits of the support vectors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mercer.data import is_sparse
from mercer.data.written_text import opened_for_writing
from mercer.io.libsvm_header import Header, kernel_lines
from mercer.io.libsvm_vectors import ModelText
from mercer.kernels import Precomputed
from mercer.typing import Floats

__all__ = ["model_lines", "write_model_text"]


def write_model_text(text: ModelText, path: str | os.PathLike[str]) -> Path:
    """Writes a model file, which is there as a whole or not at all."""
    with opened_for_writing(Path(path)) as file:
        file.writelines(f"{line}\n".encode("ascii") for line in model_lines(text))
    return Path(path)


def model_lines(text: ModelText) -> Iterator[str]:
    """The lines of a model file."""
    yield from _header_lines(text.header)
    yield "SV"
    for coef, row in zip(text.coef.T, _rows(text), strict=True):
        yield "".join([*(f"{value:.17g} " for value in coef.tolist()), *row])


def _header_lines(header: Header) -> list[str]:
    lines = [f"svm_type {header.problem.value}", *kernel_lines(header.kernel)]
    lines += [f"nr_class {header.classes}", f"total_sv {header.vectors}", _numbers("rho", header.rho)]
    if header.labels:
        lines.append(" ".join(["label", *map(str, header.labels)]))
    named = {"probA": header.prob_a, "probB": header.prob_b, "prob_density_marks": header.marks}
    lines += [_numbers(key, values) for key, values in named.items() if values is not None]
    if header.labels:
        lines.append(" ".join(["nr_sv", *map(str, header.counts)]))
    return lines


def _numbers(key: str, values: Floats) -> str:
    return " ".join([key, *(f"{value:.17g}" for value in values.tolist())])


def _rows(text: ModelText) -> Iterator[list[str]]:
    """What stands in each line after the coefficients."""
    if isinstance(text.header.kernel, Precomputed):
        yield from ([f"0:{serial} "] for serial in text.serials.tolist())
        return
    vectors: Any = text.vectors
    for k in range(text.header.vectors):
        if is_sparse(vectors):
            run = slice(vectors.indptr[k], vectors.indptr[k + 1])
            columns, values = vectors.indices[run], vectors.data[run]
        else:
            columns = np.flatnonzero(vectors[k])
            values = vectors[k, columns]
        yield [
            f"{column}:{_shortest(value)} "
            for column, value in zip((columns + text.first_index).tolist(), values.tolist(), strict=True)
        ]


def _shortest(value: float) -> str:
    """The fewest digits that tell the number, as 0.1 and 1."""
    return repr(value).removesuffix(".0")
