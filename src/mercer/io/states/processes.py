"""Gaussian processes: rows, factors and the kernel that a likelihood decided on."""

from __future__ import annotations

from typing import Any

from mercer.errors import ModelFileError
from mercer.io.facts import COUNT, LABELS, NUMBER, Fact, count_of, either, integers, lists, maybe, numbers
from mercer.io.model_facts import KERNEL_OF_EITHER
from mercer.io.records import record
from mercer.io.states.state import FEATURES, State

__all__ = ["PROCESSES"]

_CENTRE = either(NUMBER, numbers(), numbers("targets"))
_REGRESSION: dict[str, Fact] = {
    **FEATURES,
    "_y_train_mean": _CENTRE,
    "_y_train_std": _CENTRE,
    "_shape": lists(COUNT, of=(tuple,), least=1),
    "kernel_": KERNEL_OF_EITHER,
    "_groups": maybe(record("NoiseGroups")),
    "_variances": numbers("groups"),
}
_NEEDED = ("n_features_in_", "_y_train_mean", "_y_train_std", "_shape", "kernel_", "_groups", "_variances")


def _check_shape(estimator: Any) -> None:
    """Targets have the shape that they had in the fit."""
    own = estimator.__dict__
    if "_shape" not in own:
        return
    shape, name = own["_shape"], type(estimator).__name__
    columns = shape[1] if len(shape) > 1 else 1
    if "alpha_" in own:
        same = own["alpha_"].shape == own["y_train_"].shape == shape
        count = own["alpha_"].reshape(len(own["alpha_"]), -1).shape[1]
    else:
        same, count = True, own["_sparse_posterior"].beta.shape[1]
    if len(shape) > 2 or not same or count != columns:
        raise ModelFileError(f"{name}: expected targets of shape {shape}, got others.")


def _check_classes(estimator: Any) -> None:
    own = estimator.__dict__
    if "_learnt" in own and len(own["_learnt"]) != (1 if len(own["classes_"]) == 2 else len(own["classes_"])):
        raise ModelFileError("GaussianProcessClassifier: expected a function for each class, got others.")


PROCESSES: dict[str, State] = {
    "GaussianProcessRegressor": State(
        "mercer.estimators.gaussian_process_regressor:GaussianProcessRegressor",
        {
            "X_train_": numbers("n", "d"),
            **_REGRESSION,
            "y_train_": either(numbers("n"), numbers("n", "targets")),
            "_noise": either(NUMBER, numbers("n")),
            "_unknowns": record("Unknowns"),
            "_theta": numbers("theta"),
            "log_marginal_likelihood_value_": NUMBER,
            "L_": numbers("n", "n"),
            "alpha_": either(numbers("n"), numbers("n", "targets")),
        },
        (*_NEEDED, "X_train_", "y_train_", "L_", "alpha_"),
        finish=_check_shape,
    ),
    "SparseGaussianProcessRegressor": State(
        "mercer.estimators.sparse_gaussian_process_regressor:SparseGaussianProcessRegressor",
        {
            **_REGRESSION,
            "inducing_rows_": numbers("m", "d"),
            "inducing_indices_": maybe(integers("m", low=0)),
            "lower_bound_": NUMBER,
            "upper_bound_": NUMBER,
            "residual_": NUMBER,
            "_sparse_posterior": record("SparsePosterior"),
        },
        (*_NEEDED, "_sparse_posterior", "inducing_rows_"),
        finish=_check_shape,
    ),
    "GaussianProcessClassifier": State(
        "mercer.estimators.gaussian_process_classifier:GaussianProcessClassifier",
        {
            "classes_": LABELS,
            "n_classes_": count_of("classes"),
            "X_train_": numbers("n", "d"),
            **FEATURES,
            "_learnt": lists(record("OneOfClasses"), of=(list,), least=1),
            "kernel_": either(KERNEL_OF_EITHER, lists(KERNEL_OF_EITHER, "classes", (tuple,))),
            "log_marginal_likelihood_value_": NUMBER,
        },
        ("classes_", "n_classes_", "X_train_", "_learnt", "kernel_", "n_features_in_"),
        finish=_check_classes,
    ),
}
