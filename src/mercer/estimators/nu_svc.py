"""ν-support vector classification with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from mercer.data import Pair
from mercer.errors import NumericsWarning, warn_user
from mercer.estimators import parameters
from mercer.estimators.base import Posed, tolerance_for
from mercer.estimators.classifier import KernelClassifier
from mercer.estimators.fitting import FittedExpansions, Solver
from mercer.gram import GramPlan, TrainingData
from mercer.machines import locked
from mercer.problems import NuClassification
from mercer.solvers import Limits, Report
from mercer.typing import Floats

__all__ = ["NuSVC"]


class NuSVC(KernelClassifier):
    """ν-support vector classification: C-SVC whose C is chosen by a share of rows, with a certificate of optimality.

    Minimises ½‖w‖² − ν ρ Σ v + Σ v_i max(0, ρ − t_i f(x_i)), where v are the weights; the machine is then divided by ρ,
    so that its margin is at ±1 as in `SVC`. At most a share ν of the weight lies inside the margin, and at least that
    share carries the support vectors. Several classes are taken pair by pair. Parameters and attributes are those of
    `sklearn.svm.NuSVC` unless told otherwise.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1], and for each pair of classes at most twice the lighter class's share of the weight; the error tells
        the largest that is feasible.
    class_weight : dict or "balanced", optional
        Factors of the weights by class, which scikit-learn ignores here.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as in LIBSVM before the division by ρ; after it where nu or the
        weights are so small that no value could be above one. Where ρ is below `tol`, the machine is divided by `tol`
        instead, and a `NumericsWarning` says so.
    kernel, degree, gamma, coef0, shrinking, cache_size, verbose, max_iter, decision_function_shape, break_ties, \
random_state, n_jobs, time_limit, gap_tol, warm_start, callback, formulation, polish
        As in `SVC`.
    multi_class : {"ovo", "ovr"}, default="ovo"
        With more than two classes: a machine for each pair of classes, which vote, as in scikit-learn; or for each
        class against the rest, of which the largest value decides. `dual_coef_` and `intercept_` then have a row a
        class.

    Attributes
    ----------
    rho_ : ndarray of shape (n_classes · (n_classes − 1) / 2,)
        ρ of each pair of classes: `SVC` with C = weight / ρ is the same machine.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, \
fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn. The arrays are read-only.
    certificate_, status_, plan_
        As in `SVC`. The certificate is about the problem above, before the division by ρ.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> NuSVC(nu=0.2).fit(X, y).status_.name
    'SOLVED'
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 1000,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        gap_tol: float | None = None,
        warm_start: bool = False,
        callback: Any = None,
        formulation: str = "auto",
        multi_class: str = "ovo",
        polish: bool = False,
    ) -> None:
        super().__init__(
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            shrinking=shrinking,
            tol=tol,
            cache_size=cache_size,
            class_weight=class_weight,
            verbose=verbose,
            max_iter=max_iter,
            decision_function_shape=decision_function_shape,
            break_ties=break_ties,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            gap_tol=gap_tol,
            warm_start=warm_start,
            callback=callback,
            formulation=formulation,
            polish=polish,
            multi_class=multi_class,
        )
        self.nu = nu

    def _check_own_parameters(self) -> None:
        parameters.share("nu", self.nu)
        super()._check_own_parameters()

    def _problem(self, pairs: Sequence[Pair], weights: Floats | None, rows: int) -> NuClassification:
        weights = np.ones(rows) if weights is None else weights
        return NuClassification.several([pair.signs for pair in pairs], weights, float(self.nu))

    def _solve(
        self,
        posed: Posed,
        data: TrainingData,
        plan: GramPlan,
        solver: Solver,
        limits: Limits,
        start: Floats | None,
        report: Report,
    ) -> FittedExpansions:
        """Solves as LIBSVM does, to `tol` before the division by ρ; where all values are small, to `tol` after it."""
        problem, began = posed.problem, perf_counter()
        assert isinstance(problem, NuClassification)
        if start is not None:
            start = problem.scaled_to_its_sums(start)
        tol = tolerance_for(problem, data, solver.tol)
        all_are_small = tol < solver.tol
        steps: Sequence[int] = [0] * len(posed.rows)
        while True:
            left = Limits(limits.seconds - (perf_counter() - began), limits.steps - max(steps))
            fitted = super()._solve(posed, data, plan, solver._replace(tol=tol), left, start, report)
            steps = [before + more for before, more in zip(steps, fitted.steps, strict=True)]
            width = float(problem.width(fitted.offsets).min())
            # A ρ that is not above the tolerance is not known, and following it down would have no end.
            if fitted.unsolved or not all_are_small or tol <= solver.tol * width or width <= tol:
                return fitted._replace(steps=steps)
            tol, start = 0.5 * solver.tol * width, fitted.coef

    def _divisors(self, fitted: FittedExpansions) -> Floats:
        problem = fitted.problem
        assert isinstance(problem, NuClassification)
        self.rho_ = locked(problem.width(fitted.offsets))
        if (self.rho_ < fitted.tol).any():
            warn_user(
                NumericsWarning(
                    f"NuSVC: expected a margin ρ above {fitted.tol:.1g}, to which the problem is solved, got "
                    f"{float(self.rho_.min()):.1g}, so the machine, which is divided by the larger of the two, is "
                    f"known roughly only. Use a larger nu, for the classes overlap more than nu={self.nu:g} ignores, "
                    "or a smaller tol."
                )
            )
        return np.asarray(np.maximum(self.rho_, fitted.tol))
