"""What svm-train prints of a solution, as LIBSVM does; scripts read it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mercer.cli.svm_options import TrainingOptions
from mercer.cli.svm_training import Trained
from mercer.fits import Fitted
from mercer.io.libsvm_models import LibsvmProblem
from mercer.io.libsvm_order import ClassOrder
from mercer.problems import NuClassification, NuRegression

__all__ = ["certificate_line", "solution_lines"]


def solution_lines(trained: Trained, options: TrainingOptions) -> Iterator[str]:
    """One paragraph for each pair of classes, in LIBSVM's order; and the number of support vectors."""
    model, fitted = trained
    if fitted is None:
        yield "WARNING: training data in only one class. See README for details."
    else:
        order = ClassOrder.of(model.labels) if model.problem.is_classification else None
        groups = [0] if order is None else order.pair.tolist()
        signs = [1.0] if order is None else order.sign.tolist()
        for group, sign in zip(groups, signs, strict=True):
            yield from _paragraph(fitted, group, sign, options)
    if model.problem.is_regression and model.prob_a is not None:
        yield "Prob. model for test data: target value = predicted value + z,"
        yield f"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma= {float(model.prob_a[0]):g}"
    if model.problem.is_classification:
        yield f"Total nSV = {len(model.machine.support)}"


def certificate_line(fitted: Fitted) -> str:
    """How far from the optimum the machines are, all together."""
    certificate = fitted.certificate
    return (
        f"{fitted.status.value} Relative duality gap {max(certificate.relative_gap, 0.0):.2g}, violation of the "
        f"optimality conditions {max(certificate.violation, 0.0):.2g} (tolerance {fitted.task.tol:g})."
    )


def _paragraph(fitted: Fitted, group: int, sign: float, options: TrainingOptions) -> Iterator[str]:
    problem, certificate = fitted.problem, fitted.certificate
    certificate = certificate.parts[group] if certificate.parts else certificate
    run = problem.groups.runs[group]
    coef, bound = fitted.coef[run], np.maximum(problem.upper[run], -problem.lower[run])
    size = np.abs(coef)
    intercept = float(fitted.expansions()[2][group])
    objective = -certificate.dual
    yield "*"
    yield f"optimization finished, #iter = {fitted.steps[group]}"
    if isinstance(problem, NuClassification):
        assert fitted.divisors is not None
        divisor = float(fitted.divisors[group])
        yield f"C = {1 / divisor:f}"
        objective /= divisor**2
    elif options.problem in (LibsvmProblem.C_SVC, LibsvmProblem.EPSILON_SVR):
        if bound.max() == bound.min() or options.problem is LibsvmProblem.EPSILON_SVR:
            yield f"nu = {float(size.sum()) / (float(bound.max()) * len(coef)):f}"
    elif options.problem is LibsvmProblem.NU_SVR:
        width = float(problem.width(fitted.offsets)[group]) if isinstance(problem, NuRegression) else 0.0
        yield f"epsilon = {width:f}"
    yield f"obj = {objective:f}, rho = {-sign * intercept + 0.0:f}"
    yield f"nSV = {np.count_nonzero(coef)}, nBSV = {np.count_nonzero((size >= bound) & (size > 0))}"
