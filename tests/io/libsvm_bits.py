"""Text that was written, and arrays compared bit by bit."""

import io

from mercer.data.libsvm_data import dump_libsvm


def dumped(X, y, **options):
    file = io.BytesIO()
    dump_libsvm(X, y, file, **options)
    return file.getvalue()


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
