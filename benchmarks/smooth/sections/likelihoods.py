"""The search for a kernel's parameters, to the same likelihood, beside scikit-learn, GPyTorch and tinygp."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels

from benchmarks.smooth.fitted import fitted
from benchmarks.smooth.processes import NOISE, Search, by_gpytorch, by_tinygp
from benchmarks.smooth.rows import FEATURES, eight_features
from benchmarks.ways.bars import Bar, at_least, figure_at_most
from benchmarks.ways.race import OURS, Terms, Way, race
from benchmarks.ways.record import Entry
from benchmarks.ways.section import Measured, Section
from mercer import GaussianProcessRegressor

PEER, GPYTORCH, TINYGP = "scikit-learn", "GPyTorch", "tinygp"
VALUE, ASKED, MATRICES = "log likelihood", "evaluations", "n² doubles"
# Rows from which scikit-learn is stopped early: it would take many minutes.
_MANY, _FEW_EVALUATIONS = 5_000, 2

TOLD = f"""\
A kernel `1.0 * RBF(1.0) + WhiteKernel({NOISE})` with one length scale, or one for each of eight features, four of \
which matter; all begin there. The peers climb by SciPy's L-BFGS-B with its defaults; GPyTorch and tinygp (compiled by \
JAX, compilation included the first time only) are called through it. *{VALUE}*: what was reached. \
*{ASKED}*: likelihoods with slopes, of all rows. At {_MANY:,} rows scikit-learn is stopped after {_FEW_EVALUATIONS} \
evaluations, and its time multiplied to as many as tinygp or GPyTorch, whose L-BFGS-B goes the same way, or else \
Mercer's own likelihood needs. *{MATRICES}*: the peak of memory of one likelihood with its slopes, beside the data, in \
matrices of rows × rows doubles."""


def _kernel(scales: int) -> Any:
    return 1.0 * kernels.RBF(1.0 if scales == 1 else np.ones(scales)) + kernels.WhiteKernel(NOISE)


def _quietly(fit: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # length scales of features that do not matter run off to their bounds
        return fit()


def _evaluations(X: Any, y: Any, scales: int) -> int:
    """Of L-BFGS-B on all rows, by Mercer's likelihood, which is everybody's."""
    model = GaussianProcessRegressor(_kernel(scales), optimizer=None).fit(X, y)

    def cost(theta: Any) -> Any:
        value, slopes = model.log_marginal_likelihood(theta, eval_gradient=True)
        return -value, -slopes

    return int(minimize(cost, model.kernel.theta, method="L-BFGS-B", jac=True, bounds=model.kernel.bounds).nfev)


def _matrices(X: Any, y: Any, scales: int) -> float:
    """What one likelihood with its slopes takes."""
    model = GaussianProcessRegressor(_kernel(scales), optimizer=None).fit(X, y)
    taken = fitted(lambda: model.log_marginal_likelihood(model.kernel.theta, eval_gradient=True)).peak
    return taken * 2**20 / (8 * len(y) ** 2)


def _measured(rows: int, scales: int, terms: Terms) -> Measured:
    X, y = eight_features(terms.at_most(rows))
    matrices = _matrices(X, y, scales)
    peers = {TINYGP: by_tinygp(scales), GPYTORCH: by_gpytorch(scales)}
    ways = [Way(OURS, lambda: _quietly(lambda: GaussianProcessRegressor(_kernel(scales)).fit(X, y)))]
    ways += [Way(name, partial(search, X, y)) for name, search in peers.items() if search is not None]
    if rows < _MANY:
        ways.append(Way(PEER, lambda: _quietly(lambda: Theirs(_kernel(scales)).fit(X, y))))
    else:
        ways.append(_stopped(X, y, scales))

    def judge(way: Way, found: Any, _: Any) -> dict[str, float | str]:
        if isinstance(found, Search):
            return {VALUE: f"{found.likelihood:.3f}", ASKED: float(found.evaluations)}
        if found is None:
            return {}
        told: dict[str, float | str] = {VALUE: f"{found.log_marginal_likelihood_value_:.3f}"}
        return told | ({MATRICES: matrices} if way.name == OURS else {})

    return Measured(f"{len(X):,} × {X.shape[1]}", race(ways, terms, judge))


def _stopped(X: Any, y: Any, scales: int) -> Way:
    """scikit-learn's likelihood, some times; the share of them says how much of its search that is."""
    model = Theirs(_kernel(scales), optimizer=None)
    model.kernel_, model.X_train_, model.y_train_ = _kernel(scales), X, y

    def ask(_: Any) -> None:
        for _ in range(_FEW_EVALUATIONS):
            model.log_marginal_likelihood(model.kernel_.theta, eval_gradient=True, clone_kernel=False)

    return Way(PEER, ask=ask, share=_FEW_EVALUATIONS / _evaluations(X, y, scales))


def _best_other(entry: Entry) -> float | None:
    ratios = [ratio for name in (GPYTORCH, TINYGP) if (ratio := entry.ratio(name, OURS)) is not None]
    return min(ratios, default=None)


_PROBLEMS = {
    f"{rows:,} rows, {'one length scale' if scales == 1 else f'{scales} length scales'}": (rows, scales)
    for rows in (2_000, _MANY)
    for scales in (1, FEATURES)
}

LIKELIHOODS = Section(
    "Gaussian processes: the parameters of the kernel",
    TOLD,
    {name: partial(_measured, *problem) for name, problem in _PROBLEMS.items()},
    tuple(
        bar
        for name, (_, scales) in _PROBLEMS.items()
        for bar in (
            at_least(name, 3 if scales == 1 else 8, PEER, OURS),
            Bar(name, "best of GPyTorch and tinygp ÷ mercer", _best_other, 2, is_least=True),
            figure_at_most(name, 4, OURS, MATRICES),
        )
    ),
)
