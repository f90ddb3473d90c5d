"""What a fit warns of is collected, and raised by nobody but the estimator."""

import warnings

import numpy as np
import pytest

from mercer import (
    RBF,
    Linear,
    NumericsWarning,
    NuSVC,
    Status,
)
from mercer.fits import fit, plan_fit
from mercer.rows import rows_of
from mercer.solvers import Terms
from tests.fits.by_hand import BUDGET, classification, iris


def overlapping():
    return np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2


def test_warning_of_an_unknown_margin_is_collected_and_not_raised():
    X, y = overlapping()
    model = NuSVC(nu=0.1, kernel=Linear())
    rows = rows_of(Linear(), X)
    task = model._task(rows, model._read_targets(y, None, len(X)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = fit(task, plan_fit(task, BUDGET))
    (warning,) = fitted.warnings
    assert isinstance(warning, NumericsWarning)
    assert "margin ρ" in str(warning)
    with pytest.warns(NumericsWarning, match="margin ρ") as heard:
        model.fit(X, y)
    assert [str(one.message) for one in heard] == [str(warning)]


def test_warning_of_polishing_is_collected_and_not_raised(monkeypatch):
    monkeypatch.setattr("mercer.fits.solving.polish_groups", lambda problem, coef, *others: (coef, [0], [1]))
    X, y = iris()
    task = classification(X, y, RBF(0.4), polish=True)
    fitted = fit(task, plan_fit(task, BUDGET))
    assert [type(one) for one in fitted.warnings] == [NumericsWarning, NumericsWarning]
    assert "1 of 3 problems" in str(fitted.warnings[0])
    assert "time_limit" in str(fitted.warnings[1])


def test_unsolved_fit_raises_no_warning():
    X, y = iris()
    task = classification(X, y, RBF(0.4), C=100.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = fit(task, plan_fit(task, BUDGET), limits=Terms(steps=1))
    assert fitted.status is Status.ITERATION_LIMIT
    assert fitted.warnings == ()


def test_solved_fit_has_nothing_to_warn_of():
    X, y = iris()
    task = classification(X, y, RBF(0.4))
    fitted = fit(task, plan_fit(task, BUDGET))
    assert fitted.warnings == ()
    assert fitted.unsolved == []
