"""The support vectors of a LIBSVM model file: a line each, its coefficients and then `index:value` pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.io.libsvm_header import Header, ModelFileError, line_error, plain_integer, plain_number, read_header
from mercer.kernels import Precomputed
from mercer.typing import Floats, Integers

__all__ = ["ModelText", "read_model_text"]

# LIBSVM keeps indices in 32 bits.
_MOST_INDEX = 2**31 - 1


@dataclass(frozen=True, eq=False)
class ModelText:
    """All that a LIBSVM model file says, in its order and with its signs.

    `coef` has one row fewer than there are classes and a column a support vector. `vectors` are rows of features, the
    first of which has the number `first_index`; of a precomputed kernel they are empty, and `serials` are the numbers
    of the training rows, from one.
    """

    header: Header
    coef: Floats
    vectors: Any
    serials: Integers
    first_index: int = 1


def read_model_text(content: bytes, name: str) -> ModelText:
    """What a model file with this content says; `name` is that of the file, for messages."""
    head, first, rest = _parted(content, name)
    header = read_header(head, name)
    lines = rest.split(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) != header.vectors:
        raise ModelFileError(
            f"{name}: expected {header.vectors} support vectors, as total_sv says, got {len(lines)} lines after 'SV'. "
            "The file is cut off or was changed; write it again."
        )
    if header.classes == 1 and lines:
        raise line_error(name, first, "expected no support vectors of a single class", lines[0])
    parsed = _Vectors(lines, first, header.classes - 1, name)
    if isinstance(header.kernel, Precomputed):
        return ModelText(header, parsed.coef, sp.csr_matrix((header.vectors, 0)), parsed.serials())
    first_index = 0 if len(parsed.indices) and int(parsed.indices.min()) == 0 else 1
    return ModelText(header, parsed.coef, parsed.rows(first_index), np.zeros(0, dtype=np.int64), first_index)


def _parted(content: bytes, name: str) -> tuple[list[bytes], int, bytes]:
    """The lines of the header, the number of the first support vector's line, and all from there on."""
    head: list[bytes] = []
    begin = 0
    while begin < len(content):
        end = content.find(b"\n", begin)
        end = len(content) if end < 0 else end
        line = content[begin:end]
        begin = end + 1
        if line.strip() == b"SV":
            return head, len(head) + 2, content[begin:]
        head.append(line)
        if len(head) > _MOST_HEADER_LINES:
            break
    raise ModelFileError(
        f"{name}: expected a line 'SV' after at most {_MOST_HEADER_LINES} lines that begin with svm_type, kernel_type, "
        "rho and the like, got none. Is the file a LIBSVM model, and whole?"
    )


# As many as there are words that a line can begin with.
_MOST_HEADER_LINES = 13


class _Vectors:
    """Coefficients, indices and values of all lines, checked."""

    def __init__(self, lines: list[bytes], first: int, coefs: int, name: str) -> None:
        self.lines, self.first, self.name = lines, first, name
        words: list[bytes] = []
        indices: list[bytes] = []
        values: list[bytes] = []
        ends = [0]
        for number, line in enumerate(lines, start=first):
            pairs, tokens = line.count(b":"), line.split()
            fields = line.replace(b":", b" ").split()
            if len(tokens) != coefs + pairs or len(fields) != coefs + 2 * pairs or not _are_pairs(tokens[coefs:]):
                expected = f"expected {coefs} coefficient{'s' * (coefs != 1)} and then pairs 'index:value'"
                raise line_error(name, number, expected, line)
            words += fields[:coefs]
            indices += fields[coefs::2]
            values += fields[coefs + 1 :: 2]
            ends.append(len(indices))
        self.ends = np.array(ends, dtype=np.int64)
        self.coef = np.ascontiguousarray(self._numbers(words, coefs).reshape(len(lines), coefs).T)
        self.indices = self._indices(indices)
        self.values = self._numbers(values)

    def _numbers(self, words: list[bytes], each: int | None = None) -> Floats:
        """Finite numbers; in one go where all are plain, else one by one, to tell which is not."""
        try:
            found = np.array([float(word) for word in words], dtype=np.float64)
            if np.isfinite(found).all() and not any(b"_" in line for line in self.lines):
                return found
        except ValueError:
            pass
        found = np.array([plain_number(word) for word in words], dtype=np.float64)
        self._refuse(np.flatnonzero(~np.isfinite(found)), words, "expected finite numbers", each)
        return found

    def _indices(self, words: list[bytes]) -> Integers:
        """Whole numbers from zero on, rising along each line."""
        found = [plain_integer(word) for word in words]
        wrong = [k for k, index in enumerate(found) if index is None or not 0 <= index <= _MOST_INDEX]
        self._refuse(np.array(wrong, dtype=np.int64), words, f"expected indices from 0 to {_MOST_INDEX}")
        indices = np.array(found, dtype=np.int64)
        falls = np.ones(len(indices), dtype=bool)
        falls[1:] = np.diff(indices) <= 0
        falls[self.ends[:-1][self.ends[:-1] < len(indices)]] = False
        self._refuse(np.flatnonzero(falls), words, "expected indices in rising order")
        return indices

    def _refuse(self, places: Any, words: list[bytes], expected: str, each: int | None = None) -> None:
        """Raises for the first of the places, where there is one."""
        if not len(places):
            return
        place = int(places[0])
        line = place // each if each else int(np.searchsorted(self.ends, place, side="right")) - 1
        raise line_error(self.name, self.first + line, expected, words[place])

    def rows(self, first_index: int) -> Any:
        """The support vectors, a column a feature."""
        columns = int(self.indices.max()) + 1 - first_index if len(self.indices) else 0
        kind = np.int32 if max(columns, len(self.indices)) <= _MOST_INDEX else np.int64
        parts = (self.values, (self.indices - first_index).astype(kind), self.ends.astype(kind))
        return sp.csr_matrix(parts, shape=(len(self.lines), columns))

    def serials(self) -> Integers:
        """The numbers of the training rows: `0:serial` is all that a line says after its coefficients."""
        for number, (begin, end) in enumerate(zip(self.ends[:-1], self.ends[1:], strict=True)):
            fits = end - begin == 1 and self.indices[begin] == 0
            if not fits or not (1 <= self.values[begin] <= _MOST_INDEX) or self.values[begin] % 1:
                expected = "expected '0:serial', the number of a training row from 1 on, of a precomputed kernel"
                raise line_error(self.name, self.first + number, expected, self.lines[number])
        serials = self.values.astype(np.int64)
        _, place = np.unique(serials, return_index=True)
        if len(place) < len(serials):
            again = int(np.setdiff1d(np.arange(len(serials)), place)[0])
            expected = "expected each training row of a precomputed kernel once"
            raise line_error(self.name, self.first + again, expected, self.lines[again])
        return serials


def _are_pairs(tokens: list[bytes]) -> bool:
    return all(b":" in token for token in tokens)
