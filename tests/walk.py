"""The walk of a fit: which functions of the library it calls, one after the other, and how often the folder changes.

`python -m tests.walk` prints the walks of some calls; `python -m tests.walk fit` prints every step of `SVC().fit`.
"""

import ast
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

import mercer

__all__ = ["Walk", "walk_of"]

SOURCE = Path(mercer.__file__).parent


@cache
def _accessors(file):
    """Lines on which functions begin that hold one line, beside their docstring."""
    found = set()
    for node in ast.walk(ast.parse(Path(file).read_text())):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            body = node.body if isinstance(node.body, list) else [node.body]
            told = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
            if len(body) - told <= 1 and body[-1].lineno == body[-1].end_lineno:
                found.add(min([node.lineno, *(line.lineno for line in getattr(node, "decorator_list", []))]))
    return found


class Walk:
    """The calls into the library, in order: file within it, function, and whether that is a one-line accessor."""

    def __init__(self):
        self.calls = []

    def __enter__(self):
        sys.setprofile(self._hear)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    def _hear(self, frame, event, _):
        code = frame.f_code
        if event != "call" or code.co_name in ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"):
            return
        path = Path(code.co_filename)
        if path.is_relative_to(SOURCE):
            is_accessor = code.co_firstlineno in _accessors(code.co_filename)
            self.calls.append((str(path.relative_to(SOURCE)), code.co_qualname, is_accessor))

    @property
    def files(self):
        return {file for file, *_ in self.calls}

    def changes(self, with_accessors=False):
        """How often a call is in another folder than the one before."""
        rooms = [
            file.partition("/")[0] if "/" in file else ""
            for file, _, short in self.calls
            if with_accessors or not short
        ]
        rooms = [room for room in rooms if room]  # modules beside the folders are no rooms
        return sum(before != after for before, after in pairwise(rooms))

    def __str__(self):
        return (
            f"{len(self.files)} files, {len(set(self.calls))} functions, {len(self.calls)} calls, "
            f"{self.changes(True)} changes of folder, {self.changes()} without one-line accessors"
        )


def walk_of(call):
    """The walk of a call, which is made once before."""
    call()
    with Walk() as walk:
        call()
    return walk


def data(n=200):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 4))
    return X, (X[:, 0] * X[:, 1] + 0.3 * random.normal(size=n) > 0).astype(int)


def main(chosen=None):
    X, y = data()
    svc, linear = mercer.SVC().fit(X, y), mercer.LinearSVC().fit(X, y)
    calls = {
        "SVC().fit": lambda: mercer.SVC().fit(X, y),
        "SVC().fit and .certificate_": lambda: mercer.SVC().fit(X, y).certificate_,
        "SVC.predict": lambda: svc.predict(X),
        "LinearSVC().fit": lambda: mercer.LinearSVC().fit(X, y),
        "LinearSVC.predict": lambda: linear.predict(X),
        "NuSVC().fit": lambda: mercer.NuSVC(nu=0.3).fit(X, y),
        "SVR().fit": lambda: mercer.SVR().fit(X, X[:, 0]),
        "OneClassSVM().fit": lambda: mercer.OneClassSVM().fit(X),
        "SGDClassifier().fit": lambda: mercer.SGDClassifier(random_state=0).fit(X, y),
        "certify(SVC)": lambda: mercer.certify(svc, X, y),
        "certify(LinearSVC)": lambda: mercer.certify(linear, X, y),
    }
    for name, call in calls.items():
        if chosen is None:
            print(f"{name}: {walk_of(call)}")
    if chosen is not None:
        for file, function, short in walk_of(calls["SVC().fit"]).calls:
            print(f"{'    ' if short else ''}{file}: {function}")


if __name__ == "__main__":
    main(*sys.argv[1:])
