"""Reads spoilt model files by the million: `python -m tests.fuzz.model_files --runs N`.

With atheris, inputs are chosen by the lines of Mercer that they reach; without it, or with --plain, at random.
Ends with status 1 and the file that did it where anything but a MercerError comes out of `load`, where a model that
loads raises something strange when it predicts, or where that takes long or much memory.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import resource
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any
from zlib import crc32

SECONDS_A_FILE = 5.0
# Of memory for all of it.
_MOST_BYTES = 6_000_000_000
_ROWS = 5
_MOST_FEATURES = 2_000
_ASKED = ("predict", "decision_function", "predict_proba", "transform", "score_samples", "predict_set", "kneighbors")
# What predictions may say: scikit-learn's checks of rows raise the first three.
_MAY_BE_RAISED = (ValueError, AttributeError, NotImplementedError)


class Judge:
    """Loads files, asks what loads, and tells what is wrong."""

    def __init__(self, folder: str) -> None:
        self.path = Path(folder) / "model.mercer"
        self.told: Counter[str] = Counter()
        self.slowest = 0.0

    def wrong(self, content: bytes) -> str | None:
        """What is wrong with how a file was taken; None where nothing is."""
        import numpy as np

        from mercer.errors import ModelFileError
        from mercer.io import describe

        self.path.write_bytes(content)
        began = perf_counter()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                describe(self.path)
            except ModelFileError:
                pass
            except Exception as error:
                return f"describe raised {error!r}"
            wrong = self._loaded(content)
        took = perf_counter() - began
        self.slowest = max(self.slowest, took)
        return wrong or (f"it took {took:.1f} s" if took > SECONDS_A_FILE else None)

    def _loaded(self, content: bytes) -> str | None:
        from mercer.errors import MercerError
        from mercer.io import load

        try:
            model = load(self.path, mapped=bool(crc32(content) & 1))
        except MercerError as error:
            self.told["refused"] += 1
            return f"load took too much memory: {error!r}" if isinstance(error.__cause__, MemoryError) else None
        except Exception as error:
            return f"load raised {error!r}"
        self.told["loaded"] += 1
        return self._asked(model)

    def _asked(self, model: object) -> str | None:
        import numpy as np

        from mercer.errors import MercerError

        if type(model).__name__ == "TableModel":
            return self._asked_of_a_table(model)
        features = getattr(model, "n_features_in_", 3)
        if not isinstance(features, int) or features > _MOST_FEATURES:
            return None
        rows = np.abs(np.random.default_rng(1).normal(size=(_ROWS, features)))
        for name in _ASKED:
            try:
                if hasattr(model, name):
                    getattr(model, name)(rows)
            except (MercerError, *_MAY_BE_RAISED):
                continue
            except Exception as error:
                if not str(error).startswith("Sparse data was passed"):  # by a step before, in scikit-learn's words
                    return f"{name} of {type(model).__name__} raised {error!r}"
        return None

    def _asked_of_a_table(self, model: Any) -> str | None:
        from mercer.errors import MercerError
        from tests.tabular.test_model_arrays import TABLE

        try:
            model.predict(TABLE, confidence_level=None if model.conformal is None else 0.6)
        except MercerError:
            return None
        except Exception as error:
            return f"predict of TableModel raised {error!r}"
        return None


def run(runs: int, seed: int, seconds: float = 1e9, kept: Path | None = None) -> bool:
    """Spoils files at random and has them judged; whether none was wrong."""
    from tests.fuzz.model_file_inputs import seed_files, spoilt

    files, began = seed_files(), perf_counter()
    with tempfile.TemporaryDirectory(dir=_folder()) as folder:
        judge = Judge(folder)
        for one in files:
            wrong = judge.wrong(one)
            if wrong or judge.told["refused"]:
                return _tell(wrong or "a valid file was refused", one, kept)
        for number in range(seed, seed + runs):
            if perf_counter() - began > seconds:
                break
            content = spoilt(files[number % len(files)], number)
            if kept is not None:  # of a crash
                (kept / "last.mercer").write_bytes(content)
            wrong = judge.wrong(content)
            if wrong:
                return _tell(f"input {number}: {wrong}", content, kept)
        print(
            f"{number - seed + 1} spoilt files: {judge.told['refused']} times refused, {judge.told['loaded']} times "
            f"loaded and asked; the slowest took {judge.slowest:.2f} s."
        )
    return True


def run_guided(runs: int, seed: int, seconds: float, kept: Path) -> None:
    """The same, guided by the lines that are reached; ends the process."""
    import atheris

    with atheris.instrument_imports(include=["mercer"]):
        import mercer.io.objects  # noqa: F401
    from tests.fuzz.model_file_inputs import seed_files, spoilt

    corpus = Path(tempfile.mkdtemp(dir=_folder()))
    for number, one in enumerate(seed_files()):
        (corpus / f"{number:03d}").write_bytes(one)
    judge = Judge(tempfile.mkdtemp(dir=_folder()))

    def judged(content: bytes) -> None:
        wrong = judge.wrong(content)
        if wrong:
            _tell(wrong, content, kept)
            raise AssertionError(wrong)

    def mutated(content: bytes, most: int, number: int) -> bytes:
        return spoilt(content, number)[:most]

    limits = [f"-runs={runs}", f"-seed={seed + 1}", f"-max_total_time={int(seconds)}", "-max_len=200000"]
    atheris.Setup(
        [
            sys.argv[0],
            *limits,
            f"-artifact_prefix={kept}/",
            "-timeout=20",
            "-rss_limit_mb=6000",
            "-len_control=0",
            "-reduce_inputs=0",
            str(corpus),
        ],
        judged,
        custom_mutator=mutated,
    )
    atheris.Fuzz()


def _tell(wrong: str, content: bytes, kept: Path | None) -> bool:
    print(wrong)
    if kept is not None:
        (kept / "wrong.mercer").write_bytes(content)
        print(f"The file is {kept / 'wrong.mercer'}.")
    return False


def _folder() -> str | None:
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.model_files", description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=1e6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plain", action="store_true", help="at random, also where atheris is installed")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()), help="where files that are wrong go")
    given = parser.parse_args()
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    try:
        import atheris  # noqa: F401
    except ImportError:
        given.plain = True
    if given.plain:
        return int(not run(given.runs, given.seed, given.seconds, given.keep))
    run_guided(given.runs, given.seed, given.seconds, given.keep)
    return 0


if __name__ == "__main__":
    sys.exit(main())
