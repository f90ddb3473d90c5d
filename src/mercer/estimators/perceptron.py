"""Rosenblatt's perceptron with scikit-learn's interface, through weights or through a kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer._runtime import core, threads_worth
from mercer.data import (
    LABELS,
    ClassTargets,
    as_core_data,
    checked_gram,
    core_ready,
    is_sparse,
    read_class_targets,
    read_queries,
    read_training_data,
)
from mercer.errors import InputError, UnsolvedWarning, warn_user
from mercer.estimators import parameters
from mercer.estimators.guarded import earlier_fit_kept
from mercer.estimators.weights import check_classes, checked_weights
from mercer.kernels import Kernel, WithKernel, check_gamma, check_number, kernel_from_name, squared_norms
from mercer.machines import Machine, OneVsRestMachine, SingleMachine, locked
from mercer.solvers import Learned, Learner, MistakeCounts, learn_from_mistakes, weights_for
from mercer.typing import Floats, Integers

__all__ = ["Perceptron"]


class Perceptron(ClassifierMixin, WithKernel):  # type: ignore[misc]
    """Rosenblatt's perceptron: at each row on the wrong side the hyperplane moves towards it.

    Where t_i f(x_i) ≤ 0, w ← w + t_i φ(x_i) and b ← b + t_i, until a pass over the rows makes no mistake. Where some
    hyperplane separates the classes that happens after (R / margin)² mistakes at most (Novikoff); it finds one of these
    hyperplanes, not that of the largest margin, which is `SVC(C=numpy.inf)`. Several classes are taken each against the
    rest. It proves nothing of rows that no hyperplane separates: the last of its planes is kept, with a warning.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="linear"
        "linear" keeps the weights w. Any other kernel, by name or as an object such as `RBF(0.1)`, keeps how many
        mistakes each row made, as "poly", "rbf", "laplacian", "sigmoid" and "precomputed" do. `Linear()` does so, too,
        and gives the machine of "linear".
    degree : int, default=3
        Degree of the kernel "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernels "rbf", "laplacian", "poly" and "sigmoid", as in `SVC`.
    coef0 : float, default=0.0
        Constant of the kernels "poly" and "sigmoid".
    max_passes : int, default=100
        The most passes over the rows.
    shuffle : bool, default=True
        Whether each pass has an order of its own, or all have that of the rows.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders. The same seed gives the same machine.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    n_mistakes_ : ndarray of shape (1,) or (n_classes,)
        Mistakes of each function, over all passes.
    n_iter_ : int
        Passes made, the most of all functions, with the last that only confirms.
    separated_ : bool
        Whether every function ended with a pass without mistakes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; with kernel="linear" only.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The b of each function.
    support_, support_vectors_, dual_coef_
        Numbers of the rows that were mistaken at some time, these rows, and how often times their sign, one row a
        function; not with kernel="linear".
    kernel_ : Kernel
        The kernel with its parameters as numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import Perceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Perceptron(random_state=0).fit(X[:100], y[:100])
    >>> model.separated_, model.score(X[:100], y[:100])
    (True, 1.0)
    """

    def __init__(
        self,
        kernel: Any = "linear",
        *,
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        max_passes: int = 100,
        shuffle: bool = True,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.max_passes = max_passes
        self.shuffle = shuffle
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        pairwise = self.kernel == "precomputed" or (isinstance(self.kernel, Kernel) and self.kernel.is_pairwise)
        tags.input_tags.sparse = not pairwise
        tags.input_tags.pairwise = pairwise
        return tags

    # ---------------------------------------------------------------- fit

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from mistakes, pass by pass.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        with earlier_fit_kept(self):
            kernel = self._checked_parameters()
            X, y = read_training_data(self, X, y, not kernel.is_pairwise, LABELS)
            targets = read_class_targets(y, None, None)
            if kernel.is_pairwise:
                X = checked_gram(X)
            self.__dict__.pop("_machine", None)
            self.__dict__.pop("_weights", None)
            self.classes_ = locked(targets.classes)
            self.kernel_ = kernel.resolve(X)
            signs = _signs_of_functions(targets)
            # What overflows is told at the end.
            with np.errstate(over="ignore", invalid="ignore"):
                learned = self._learn_weights(X, signs) if self._is_primal() else self._learn_counts(X, targets, signs)
        self.n_mistakes_ = locked(np.array([one.mistakes for one in learned]))
        self.n_iter_ = max(one.passes for one in learned)
        self.separated_ = all(one.separated for one in learned)
        if not self.separated_:
            warn_user(
                UnsolvedWarning(
                    f"The perceptron made mistakes in each of its {self.n_iter_} passes: expected one without. Either "
                    "no hyperplane separates the classes, and SVC is the better choice; or raise max_passes."
                )
            )
        return self

    def _learn_weights(self, X: Any, signs: list[Floats]) -> list[Learned]:
        functions = [weights_for(X) for _ in signs]
        learned = self._learn(functions, signs)
        # No value is larger than the mistakes times the largest squared norm.
        if not np.isfinite(squared_norms(X).max() * max(one.mistakes for one in learned)):
            raise InputError("The weights overflow: expected features of moderate size. Scale them, and fit again.")
        coef, intercept = zip(*[(function.w, function.b) for function in functions], strict=True)
        self._weights = locked(np.stack(coef)), locked(np.array(intercept))
        return learned

    def _learn_counts(self, X: Any, targets: ClassTargets, signs: list[Floats]) -> list[Learned]:
        functions = [MistakeCounts(self.kernel_, X) for _ in signs]
        learned = self._learn(functions, signs)
        counts = [function.counts for function in functions]
        intercept = np.array([count.sum() for count in counts])
        rows = np.arange(X.shape[0])
        if len(signs) == 1:
            self._machine: Machine = SingleMachine.of_rows(self.kernel_, X, rows, counts[0], intercept)
        else:
            all_rows = [rows] * len(counts)
            self._machine = OneVsRestMachine.of_classes(self.kernel_, X, targets, all_rows, counts, intercept)
        return learned

    def _learn(self, functions: Sequence[Learner], signs: list[Floats]) -> list[Learned]:
        random = check_random_state(self.random_state)
        return [
            learn_from_mistakes(function, t, self._orders(len(t), random))
            for function, t in zip(functions, signs, strict=True)
        ]

    def _orders(self, n: int, random: np.random.RandomState) -> Iterator[Integers]:
        """The order of the rows in each pass."""
        for _ in range(self.max_passes):
            yield random.permutation(n) if self.shuffle else np.arange(n)

    def _is_primal(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _checked_parameters(self) -> Kernel:
        parameters.integer("max_passes", self.max_passes, least=1)
        parameters.flag("shuffle", self.shuffle)
        name = type(self).__name__
        check_gamma(name, self.gamma)
        check_number(name, "coef0", self.coef0)
        parameters.integer("degree", self.degree, least=0)
        return kernel_from_name(self.kernel, self.gamma, self.degree, self.coef0)

    # ---------------------------------------------------------------- predict

    def decision_function(self, X: Any) -> Floats:
        """The value of f at each row, for several classes a column each.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes positive values mean `classes_[1]`.
        """
        check_is_fitted(self, "classes_")
        X = read_queries(self, X, accept_sparse=not self.kernel_.is_pairwise)
        values = self._values_by_weights(X) if "_weights" in self.__dict__ else self._values_by_counts(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> Any:
        """The label of each row: by the sign, or of the class with the largest value."""
        values = self.decision_function(X)
        return np.asarray(self.classes_)[values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(int)]

    def _values_by_weights(self, X: Any) -> Floats:
        coef, intercept = checked_weights(self, self.coef_, self.intercept_)
        data, threads = as_core_data(X), threads_worth(X.shape[0] * coef.size, None)
        columns = [core.linear_values(data, None, np.ascontiguousarray(row), threads) for row in coef]
        return np.asarray(np.stack(columns, axis=1) + intercept)

    def _values_by_counts(self, X: Any) -> Floats:
        machine = self._machine
        machine.check()
        check_classes(self, len(machine.intercept))
        pairwise = machine.kernel.is_pairwise
        if not pairwise and is_sparse(X) != is_sparse(machine.support_vectors) and machine.kernel.lower() is None:
            # A callable kernel sees what it saw in fit.
            X = X.toarray() if is_sparse(X) else core_ready(sp.csr_matrix(X))
        return machine.decision(X, None, np.float64)

    # ---------------------------------------------------------------- fitted attributes

    @property
    def coef_(self) -> Floats:
        """Weights of the features, one row a function; with kernel="linear" only."""
        return self._of_form("coef_", "_weights", "kernel='linear'")[0]  # type: ignore[no-any-return]

    @property
    def support_(self) -> Integers:
        """Numbers of the rows that were mistaken at some time; with other kernels than "linear"."""
        return self._of_form("support_", "_machine", "a kernel other than 'linear'").support  # type: ignore[no-any-return]

    @property
    def support_vectors_(self) -> Any:
        """These rows."""
        return self._of_form("support_vectors_", "_machine", "a kernel other than 'linear'").support_vectors

    @property
    def dual_coef_(self) -> Floats:
        """How often they were mistaken, times their sign, one row a function."""
        return self._of_form("dual_coef_", "_machine", "a kernel other than 'linear'").dual_coef  # type: ignore[no-any-return]

    @property
    def intercept_(self) -> Floats:
        """The b of each function."""
        if "_machine" in self.__dict__:
            return self._machine.intercept
        return self._of_form("intercept_", "_weights", "any kernel")[1]  # type: ignore[no-any-return]

    def _of_form(self, name: str, form: str, kernels: str) -> Any:
        if form not in self.__dict__:
            raise AttributeError(f"{name} is only available with {kernels}, and after fit")
        return self.__dict__[form]


def _signs_of_functions(targets: ClassTargets) -> list[Floats]:
    """±1 for each row: of two classes one function, of several one for each class against the rest."""
    positive = [1] if len(targets.classes) == 2 else range(len(targets.classes))
    return [np.where(targets.codes == number, 1.0, -1.0) for number in positive]
