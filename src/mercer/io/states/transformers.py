"""Transformers of Mercer's: feature maps, landmarks, random features, scales."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import ModelFileError
from mercer.io.facts import COUNT, FINITE, NUMBER, TEXT, count_of, integers, matrix, maybe, numbers
from mercer.io.model_facts import KERNEL
from mercer.io.states.state import FEATURES, STATUS, STEPS, State

__all__ = ["TRANSFORMERS"]

_EITHER_FLOAT = (np.float64, np.float32)


def _check_map(estimator: Any) -> None:
    """The map has as many features as its kernel says."""
    own = estimator.__dict__
    if "kernel_" not in own:
        return
    size = estimator._check_map(own["kernel_"], own["n_features_in_"])
    own["kernel_"].map_terms(own["n_features_in_"], estimator.degree)  # raises for coefficients that are no numbers
    if size != own["n_features_out_"]:
        raise ModelFileError(f"FeatureMap: expected {size} features of the map, got {own['n_features_out_']}.")


def _check_landmarks(estimator: Any) -> None:
    """Landmarks of as many features as rows have, or places among the rows."""
    own = estimator.__dict__
    if "kernel_" not in own:
        return
    landmarks, places = own["components_"], own["component_indices_"]
    if own["kernel_"].is_pairwise:
        fits = places is not None and int(places.max(initial=0)) < own["n_features_in_"]
    else:
        fits = landmarks.shape[1] == own["n_features_in_"]
    if not fits:
        raise ModelFileError(f"Nystroem: expected landmarks of {own['n_features_in_']} features, got others.")


TRANSFORMERS: dict[str, State] = {
    "FeatureMap": State(
        "mercer.kernels.feature_map:FeatureMap",
        {**FEATURES, "kernel_": KERNEL, "n_features_out_": COUNT},
        ("kernel_", "n_features_in_", "n_features_out_"),
        finish=_check_map,
    ),
    "Nystroem": State(
        "mercer.estimators.nystroem:Nystroem",
        {
            **FEATURES,
            "kernel_": KERNEL,
            "components_": matrix("m", None),
            "component_indices_": maybe(integers("m", low=0)),
            "normalization_": numbers("m", "m"),
            "_n_features_out": count_of("m"),
            "residual_": NUMBER,
        },
        ("kernel_", "components_", "component_indices_", "normalization_", "_n_features_out", "n_features_in_"),
        finish=_check_landmarks,
    ),
    "RBFSampler": State(
        "mercer.estimators.rbf_sampler:RBFSampler",
        {
            **FEATURES,
            "_gamma": FINITE,
            "random_weights_": numbers("d", "m", dtypes=_EITHER_FLOAT),
            "random_offset_": numbers("m", dtypes=_EITHER_FLOAT),
            "_n_features_out": count_of("m", least=1),
        },
        ("random_weights_", "random_offset_", "_n_features_out", "n_features_in_"),
    ),
    "FeatureRelevance": State(
        "mercer.estimators.feature_relevance:FeatureRelevance",
        {
            **FEATURES,
            "scales_": numbers("d", low=0.0),
            "relevance_": numbers("d", low=0.0),
            "gamma_": NUMBER,
            "objective_": NUMBER,
            "n_iter_": STEPS,
            "n_evaluations_": COUNT,
            "status_": STATUS,
            "criterion_": TEXT,
            "row_indices_": integers(None, low=0),
        },
        ("scales_", "relevance_", "n_features_in_"),
    ),
}
