"""Regression over landmarks: from rows to columns of the kernel matrix, to a machine that keeps the landmarks alone."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from mercer import checks
from mercer._runtime import available_threads
from mercer.certificates import SparseRidgeCertificate
from mercer.data import core_ready, is_sparse, take_rows
from mercer.errors import InputError
from mercer.estimators.landmarks import SELECTIONS, choose_landmarks
from mercer.estimators.ridge import RidgeRows
from mercer.estimators.ridge_regressor import LeastSquaresRegressor
from mercer.fits import PROOFS, RidgeTask, fit_sparse_ridge, left_out_over_landmarks
from mercer.machines import SeveralMachine
from mercer.rows import KernelColumns, Landmarks, takes_features
from mercer.solvers import Terms
from mercer.typing import Floats, Integers

__all__ = ["LandmarkRegressor"]

# The share of the budget for what pivots are found by; the rest is for the systems and blocks.
_SHARE_OF_PIVOTS = 0.5


class LandmarkRegressor(LeastSquaresRegressor):
    """f(x) = Σ_z c_z k(z, x) + b over some landmarks z. Subclasses say which α there are (`_alphas_of`)."""

    _proof: SparseRidgeCertificate
    _checks: ClassVar[dict[str, checks.Check]] = {
        "n_components": checks.at_least(1),
        "selection": checks.one_of(*SELECTIONS),
        "proof": checks.one_of(*PROOFS),
        "random_state": checks.seed,
    }

    n_components: int
    selection: str
    proof: str
    random_state: Any

    @abstractmethod
    def _alphas_of(self, columns: int) -> tuple[Floats, Floats | None]:
        """α of each column of targets, and those to choose among, where there is a choice."""

    def _find(self, data: RidgeRows, limits: Terms) -> None:
        alpha, alphas = self._alphas_of(data.targets.shape[1])
        tol = np.nan if self.tol is None else float(self.tol)
        task = data.task(alpha, bool(self.fit_intercept), tol)
        landmarks = self._choose_landmarks(task)
        columns = KernelColumns(task.rows, landmarks, self._threads, self._budget.bytes)
        fitted = fit_sparse_ridge(task, columns, limits, self.proof, alphas)
        self._keep(data, landmarks, fitted.coef, fitted.intercept)
        self._alphas = fitted.alpha
        self.residual_ = fitted.kernel_left
        if fitted.mean_squares is not None:
            self._keep_choice(fitted.alpha, fitted.mean_squares)
        self._tell(fitted)

    def _keep_choice(self, alpha: Floats, mean_squares: Floats) -> None:
        """Keeps what the choice of α rests on."""

    def _choose_landmarks(self, task: RidgeTask) -> Landmarks:
        """Landmarks among the rows that weigh something, all of them where fewer were not asked for."""
        rows, count = task.rows, min(int(self.n_components), len(task.rows))
        if count == len(rows):
            every = np.arange(count)
            return Landmarks(take_rows(rows.X, every), every)
        random, most = check_random_state(self.random_state), int(_SHARE_OF_PIVOTS * self._budget.bytes)
        return choose_landmarks(self.selection, rows.kernel, rows.X, count, random, self._threads, most)

    def _keep(self, data: RidgeRows, landmarks: Landmarks, coef: Floats, intercept: Floats) -> None:
        rows = data.rows
        if landmarks.places is None:
            given = rows.X if rows.given is None else rows.given
            vectors = landmarks.vectors
            if is_sparse(given) and not is_sparse(vectors):
                vectors = core_ready(type(given)(vectors))
            support, self.component_indices_ = np.arange(len(landmarks)), None
        else:
            support = data.members[landmarks.places]
            vectors, self.component_indices_ = rows.vectors(support), support
        self._machine = SeveralMachine(
            kernel=rows.kernel,
            n_features=rows.X.shape[1],
            support=support.astype(np.int32),
            support_vectors=vectors,
            n_support=np.array([len(support)], dtype=np.int32),
            dual_coef=np.ascontiguousarray(coef.T),
            intercept=intercept.copy(),
        )

    @property
    def components_(self) -> Any:
        """The landmarks; of kernel values at hand none but their places are known."""
        self._check_fitted("components_")
        return self._machine.support_vectors

    @property
    def _threads(self) -> int:
        return checks.thread_count(self.n_jobs) or available_threads()

    # ---------------------------------------------------------------- the data again

    def _known_task(self, X: Any, y: Any, sample_weight: Any) -> tuple[RidgeRows, RidgeTask, KernelColumns]:
        """The problem of the fit, from its data."""
        check_is_fitted(self, "_machine")
        machine = self._machine
        form = {"accept_sparse": "csr" if takes_features(machine.kernel) else False, "accept_large_sparse": True}
        X = core_ready(check_array(X, dtype=[np.float64, np.float32], order="C", **form))
        if X.shape[1] != machine.n_features:
            raise InputError(f"X: expected {machine.n_features} features as in fit, got {X.shape[1]}.")
        data = self._rows(machine.kernel, X, *self._read_known_targets(y, sample_weight))
        if data.targets.shape != (len(data.rows), len(machine.intercept)):
            raise InputError(
                f"y: expected targets of shape {(len(data.rows), len(machine.intercept))}, got {data.targets.shape}."
            )
        task = data.task(self._alphas, bool(self.fit_intercept))
        places = None if self.component_indices_ is None else self._places_among(data.members, X)
        vectors = machine.support_vectors if places is None else take_rows(task.rows.X, places)
        if is_sparse(vectors) and not is_sparse(task.rows.X):
            vectors = vectors.toarray()
        columns = KernelColumns(task.rows, Landmarks(vectors, places), self._threads, self._budget.bytes)
        return data, task, columns

    def _places_among(self, members: Integers, X: Any) -> Integers:
        """Where the landmarks are among the rows that weigh something."""
        support, vectors = np.asarray(self.component_indices_), self._machine.support_vectors
        places = np.minimum(np.searchsorted(members, support), len(members) - 1)
        is_same = bool(np.array_equal(members[places], support))
        if is_same and vectors.shape[0]:
            is_same = bool(np.abs(take_rows(X, support) - vectors).max() == 0)
        if not is_same:
            raise InputError(
                "X: expected the data the model was fitted on, in the same order and dtype, and with the same weights; "
                "the landmarks are not where component_indices_ says. Pass the training rows."
            )
        return places

    def left_out_predict(self, X: Any, y: Any, sample_weight: Any = None) -> Floats:
        """What the machine fitted without a row, over the same landmarks, says of it, in closed form.

        Parameters
        ----------
        X, y, sample_weight
            What it was fitted on, for the machine keeps no more than the landmarks.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Takes about as long as a fit; of a row without weight, what the machine says.
        """
        data, task, columns = self._known_task(X, y, sample_weight)
        values = self._machine.values(data.rows.X if data.rows.given is None else data.rows.given, self._threads)
        values[data.members] = task.problem.targets - left_out_over_landmarks(task, columns, Terms())
        return values[:, 0] if self._is_column else values
