"""The numbers of a fit, as text that holds every bit."""

import hashlib
import json
import platform
import warnings
from pathlib import Path

import numpy as np
import scipy
import scipy.sparse as sp

from tests.golden.cases import CASES

__all__ = ["file_of", "fingerprint", "numbers_of", "read", "take"]

# One file for each kind of processor that numbers were taken on.
_FILES = Path(__file__).parent / "processors"

_ATTRIBUTES = ("support_", "dual_coef_", "coef_", "intercept_", "n_iter_", "epsilon_", "rho_")
_SHOWN = 6
_ROWS = 25


def fingerprint():
    """What bits depend on beside the code."""
    told = dict(line.split(":", 1) for line in reversed(Path("/proc/cpuinfo").read_text().splitlines()) if ":" in line)
    told = {name.strip(): value.strip() for name, value in told.items()}
    return {
        "processor": told.get("model name", ""),
        # Processors of one name differ in caches, by which BLAS parts its sums.
        "model": f"{told.get('cpu family', '')}-{told.get('model', '')}",
        # NumPy and BLAS add in another order with these; processors of one name may have them or not.
        "avx512": "avx512f" in told.get("flags", "").split(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "libc": " ".join(platform.libc_ver()),
    }


def numbers_of(name):
    """The numbers of one case: a digest of each array, and some of its entries for people."""
    make, data = CASES[name]
    X, y, *weights = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make()
        model.fit(X, y, *weights)
        found = {"status": model.status_.name}
        for attribute in _ATTRIBUTES:
            if hasattr(model, attribute):
                found[attribute] = _told(getattr(model, attribute))
        ask = model.decision_function if hasattr(model, "decision_function") else model.predict
        found["values"] = _told(ask(X[:_ROWS]))
        if getattr(model, "probability", False):
            found["probabilities"] = _told(model.predict_proba(X[:_ROWS]))
    return found


def _told(values):
    dense = np.ascontiguousarray(values.toarray() if sp.issparse(values) else values)
    dense = dense.astype(np.int64 if dense.dtype.kind in "iu" else np.float64)
    chosen = dense.ravel()[np.linspace(0, dense.size - 1, min(_SHOWN, dense.size)).astype(int)]
    return {
        "shape": list(dense.shape),
        "digest": hashlib.sha256(dense.tobytes()).hexdigest()[:16],
        "some": chosen.tolist(),
    }


def take():
    """The numbers of all cases, with what they depend on."""
    return {"fingerprint": fingerprint(), "cases": {name: numbers_of(name) for name in CASES}}


def file_of(found):
    """Where the numbers of a fingerprint are kept."""
    return _FILES / f"{_kind(found)}-{found['model']}.json"


def _kind(found):
    processor = "".join(letter if letter.isalnum() else "-" for letter in found["processor"].lower())
    return f"{processor}{'-avx512' if found['avx512'] else ''}"


def read():
    """What is on file for the processor at hand; None where nothing is, or of other libraries.

    Some numbers are of a kind of processors whose models nobody noted: they are for all models without a file.
    """
    found = fingerprint()
    of_kind = {name: value for name, value in found.items() if name != "model"}
    for path, expected in ((file_of(found), found), (_FILES / f"{_kind(found)}.json", of_kind)):
        known = json.loads(path.read_text()) if path.exists() else None
        if known is not None and known["fingerprint"] == expected:
            return known
    return None
