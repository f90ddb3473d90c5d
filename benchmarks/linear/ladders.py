"""The ladder of each library: its own tolerances from loose to tight, and when to stop climbing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.linear.record import Run
from benchmarks.linear.tasks import Family, Rung, Task

#: Shares of the bound that a primal value may be above it: the report tells the time to each.
LEVELS = (1e-3, 1e-4, 1e-6)
#: Values that differ by less than this share are the same: the bound itself is known no better.
TIE = 1e-9

#: Gaps, every power of ten: a peer ends anywhere between.
MERCER_TOLS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, TIE)
LIBLINEAR_TOLS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6)
PASSES = (1, 3, 10, 30, 100)
#: Of the descents that are compared by their passes, each at both rates: the default, with which this price of the
#: weights starts at steps of 26, and one whose steps are short from the first.
DESCENT_PASSES = (5, 20)
DESCENT_RATES: dict[str, dict[str, float]] = {"optimal": {}, "invscaling": {"eta0": 0.1}}
KERNEL_TOL = 1e-3

#: Default tolerances of users who set none. LIBLINEAR's own are those of its program, by solver.
MERCER_DEFAULT = 1e-4
SKLEARN_DEFAULT = 1e-4
LIBLINEAR_DEFAULTS = {"dual": 1e-1, "primal": 1e-2, "primal regression": 1e-4}

# scikit-learn ends after its default number of passes, and takes ten times as many for its tightest tolerance.
SKLEARN_PASSES = 1_000
MOST_PASSES = 10_000

# Below this many seconds a kill, and the start of another process after it, costs more than it saves.
LEAST_LIMIT = 5.0


def ladder(library: str, task: Task, is_tall: bool) -> list[Rung]:
    """The rungs of a library, solver by solver, each from loose to tight.

    Parameters
    ----------
    is_tall : bool
        Whether there are more rows than features: the primal solver then goes first, as the one to expect more of.
    """
    if task.is_kernel_machine:
        return [Rung("", KERNEL_TOL, is_default=True)]
    if task.is_descent:
        return descent_rungs()
    if library == "mercer":
        return [Rung("", tol, is_default=tol == MERCER_DEFAULT) for tol in MERCER_TOLS]
    if library == "sgd":
        return [Rung("", 0.0, passes) for passes in PASSES]
    of_liblinear = _sklearn_rung if library == "sklearn" else _liblinear_rung
    return [of_liblinear(task, solver, tol) for solver in _solvers(task, is_tall) for tol in LIBLINEAR_TOLS]


def descent_rungs() -> list[Rung]:
    """The rungs of a descent: every number of passes at every learning rate."""
    return [Rung(rate, 0.0, passes) for rate in DESCENT_RATES for passes in DESCENT_PASSES]


def named(rate: str) -> str:
    """The parameters of a learning rate, as a user writes them."""
    values = {"learning_rate": f'"{rate}"'} | {name: f"{value:g}" for name, value in DESCENT_RATES[rate].items()}
    return f"`{', '.join(f'{name}={value}' for name, value in values.items())}`"


def _solvers(task: Task, is_tall: bool) -> list[str]:
    """Those that LIBLINEAR has for the task."""
    if task.family is Family.L1:
        return ["primal"]
    if not task.is_squared:
        return ["dual"]
    return ["primal", "dual"] if is_tall else ["dual", "primal"]


def _sklearn_rung(task: Task, solver: str, tol: float) -> Rung:
    passes = MOST_PASSES if tol == min(LIBLINEAR_TOLS) else SKLEARN_PASSES
    return Rung(solver, tol, passes, tol == SKLEARN_DEFAULT)


def _liblinear_rung(task: Task, solver: str, tol: float) -> Rung:
    of_regression = solver == "primal" and task.estimator == "LinearSVR"
    return Rung(solver, tol, is_default=tol == LIBLINEAR_DEFAULTS["primal regression" if of_regression else solver])


def next_rung(rungs: Iterable[Rung], runs: Sequence[Run], enough: float) -> Rung | None:
    """The next rung to try, if one is left.

    A solver that was killed or failed climbs no further; one that has reached the primal value ``enough`` only makes up
    for its default.
    """
    tried = {run.rung for run in runs}
    ended = {run.rung.solver for run in runs if run.primal is None}
    there = {run.rung.solver for run in runs if run.reaches(enough)}
    for rung in rungs:
        if rung not in tried and rung.solver not in ended and (rung.is_default or rung.solver not in there):
            return rung
    return None


def limit_of(rung: Rung, runs: Iterable[Run], enough: float, limit: float) -> float:
    """Seconds after which a run cannot count any more.

    Where the library's other solver has reached ``enough`` and made its default fit, a run that takes longer than both
    is not the better one for anything.
    """
    others = [run for run in runs if run.rung.solver != rung.solver and run.primal is not None]
    there = [run.time for run in others if run.reaches(enough)]
    defaults = [run.time for run in others if run.rung.is_default]
    return min(limit, max(LEAST_LIMIT, min(there), min(defaults))) if there and defaults else limit
