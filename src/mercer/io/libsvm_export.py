"""Fitted estimators and machines as LIBSVM models; what LIBSVM cannot express is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.errors import InputError, NumericsWarning, ParameterError, warn_user
from mercer.io.libsvm_header import LibsvmProblem, kernel_lines
from mercer.io.libsvm_model import LibsvmModel
from mercer.io.libsvm_order import ClassOrder
from mercer.machines import KernelMachine, OneVsOneMachine, SingleMachine
from mercer.typing import Floats

__all__ = ["libsvm_model_of", "model_of_machine"]

_MOST_LABEL = 2**31 - 1


def libsvm_model_of(model: Any, problem: LibsvmProblem | None = None, probabilities: bool | None = None) -> LibsvmModel:
    """The LIBSVM model of a fitted estimator, a machine, or what is one already; `save_libsvm_model` says more."""
    if isinstance(model, LibsvmModel):
        return model
    if isinstance(model, KernelMachine):
        return model_of_machine(model, problem)
    name = type(model).__name__
    machine = _machine_of(model)
    if machine is None:
        raise InputError(
            "save_libsvm_model: expected a fitted SVC, NuSVC, SVR, NuSVR or OneClassSVM of mercer or of sklearn.svm, "
            f"or its machine, got {name}. Of a pipeline or a search pass the fitted last step; of a linear machine, "
            "SVC or SVR with kernel='linear'."
        )
    found = model_of_machine(machine, LibsvmProblem(_PROBLEMS[name]) if problem is None else problem, name)
    if probabilities is False:
        return found
    marks = getattr(getattr(model, "_inliers", None), "marks", None) if probabilities else None
    prob_a, prob_b = _sigmoids(model, machine, found)
    return replace(found, prob_a=prob_a, prob_b=prob_b, marks=marks)


def model_of_machine(
    machine: KernelMachine,
    problem: LibsvmProblem | None = None,
    name: str = "machine",
    labels: tuple[int, ...] | None = None,
) -> LibsvmModel:
    """The LIBSVM model of a machine; `labels` are its classes in the order that the file is to have."""
    kernel_lines(machine.kernel)
    if machine.is_precise:
        warn_user(
            NumericsWarning(
                "save_libsvm_model: expected a machine whose sums float64 can tell, got one that was evaluated in "
                "twice its precision. LIBSVM will predict other values; scale the features or lower C, and fit again."
            )
        )
    if isinstance(machine, OneVsOneMachine):
        if problem is not None and not problem.is_classification:
            raise ParameterError(f"problem: expected c_svc or nu_svc of a machine with classes, got {problem.value}.")
        return LibsvmModel(problem or LibsvmProblem.C_SVC, _labelled(machine, name), labels or _labels(machine, name))
    if not isinstance(machine, SingleMachine):
        raise InputError(
            f"save_libsvm_model: expected a machine for pairs of classes, or of one function, got {machine.kind}. Fit "
            "with multi_class='ovo'."
        )
    if problem is None or problem.is_classification:
        raise ParameterError(
            "problem: expected 'epsilon_svr', 'nu_svr' or 'one_class' of a machine of one function, which may be any "
            f"of these, got {None if problem is None else problem.value!r}."
        )
    return LibsvmModel(problem, machine)


_PROBLEMS = {
    "SVC": "c_svc",
    "NuSVC": "nu_svc",
    "OneClassSVM": "one_class",
    "SVR": "epsilon_svr",
    "NuSVR": "nu_svr",
}


def _machine_of(model: Any) -> KernelMachine | None:
    """The machine of a fitted estimator that LIBSVM has too; None of other things."""
    from sklearn import svm
    from sklearn.utils.validation import check_is_fitted

    from mercer.estimators.base import KernelEstimator
    from mercer.machines import machine_of_sklearn

    if type(model).__name__ not in _PROBLEMS:
        return None
    if isinstance(model, KernelEstimator):
        check_is_fitted(model)
        if model._objects is not None:
            raise InputError(
                "save_libsvm_model: expected rows of numbers, got a machine trained on objects. Train it on the matrix "
                "of kernel values with kernel='precomputed'."
            )
        return model._machine
    if isinstance(model, (svm.SVC, svm.NuSVC, svm.SVR, svm.NuSVR, svm.OneClassSVM)):
        check_is_fitted(model)
        found = machine_of_sklearn(model)
        assert isinstance(found, KernelMachine)
        return found
    return None


def _labels(machine: OneVsOneMachine, name: str) -> tuple[int, ...]:
    """The classes as whole numbers; of two the second first, so that +1 comes before −1 as LIBSVM has it."""
    classes = tuple(_whole_numbers(machine.classes, name))
    return classes[::-1] if len(classes) == 2 else classes


def _labelled(machine: OneVsOneMachine, name: str) -> OneVsOneMachine:
    """The machine with whole numbers for classes, in their order."""
    numbers = np.array(_whole_numbers(machine.classes, name), dtype=np.int64)
    if np.array_equal(numbers, np.sort(numbers)):
        return replace(machine, classes=numbers)
    # Words such as '10' and '9' are in another order than the numbers.
    order = ClassOrder.of(numbers.tolist())
    counts = machine.n_support.tolist()
    sign = -1.0 if len(numbers) == 2 else 1.0
    rows = order.rows_by_class(counts)
    vectors = machine.support_vectors
    return OneVsOneMachine(
        kernel=machine.kernel,
        n_features=machine.n_features,
        support=machine.support[rows],
        support_vectors=vectors[rows] if vectors.shape[0] else vectors.copy(),
        n_support=machine.n_support[order.place],
        dual_coef=order.to_coef(sign * machine.dual_coef, counts),
        intercept=order.to_functions(sign * machine.intercept),
        classes=order.classes,
        is_precise=machine.is_precise,
    )


def _whole_numbers(classes: Any, name: str) -> list[int]:
    numbers: list[int] = []
    for label in classes.tolist():
        try:
            number = int(label) if not isinstance(label, (bool, bytes)) else None
            fits = number is not None and -_MOST_LABEL - 1 <= number <= _MOST_LABEL
            fits = fits and (isinstance(label, str) or number == label)
        except (TypeError, ValueError, OverflowError):
            fits, number = False, None
        if not fits or number is None or number in numbers:
            raise InputError(
                f"{name}: expected labels that are different whole numbers of 32 bits, as LIBSVM's are, got {label!r}. "
                "Number the classes, for instance with numpy.unique(y, return_inverse=True), and fit again."
            )
        numbers.append(number)
    return numbers


def _sigmoids(model: Any, machine: KernelMachine, found: LibsvmModel) -> tuple[Floats | None, Floats | None]:
    """A and B of LIBSVM's pairs, where the estimator has probabilities."""
    if not isinstance(machine, OneVsOneMachine):
        return None, None
    calibration = model.__dict__.get("calibration_")
    prob_a, prob_b = (model.__dict__.get(name) for name in ("_probA", "_probB"))
    pairs = len(machine.intercept)
    if calibration is None:
        if prob_a is None or prob_b is None or not len(prob_a):
            return None, None
        a, b = np.array(prob_a), np.array(prob_b)  # scikit-learn keeps those of LIBSVM, which sees its classes in order
    elif calibration.kind == "isotonic":
        raise InputError(
            "save_libsvm_model: expected sigmoids, which are the probabilities that LIBSVM has, got isotonic "
            "calibration. Fit with probability='sigmoid', or save with probabilities=False."
        )
    else:
        is_sigmoid = calibration.kind == "sigmoid"
        slope, offset = (
            (calibration.slope, calibration.offset)
            if is_sigmoid
            else (np.full(pairs, calibration.inverse), np.zeros(pairs))
        )
        # Of two classes Mercer's function is positive for the second, LIBSVM's for the first.
        a, b = -slope, offset if len(machine.classes) == 2 else -offset
    own = ClassOrder.of(_whole_numbers(machine.classes, type(model).__name__))
    written = ClassOrder.of(found.labels)
    slopes = np.empty(pairs)
    slopes[own.pair] = a  # a function and its opposite have the same slope
    return slopes[written.pair], written.of_functions(own.to_functions(b)) + 0.0
