"""Rosenblatt's perceptron with scikit-learn's interface, through weights or through a kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer import checks
from mercer._runtime import core
from mercer.data import LABELS, ClassTargets, read_queries, read_training_data
from mercer.errors import InputError, ParameterError, UnsolvedWarning, warn_user
from mercer.estimators.atomic import restored_on_error
from mercer.estimators.machine_attributes import MachineAttribute, MachineOrOwnAttribute
from mercer.estimators.monitor import DescentMonitor
from mercer.estimators.sgd_classification import SGDClassification
from mercer.estimators.sgd_targets import SgdTargets, seeds_of, worst_of
from mercer.estimators.weights import check_classes
from mercer.kernels import Kernel, WithKernel, kernel_from_name
from mercer.machines import KernelMachine, OneVsRestMachine, SingleMachine, locked
from mercer.problems import mean_loss
from mercer.rows import Rows, checked_matrix, rows_of, takes_features
from mercer.solvers import (
    Descended,
    DescentTargets,
    GradientDescent,
    KernelRows,
    MistakeLearner,
    MistakeRules,
    RowsToLearn,
    Status,
    Watch,
    learn_from_mistakes,
)
from mercer.typing import Floats, Integers

__all__ = ["Perceptron"]

# What a sum of rows cannot have, with its default: a penalty would shrink all coefficients at every step.
_OF_WEIGHTS_ONLY = {"penalty": None, "alpha": 0.0001, "l1_ratio": 0.15}


def _learns_weights(estimator: Perceptron) -> bool:
    if not estimator._is_primal():
        raise AttributeError(
            f"partial_fit is not available for kernel={estimator.kernel!r}, whose machine needs all its rows: expected "
            "kernel='linear'. Use fit."
        )
    return True


class Perceptron(WithKernel, SGDClassification):
    """Rosenblatt's perceptron: at each row on the wrong side the hyperplane moves towards it.

    Where t_i f(x_i) ≤ 0, w ← w + eta0 t_i φ(x_i) and b ← b + eta0 t_i, until a pass over the rows makes no mistake or,
    as `tol` has it, passes no longer help. Where some hyperplane separates the classes there are (R / margin)² mistakes
    at most (Novikoff); it finds one of these hyperplanes, not that of the largest margin, which is `SVC(C=numpy.inf)`.
    Several classes are taken each against the rest. It proves nothing of rows that no hyperplane separates: the last of
    its planes is kept.

    Parameters and attributes are those of `sklearn.linear_model.Perceptron` unless noted otherwise: it is
    `SGDClassifier("perceptron", learning_rate="constant", eta0=1.0, penalty=None)` that stops at a pass without a
    mistake, and takes kernels.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="linear"
        "linear" keeps the weights w. Any other kernel, by name or as an object such as `RBF(0.1)`, keeps a coefficient
        for each row that was mistaken, as "poly", "rbf", "laplacian", "sigmoid" and "precomputed" do. `Linear()` does
        so, too, and gives the machine of "linear".
    penalty : {"l2", "l1", "elasticnet"} or None, default=None
        As in `SGDClassifier`. It moves the plane in every step, so that no pass without a mistake is the last. With
        kernel="linear" only, as are alpha and l1_ratio.
    tol : float or None, default=1e-3
        Ends `fit` after `n_iter_no_change` passes of which none lowered the mean of max(0, −t f), as it is met during a
        pass, or with `early_stopping` raised the score, by as much; maybe before the rows are separated. With None it
        goes on until a pass makes no mistake.
    eta0 : float, default=1.0
        Length of the steps. Without penalty and weights it changes the length of w only.
    random_state : int, RandomState instance or None, default=0
        Seed of the orders and of the rows held out. The same seed gives the same machine.
    warm_start : bool, default=False
        Whether `fit` starts from the machine of an earlier one of the same kind, with as many features and the same
        classes; with a kernel, also with as many rows.
    degree : int, default=3
        Degree of the kernel "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernels "rbf", "laplacian", "poly" and "sigmoid", as in `SVC`.
    coef0 : float, default=0.0
        Constant of the kernels "poly" and "sigmoid".
    alpha, l1_ratio, fit_intercept, max_iter, shuffle, verbose, n_jobs, early_stopping, validation_fraction, \
