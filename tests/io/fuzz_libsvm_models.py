"""Mutated LIBSVM model files: each is refused with an error of Mercer's, or read and predicted by.

`python -m tests.io.fuzz_libsvm_models 1000000` does so guided by coverage where atheris is installed, from the files of
`tests/io/data/libsvm`; `python -m tests.io.fuzz_libsvm_models 1000000 blind` with this file's own mutations.
"""

import os
import sys
import warnings

import numpy as np

from mercer.errors import MercerError
from mercer.io.libsvm_model import LibsvmModel
from mercer.io.libsvm_vectors import read_model_text
from mercer.kernels import Precomputed
from tests.io.libsvm_files import FOLDER, NAMES

WORDS = [
    *(b"0", b"-1", b"1", b"2147483647", b"2147483648", b"1000000000000000000", b"1e308", b"-1e308", b"1e-320", b"nan"),
    *(b"inf", b"0x10", b"1_0", b":", b"1:1", b"0:1", b"2147483647:1", b" ", b"\n", b"\r", b"\x00", b"\xff", b"SV"),
    *(b"c_svc", b"nu_svc", b"one_class", b"epsilon_svr", b"nu_svr", b"linear", b"polynomial", b"rbf", b"sigmoid"),
    *(b"precomputed", b"nr_class 1", b"total_sv 0", b"label", b"probA", b"probB", b"prob_density_marks", b"nr_sv"),
    b"rho",
]
QUERIES = np.array([[0.0, 0, 0, 0, 0], [1.0, -2, 0.5, 3, 1e-3]])


def try_model(content):
    """Reads a model and predicts by it; whatever it raises that is no error of Mercer's is a finding."""
    try:
        model = LibsvmModel.of_text(read_model_text(content, "fuzzed"))
        queries = QUERIES
        if isinstance(model.machine.kernel, Precomputed):
            queries = np.ones((2, min(model.machine.n_features, 1000)))
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)
            decision = model.decision_values(queries)
        assert np.isfinite(decision).all()
        assert len(model.decide(decision)) == 2
        if model.has_probabilities and not model.problem.is_regression:
            probabilities = model.probabilities_of(decision)
            assert ((probabilities >= 0) & (probabilities <= 1)).all()
    except MercerError:
        return "refused"
    return "read"


def judge(content, random):
    """Tries a mutated content."""
    return try_model(mutated(content, random))


def mutated(content, random):
    """Some of its bytes changed, taken away, or replaced by words; or words and lines exchanged."""
    content = bytearray(content)
    for _ in range(random.randint(1, 4)):
        if not content:
            break
        place = random.randint(len(content))
        kind = random.randint(6)
        if kind == 0:
            content[place] = random.randint(256)
        elif kind == 1:
            del content[place : place + random.randint(1, 20)]
        elif kind == 2:
            word = WORDS[random.randint(len(WORDS))]
            end = place
            while end < len(content) and content[end] not in b" \n:":
                end += 1
            content[place:end] = word
        elif kind == 3:
            content[place:place] = WORDS[random.randint(len(WORDS))]
        elif kind == 4:
            lines = bytes(content).split(b"\n")
            one, other = random.randint(len(lines), size=2)
            lines[one], lines[other] = lines[other], lines[one]
            content = bytearray(b"\n".join(lines))
        else:
            content[place] = 48 + random.randint(10)
    return bytes(content)


def _run_blind(count):
    seeds = [(FOLDER / f"{name}.model").read_bytes() for name in [*NAMES, "one_class-marks"]]
    random = np.random.RandomState(int(os.environ.get("SEED", "0")))
    outcomes = {"refused": 0, "read": 0}
    for number in range(count):
        content = mutated(seeds[number % len(seeds)], random)
        try:
            outcomes[try_model(content)] += 1
        except BaseException:
            print(f"finding, input {number}: {content!r}")
            raise
    print(outcomes)


def _run_guided(count):
    import tempfile

    import atheris

    with atheris.instrument_imports(include=["mercer.io"]):
        for name in [name for name in sys.modules if name.startswith("mercer.io")]:
            del sys.modules[name]
        import mercer.io.libsvm_models  # noqa: F401
    folder = tempfile.mkdtemp()
    for name in [*NAMES, "one_class-marks"]:
        with open(f"{folder}/{name}", "wb") as file:
            file.write((FOLDER / f"{name}.model").read_bytes())
    dictionary = f"{folder}.words"
    with open(dictionary, "w") as file:
        file.writelines('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in WORDS)

    def one(content):
        from mercer.io.libsvm_model import LibsvmModel
        from mercer.io.libsvm_vectors import read_model_text

        globals().update(LibsvmModel=LibsvmModel, read_model_text=read_model_text)
        try_model(content)

    flags = [f"-runs={count}", "-max_len=4096", f"-dict={dictionary}", "-timeout=5", "-rss_limit_mb=2000"]
    atheris.Setup([sys.argv[0], folder, *flags], one)
    atheris.Fuzz()


if __name__ == "__main__":
    (_run_blind if "blind" in sys.argv[2:] else _run_guided)(int(sys.argv[1]))
