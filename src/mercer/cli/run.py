"""`make run`: choose (C, γ), train, certify, evaluate and draw on data that ship with scikit-learn."""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, GridSearchCV, Status, certify

__all__ = ["main"]

_GRID: dict[str, list[Any]] = {"svc__C": [0.1, 1.0, 10.0, 100.0, 1000.0], "svc__gamma": [1e-4, 1e-3, 1e-2, 0.1]}
_PICTURED = ("worst texture", "worst radius")


def main(arguments: list[str] | None = None) -> int:
    """Runs the job and prints a report; returns 0 only where the certificate holds."""
    parser = argparse.ArgumentParser(prog="python -m mercer.cli.run", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("out"), help="folder for the picture (default: out)")
    output = parser.parse_args(arguments).output

    data = load_breast_cancer()
    X, X_test, y, y_test = train_test_split(
        data.data, data.target, test_size=0.25, random_state=0, stratify=data.target
    )
    print(f"Breast cancer: {X.shape[0]} rows to train on, {X_test.shape[0]} to test on, {X.shape[1]} features.\n")

    began = perf_counter()
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), _GRID, cv=5).fit(X, y)
    fits = 5 * len(search.cv_results_["params"])
    best = search.best_params_
    print(
        f"Tune      {fits} fits in {perf_counter() - began:.2f} s: C = {best['svc__C']:g}, "
        f"gamma = {best['svc__gamma']:g}, accuracy {search.best_score_:.1%} in cross-validation."
    )
    print("Choice   ", _wrapped(str(search.certificate_), indent=10))

    scaler, model = search.best_estimator_[0], search.best_estimator_[1]
    began = perf_counter()
    model.fit(scaler.transform(X), y)
    print(f"Train     {1e3 * (perf_counter() - began):.1f} ms, {model.n_iter_[0]} steps. {model.status_.value}")
    print("Plan     ", _wrapped(model.plan_, indent=10))

    certificate = certify(model, scaler.transform(X), y)
    print("Certify  ", _wrapped(str(certificate), indent=10))

    accuracy = search.score(X_test, y_test)
    wrong = int(np.sum(search.predict(X_test) != y_test))
    print(f"Evaluate  accuracy {accuracy:.1%} on rows it has not seen: {wrong} of {len(y_test)} wrong.")

    print(f"Report    {_draw(data, output)}: the boundary in two of the features.")
    return 0 if model.status_ is Status.SOLVED and certificate.holds(model.tol) else 1


def _draw(data: Any, output: Path) -> Path:
    """Saves the boundary of a machine on two features, which a page can show."""
    from mercer.plot import DecisionBoundaryDisplay
    from mercer.plot.canvas import pyplot

    pyplot().switch_backend("Agg")

    columns = [list(data.feature_names).index(name) for name in _PICTURED]
    plane = StandardScaler().fit_transform(data.data[:, columns])
    names = data.target_names[data.target]
    model = SVC(C=1.0, gamma=0.3).fit(plane, names)
    display = DecisionBoundaryDisplay.from_estimator(model, plane, names)
    display.ax_.set(
        xlabel=f"{_PICTURED[0]} (standardised)",
        ylabel=f"{_PICTURED[1]} (standardised)",
        title=f"SVC, C = 1, gamma = 0.3: relative duality gap {model.certificate_.relative_gap:.1e}",
    )
    output.mkdir(parents=True, exist_ok=True)
    path = output / "boundary.png"
    display.figure_.savefig(path, dpi=120)
    return path


def _wrapped(text: str, indent: int) -> str:
    return textwrap.fill(text, width=100, subsequent_indent=" " * indent)


if __name__ == "__main__":
    sys.exit(main())
