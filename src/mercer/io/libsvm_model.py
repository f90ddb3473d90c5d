"""A LIBSVM model as a machine: what it predicts, in LIBSVM's order and with its signs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer.errors import InputError
from mercer.io.libsvm_coupling import coupled_step_by_step
from mercer.io.libsvm_header import Header, LibsvmProblem
from mercer.io.libsvm_order import ClassOrder
from mercer.io.libsvm_queries import Evaluation
from mercer.io.libsvm_vectors import ModelText
from mercer.kernels import Precomputed
from mercer.machines import KernelMachine, OneVsOneMachine, SingleMachine
from mercer.typing import Floats

if TYPE_CHECKING:
    from mercer.calibration import InlierProbability, LaplaceNoise, SigmoidCalibration

__all__ = ["LibsvmModel"]

# No pair is surer than LIBSVM lets it be.
_LEAST = 1e-7


@dataclass(frozen=True, eq=False)
class LibsvmModel:
    """What a LIBSVM model file holds.

    Attributes
    ----------
    problem : LibsvmProblem
        What it was trained for.
    machine : OneVsOneMachine or SingleMachine
        The fitted functions, with Mercer's order of classes and signs. The file does not tell which training rows the
        support vectors are: `support` counts them, but of a precomputed kernel, whose file does.
    labels : tuple of int
        In LIBSVM's order, which is that of their first occurrence; empty unless it is a classification.
    prob_a, prob_b : ndarray, optional
        A and B of the sigmoids 1 / (1 + exp(A f + B)) of LIBSVM's pairs; of a regression `prob_a` is the size of its
        errors.
    marks : ndarray, optional
        Of one class, the values that part more and less probable rows.
    first_index : int
        The index in files of the machine's first feature: 1, unless the file has features with the index 0.

    Examples
    --------
    >>> from mercer.io.libsvm_models import load_libsvm_model
    >>> model = load_libsvm_model("heart_scale.model")  # doctest: +SKIP
    >>> model.predict(X)  # doctest: +SKIP
    """

    problem: LibsvmProblem
    machine: KernelMachine
    labels: tuple[int, ...] = ()
    prob_a: Floats | None = None
    prob_b: Floats | None = None
    marks: Floats | None = None
    first_index: int = 1

    # ---------------------------------------------------------------- from a file's text, and back

    @classmethod
    def of_text(cls, text: ModelText) -> Self:
        """The model that a file tells of."""
        header = text.header
        if header.problem.is_classification:
            order = ClassOrder.of(header.labels)
            rows = order.rows_by_class(header.counts)
            machine: KernelMachine = OneVsOneMachine(
                **_shared(text, rows),
                n_support=np.array(header.counts, dtype=np.int32)[order.place],
                dual_coef=order.to_coef(text.coef, header.counts),
                intercept=order.to_functions(-header.rho) + 0.0,
                classes=order.classes,
            )
        else:
            machine = SingleMachine(
                **_shared(text, np.arange(header.vectors)),
                n_support=np.array([header.vectors], dtype=np.int32),
                dual_coef=text.coef,
                intercept=-header.rho + 0.0,
            )
        known = (header.labels, header.prob_a, header.prob_b, header.marks)
        return cls(header.problem, machine, *known, text.first_index)

    def text(self) -> ModelText:
        """What a file of this model says."""
        machine = self.machine
        vectors, counts = len(machine.support), tuple(machine.n_support.tolist())
        if self.problem.is_classification:
            coef, order = self._order.of_coef(machine.dual_coef, counts)
            rho, counts = -self._order.of_functions(machine.intercept), tuple(np.array(counts)[self._rank].tolist())
        else:
            coef, order, rho, counts = machine.dual_coef, np.arange(vectors), -machine.intercept, ()
        header = Header(
            self.problem,
            machine.kernel,
            max(len(self.labels), 1) if self.problem.is_classification else 2,
            vectors,
            rho + 0.0,
            self.labels,
            counts,
            *(self.prob_a, self.prob_b, self.marks),
        )
        is_pairwise = isinstance(machine.kernel, Precomputed)
        serials = machine.support[order].astype(np.int64) + 1 if is_pairwise else np.zeros(0, dtype=np.int64)
        rows = machine.support_vectors if is_pairwise else machine.support_vectors[order]
        return ModelText(header, coef, rows, serials, self.first_index)

    # ---------------------------------------------------------------- what it predicts

    def decision_values(self, X: Any, threads: int | None = None) -> Floats:
        """The values of LIBSVM's functions, shape (rows, functions).

        Of a classification one for each pair of `labels`, (0, 1), (0, 2), …, positive for the first; else one.

        Parameters
        ----------
        X : {array-like, sparse matrix}
            Rows of features, the first of which has the index `first_index` in files; as in LIBSVM, features that are
            missing are zero, and there may be more than the machine has. Of a precomputed kernel, its values with
            the training rows.
        threads : int, optional
            None takes what is available.
        """
        if len(self.labels) == 1:
            return np.zeros((np.shape(X)[0], 0))
        values = self._evaluation(X, threads)
        return self._order.of_functions(values) if self.problem.is_classification else values

    def predict(self, X: Any, threads: int | None = None) -> Floats:
        """What svm-predict says of each row: its label by votes, its value, or 1 inside and −1 outside."""
        return self.decide(self.decision_values(X, threads))

    def decide(self, decision: Floats) -> Floats:
        """The same from decision values."""
        if self.problem.is_regression:
            return decision[:, 0]
        if not self.problem.is_classification:
            return np.where(decision[:, 0] > 0, 1.0, -1.0)
        votes = np.zeros((len(decision), len(self.labels)), dtype=np.int64)
        for number, pair in enumerate(zip(*np.triu_indices(len(self.labels), 1), strict=True)):
            votes[np.arange(len(decision)), np.where(decision[:, number] > 0, *pair)] += 1
        return np.asarray(np.array(self.labels, dtype=np.float64)[votes.argmax(axis=1)])

    @property
    def has_probabilities(self) -> bool:
        """Whether svm-predict takes `-b 1` for it."""
        return self.prob_a is not None or self.marks is not None

    def probabilities(self, X: Any, threads: int | None = None) -> Floats:
        """The probability of each label, in the order of `labels`; of one class, to be inside and to be outside."""
        return self.probabilities_of(self.decision_values(X, threads))

    def probabilities_of(self, decision: Floats) -> Floats:
        """The same from decision values."""
        if self.problem.is_regression or not self.has_probabilities:
            raise InputError(
                "probabilities: expected a classification or one class trained with probabilities (svm-train -b 1), "
                f"got {self.problem.value} {'with' if self.has_probabilities else 'without'} them."
            )
        if self.inliers is not None:
            inside = self.inliers(decision[:, 0])
            return np.stack([inside, 1 - inside], axis=1)
        if len(self.labels) == 1:
            return np.ones((len(decision), 1))
        assert self.prob_a is not None
        assert self.prob_b is not None
        with np.errstate(over="ignore"):
            own = np.clip(1 / (1 + np.exp(decision * self.prob_a + self.prob_b)), _LEAST, 1 - _LEAST)
        if len(self.labels) == 2:
            return np.concatenate([own, 1 - own], axis=1)
        return coupled_step_by_step(own, len(self.labels))

    # ---------------------------------------------------------------- the same as Mercer's values

    @property
    def calibration(self) -> SigmoidCalibration | None:
        """The sigmoids of a classification with Mercer's order of pairs and signs; None where there are none."""
        from mercer.calibration import SigmoidCalibration

        if not self.problem.is_classification or self.prob_a is None or self.prob_b is None or len(self.labels) < 2:
            return None
        slope = np.empty_like(self.prob_a)
        slope[self._order.pair] = -self.prob_a  # a function and its opposite have the same slope
        return SigmoidCalibration(len(self.labels), False, slope, self._order.to_functions(-self.prob_b))

    @property
    def noise(self) -> LaplaceNoise | None:
        """How far targets of a regression lie from its predictions; None where that was not estimated."""
        from mercer.calibration import LaplaceNoise

        is_known = self.problem.is_regression and self.prob_a is not None
        return LaplaceNoise(float(self.prob_a[0])) if is_known and self.prob_a is not None else None

    @property
    def inliers(self) -> InlierProbability | None:
        """The probability of belonging to one class; None where it was not estimated."""
        from mercer.calibration import InlierProbability

        return None if self.marks is None else InlierProbability(self.marks)

    def to_estimator(self, X: Any = None, y: Any = None, **parameters: Any) -> Any:
        """The fitted estimator of Mercer's with this machine.

        A file holds neither C, ν and ε nor which training rows its support vectors are, and `mercer.certify` has to
        know both: give them.

        Parameters
        ----------
        X, y : array-like, optional
            The training rows and their targets, to find the support vectors among. These then have all digits of the
            training rows, of which LIBSVM writes eight.
        **parameters
            Of the estimator, as `C=2.0`.

        Returns
        -------
        SVC, NuSVC, OneClassSVM, SVR or NuSVR
        """
        from mercer.io.libsvm_estimators import estimator_of

        return estimator_of(self, X, y, parameters)

    def certify(self, X: Any, y: Any = None, **parameters: Any) -> Any:
        """How far from the optimum the machine can be, from the rows it was trained on and C, nu and epsilon.

        Parameters
        ----------
        X, y
            The training rows and their targets.
        **parameters
            What `svm-train` was told and the file does not hold: `C` of c_svc, `C` and `epsilon` of epsilon_svr, `nu`
            of nu_svc and one_class, `C` and `nu` of nu_svr, and `class_weight` where it was.

        Returns
        -------
        Certificate
        """
        from mercer.io.libsvm_estimators import certify_model

        return certify_model(self, X, y, parameters)

    def from_index_zero(self) -> LibsvmModel:
        """The same with features numbered from zero: a column more, where the first had the index one."""
        if self.first_index == 0 or isinstance(self.machine.kernel, Precomputed):
            return self
        vectors = self.machine.support_vectors
        if isinstance(vectors, np.ndarray):
            wider: Any = np.concatenate([np.zeros((len(vectors), 1)), vectors], axis=1)
        else:
            shape = (vectors.shape[0], vectors.shape[1] + 1)
            wider = type(vectors)((vectors.data, vectors.indices + 1, vectors.indptr), shape=shape)
        machine = replace(self.machine, support_vectors=wider, n_features=self.machine.n_features + 1)
        return replace(self, machine=machine, first_index=0)

    @cached_property
    def _order(self) -> ClassOrder:
        return ClassOrder.of(self.labels)

    @cached_property
    def _rank(self) -> Any:
        """Where each label stands among the sorted classes."""
        rank = np.empty(len(self.labels), dtype=np.int64)
        rank[self._order.place] = np.arange(len(self.labels))
        return rank

    @cached_property
    def _evaluation(self) -> Evaluation:
        return Evaluation(self.machine)


def _shared(text: ModelText, rows: Any) -> dict[str, Any]:
    """What all machines hold, the support vectors in this order."""
    kernel = text.header.kernel
    if isinstance(kernel, Precomputed):
        support, vectors = text.serials[rows] - 1, np.empty((0, 0))
        features = int(text.serials.max(initial=0))
    else:
        support, vectors = np.arange(len(rows)), text.vectors[rows]
        features = text.vectors.shape[1]
    return {
        "kernel": kernel,
        "n_features": features,
        "support": support.astype(np.int32),
        "support_vectors": vectors,
    }
