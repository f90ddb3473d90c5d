"""Certificates for machines that somebody else fitted, or fitted earlier."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC as SklearnSVC
from sklearn.utils.validation import check_is_fitted, check_X_y

from mercer._runtime import available_threads
from mercer.certificates import Certificate
from mercer.data import checked_gram, core_ready, one_vs_one, read_class_targets, read_sample_weight, take_rows
from mercer.errors import InputError
from mercer.estimators.fitting import evidence_of_expansions
from mercer.estimators.svc import SVC
from mercer.gram import TrainingData
from mercer.kernels import Kernel, kernel_from_name
from mercer.machines import OneVsOneMachine
from mercer.problems import SupportVectorClassification
from mercer.typing import Floats

__all__ = ["certify"]


def certify(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
    """Proves how far from the optimum a fitted machine can be, from the data it was trained on.

    Parameters
    ----------
    model : mercer.SVC or sklearn.svm.SVC
        The fitted machine.
    X, y, sample_weight
        What it was fitted on.

    Returns
    -------
    Certificate
        Everything in float64; it shares nothing with the solver but the kernel.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> import mercer
    >>> X, y = load_iris(return_X_y=True)
    >>> certificate = mercer.certify(SVC().fit(X, y), X, y)
    >>> certificate.violation < 1e-3
    True
    """
    if not isinstance(model, (SVC, SklearnSVC)):
        raise InputError(
            f"certify: expected a fitted mercer.SVC or sklearn.svm.SVC, got {type(model).__name__}. Of a pipeline or "
            "a search pass the fitted last step, with the data as that step saw them."
        )
    check_is_fitted(model)
    machine = model._machine if isinstance(model, SVC) else _machine_of(model)
    kernel = machine.kernel
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=[np.float64, np.float32], accept_large_sparse=True)
    X = checked_gram(X) if kernel.is_pairwise else core_ready(X)
    if isinstance(model, SklearnSVC) and sample_weight is not None:
        # scikit-learn drops rows without positive weight before it numbers them.
        sample_weight = read_sample_weight(np.maximum(sample_weight, 0.0), len(y))
        X, y, sample_weight = _weighty_rows(X, y, sample_weight, kernel.is_pairwise)
    _check_training_data(machine, X)
    targets = read_class_targets(y, model.class_weight, sample_weight)
    if not np.array_equal(targets.classes, model.classes_):
        raise InputError(
            f"certify: expected the classes {model.classes_.tolist()}, got {targets.classes.tolist()}. "
            "Pass the targets the model was fitted on."
        )
    weights = targets.weights
    if isinstance(model, SklearnSVC):
        # scikit-learn balances classes without regard to sample weights.
        sample = 1.0 if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        weights = sample * model.class_weight_[targets.codes]

    pairs = one_vs_one(targets)
    rows = [pair.rows for pair in pairs]
    coefs = []
    for number, pair in enumerate(pairs):
        positions, coef = machine.pair_coef(number)
        full = np.zeros(X.shape[0])
        full[machine.support[positions]] = coef
        coefs.append(full[pair.rows])
    return evidence_of_expansions(
        SupportVectorClassification.several([pair.signs for pair in pairs], model.C * weights[np.concatenate(rows)]),
        TrainingData(kernel, X),
        rows,
        np.concatenate(coefs),
        machine.intercept,
        available_threads(),
    ).certificate


def _weighty_rows(X: Any, y: Any, weights: Floats, is_pairwise: bool) -> tuple[Any, Any, Floats]:
    kept = np.flatnonzero(weights > 0)
    inputs = core_ready(X[np.ix_(kept, kept)]) if is_pairwise else take_rows(X, kept)
    return inputs, np.asarray(y)[kept], weights[kept]


def _check_training_data(machine: OneVsOneMachine, X: Any) -> None:
    if X.shape[1] != machine.n_features:
        raise InputError(f"certify: expected {machine.n_features} features as in fit, got {X.shape[1]}.")
    inside = len(machine.support) == 0 or int(machine.support.max()) < X.shape[0]
    if inside and not machine.kernel.is_pairwise:
        same: Any = take_rows(X, machine.support) - machine.support_vectors
        inside = np.abs(same).max() == 0 if same.shape[0] else True
    if not inside:
        raise InputError(
            "certify: expected the data the model was fitted on, in the same order and dtype; the support vectors are "
            "not where support_ says. Pass the training rows."
        )


def _machine_of(model: SklearnSVC) -> OneVsOneMachine:
    """Mercer's machine with the numbers of a fitted scikit-learn model."""
    gamma = model._gamma if isinstance(model.kernel, str) else model.gamma
    kernel: Kernel = kernel_from_name(model.kernel, gamma, model.degree, model.coef0)
    vectors = model.support_vectors_
    if callable(model.kernel):
        vectors = model._BaseLibSVM__Xfit[model.support_]
    dual_coef = model.dual_coef_
    return OneVsOneMachine(
        kernel=kernel,
        classes=np.array(model.classes_),
        n_features=model.shape_fit_[1],
        support=np.array(model.support_),
        support_vectors=core_ready(vectors).copy(),
        n_support=np.array(model.n_support_),
        dual_coef=np.array(dual_coef.toarray() if sp.issparse(dual_coef) else dual_coef),
        intercept=np.array(model.intercept_),
    )