n_iter_no_change, class_weight, time_limit, callback
        As in `SGDClassifier`. With a kernel `n_jobs` counts for prediction.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    n_mistakes_ : ndarray of shape (1,) or (n_classes,)
        Mistakes of each function, over all passes of `fit`, or in the one of the last `partial_fit`.
    n_iter_ : int
        Whole passes made, the most of all functions, with the last that only confirms.
    separated_ : bool
        Whether all training rows of `fit` are on their right side of every function.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; with kernel="linear" only.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The b of each function.
    support_, support_vectors_, dual_coef_
        Numbers of the rows that were mistaken at some time, these rows, and how often times their sign, eta0 and
        weight, one row a function; not with kernel="linear".
    kernel_ : Kernel
        The kernel with its parameters as numbers.
    t_, objective_ : float, float or ndarray of shape (n_classes,)
        As in `SGDClassifier`, with the loss max(0, −t f).
    status_ : Status
        How the fit ended; a pass without mistakes, and passes that no longer help, are silent, every other end warns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import Perceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Perceptron(tol=None).fit(X[:100], y[:100])
    >>> model.separated_, model.score(X[:100], y[:100])
    (True, 1.0)
    """

    _loss_names = ("perceptron",)

    support_ = MachineAttribute()
    support_vectors_ = MachineAttribute()
    dual_coef_ = MachineAttribute()
    intercept_ = MachineOrOwnAttribute()
    kernel_ = MachineOrOwnAttribute()

    def __init__(
        self,
        kernel: Any = "linear",
        *,
        penalty: str | None = None,
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: bool = False,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        time_limit: float | None = None,
        callback: Any = None,
    ) -> None:
        super().__init__(
            loss="perceptron",
            penalty=penalty,
            alpha=alpha,
            l1_ratio=l1_ratio,
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
            shuffle=shuffle,
            verbose=verbose,
            epsilon=0.0,
            n_jobs=n_jobs,
            random_state=random_state,
            learning_rate="constant",
            eta0=eta0,
            power_t=0.5,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            warm_start=warm_start,
            average=False,
            batch_size=1,
            time_limit=time_limit,
            callback=callback,
        )
        self.class_weight = class_weight
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # On the overlapping classes that scikit-learn judges by, the last plane is as good as its order is lucky.
        tags.classifier_tags.poor_score = tags.input_tags.pairwise or self._is_primal()
        return tags

    # ---------------------------------------------------------------- fit, through weights

    partial_fit = available_if(_learns_weights)(SGDClassification.partial_fit)

    def _fit_or_restore(self, X: Any, y: Any, sample_weight: Any, callback: Any, **others: Any) -> Self:
        with restored_on_error(self):
            fit = self._fit if self._is_primal() else self._fit_coefficients
            return fit(X, y, sample_weight, callback, **others)

    def _is_primal(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _keep(self, descent: GradientDescent, reached: Descended) -> None:
        if Status.DIVERGED in reached.statuses:
            raise InputError("The weights overflow: expected features of moderate size. Scale them, and fit again.")
        self._forget("_machine", "shape_fit_", "separated_", "n_mistakes_")
        super()._keep(descent, reached)
        self.kernel_ = self._checked_kernel()
        self.n_mistakes_ = locked(np.array(reached.pulls))

    def _objectives(
        self, descent: GradientDescent, X: Any, targets: DescentTargets, rows: Integers, threads: int | None
    ) -> tuple[Any, Floats]:
        f, y = self._values(X, threads)[rows], targets.y[rows]
        signs = np.stack([targets.against_rest(k, y, y)[0] for k in range(len(targets.positive))], axis=1)
        # A value next to zero may be rounded to another sign here than in the last pass.
        self.separated_ = self.status_ is Status.SEPARATED or bool(np.all(signs * f > 0))
        return super()._objectives(descent, X, targets, rows, threads)

    def _complaints(self, at_zero: Floats | None) -> Iterator[Warning]:
        if self.status_ is Status.ITERATION_LIMIT and not self.penalty:
            yield UnsolvedWarning(
                f"The perceptron made mistakes in each of its {self.n_iter_} passes: expected one without. Either no "
                "hyperplane separates the classes, and SVC is the better choice; or raise max_iter."
            )
        else:
            yield from super()._complaints(at_zero)

    # ---------------------------------------------------------------- fit, through a kernel

    def _fit_coefficients(
        self, X: Any, y: Any, sample_weight: Any, callback: Any, *, coef_init: Any = None, intercept_init: Any = None
    ) -> Self:
        """As `_fit`, with a coefficient for each row instead of weights."""
        descent, _ = self._checked_parameters()
        monitor = DescentMonitor(callback, bool(self.verbose))
        self._refuse_weights(coef_init, intercept_init)
        kernel = self._checked_kernel()
        X, y = read_training_data(self, X, y, takes_features(kernel), LABELS)
        earlier = self._earlier_machine(X.shape)
        known: Any = self.__dict__.get("classes_")
        given = self._read_sgd_targets(y, sample_weight, go_on=False)
        X = checked_matrix(kernel, X)
        random = check_random_state(self.random_state)
        given, rows, held_out = self._split(given, random)
        monitor.problems = len(given.targets.positive)

        watch = Watch(self._seconds_left(monitor), monitor.report)
        training = rows_of(kernel.resolve(X), X)
        tasks = _tasks_of(given, rows, held_out)
        seeds = seeds_of(random, len(tasks))
        learners = self._learners(KernelRows(training, watch), tasks, descent, seeds)
        if earlier is not None and np.array_equal(known, self.classes_):
            self._start_at(earlier, learners, len(training))
        # What overflows is told at the end.
        with np.errstate(over="ignore", invalid="ignore"):
            statuses = learn_from_mistakes(learners, watch)
        self._keep_coefficients(training, given, tasks, learners, statuses)
        monitor.finish(f"{self.status_.value} {self.n_iter_} passes, {self.n_mistakes_.sum()} mistakes.")
        for complaint in self._complaints(None):
            warn_user(complaint)
        return self

    @staticmethod
    def _learners(
        rows: KernelRows, tasks: list[RowsToLearn], descent: GradientDescent, seeds: Sequence[int]
    ) -> list[MistakeLearner]:
        """One for each function, with the orders in which it visits its rows."""
        rules = MistakeRules(descent.eta0, descent.passes, descent.tol, descent.patience, descent.fit_intercept)
        orders = [
            core.Orders(len(task.training), seed, descent.shuffle) for task, seed in zip(tasks, seeds, strict=True)
        ]
        return [MistakeLearner(rows, task, rules, order) for task, order in zip(tasks, orders, strict=True)]

    def _start_at(self, earlier: KernelMachine, learners: list[MistakeLearner], count: int) -> None:
        for k, learner in enumerate(learners):
            b = float(earlier.intercept[k]) if self.fit_intercept else 0.0
            learner.start_at(earlier.coef_at_rows(k, count), b)

    def _refuse_weights(self, coef_init: Any, intercept_init: Any) -> None:
        if coef_init is not None or intercept_init is not None:
            raise ParameterError(
                f"coef_init and intercept_init are weights: expected none with kernel={self.kernel!r}. Go on from an "
                "earlier fit with warm_start=True."
            )

    def _earlier_machine(self, shape: tuple[int, int]) -> KernelMachine | None:
        """The machine to start from, where that is asked for and there is one of as many rows and features."""
        earlier: KernelMachine | None = self.__dict__.get("_machine") if self.warm_start else None
        return earlier if earlier is not None and self.shape_fit_ == shape else None

    def _keep_coefficients(
        self,
        training: Rows,
        given: SgdTargets,
        tasks: list[RowsToLearn],
        learners: list[MistakeLearner],
        statuses: list[Status],
    ) -> None:
        self._forget("coef_", "intercept_", "kernel_", "_descent_state")
        intercept, coefs = np.array([learner.b for learner in learners]), [learner.c for learner in learners]
        all_rows = np.arange(len(training))
        if len(learners) == 1:
            self._machine: KernelMachine = SingleMachine.of_rows(training, all_rows, coefs[0], intercept)
        else:
            codes = given.targets.y.astype(np.intp)
            targets = ClassTargets(self.classes_, codes, np.ones(len(self.classes_)), np.ones(len(codes)))
            self._machine = OneVsRestMachine.of_classes(training, targets, [all_rows] * len(coefs), coefs, intercept)
        self.shape_fit_ = training.X.shape
        self.n_mistakes_ = locked(np.array([learner.mistakes for learner in learners]))
        self.n_iter_ = max(learner.passes for learner in learners)
        self.t_ = 1.0 + max(learner.visited for learner in learners)
        self.status_ = worst_of(statuses)
        objectives, right = [], []
        for task, learner in zip(tasks, learners, strict=True):
            signs, values = task.signs[task.training], learner.values[task.training]
            objectives.append(mean_loss(self.loss, signs, values, 0.0, task.weights[task.training]))
            right.append(bool(np.all(signs * values > 0)))
        self.objective_ = objectives[0] if len(objectives) == 1 else locked(np.array(objectives))
        self.separated_ = all(right)

    def _forget(self, *names: str) -> None:
        """Drops what a machine of the other form has, or a fit but no piece of one."""
        for name in names:
            self.__dict__.pop(name, None)

    # ---------------------------------------------------------------- parameters

    def _checked_parameters(self) -> tuple[GradientDescent, int | None]:
        self._checked_kernel()
        if not self._is_primal():
            for name, default in _OF_WEIGHTS_ONLY.items():
                if getattr(self, name) != default:
                    raise ParameterError(
                        f"{name} is a matter of weights: expected {default!r} with kernel={self.kernel!r}, got "
                        f"{getattr(self, name)!r}. Leave it out, or take kernel='linear' on features of FeatureMap."
                    )
        descent, threads = super()._checked_parameters()
        return descent._replace(until_right=descent.l1 == descent.l2 == 0), threads

    def _checked_kernel(self) -> Kernel:
        return kernel_from_name(self.kernel, self.gamma, self.degree, self.coef0, owner=type(self).__name__)

    # ---------------------------------------------------------------- predict

    def _values_of_queries(self, X: Any) -> Floats:
        check_is_fitted(self, "kernel_")
        if "_machine" not in self.__dict__:
            return super()._values_of_queries(X)
        machine = self._machine
        machine.check()
        check_classes(self, len(machine.intercept))
        expansion = machine.expansion
        X = expansion.as_in_fit(read_queries(self, X, expansion.takes_features))
        return machine.values(X, checks.thread_count(self.n_jobs))


def _tasks_of(given: SgdTargets, rows: Integers, held_out: Integers | None) -> list[RowsToLearn]:
    """What each function learns."""
    targets = given.targets
    own = np.ones(len(targets.y)) if targets.weights is None else targets.weights
    problems = range(len(targets.positive))
    return [RowsToLearn(*targets.against_rest(k, targets.y, own), rows, held_out) for k in problems]
