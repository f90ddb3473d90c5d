"""scikit-learn's own plain transformers, and pipelines of these and Mercer's estimators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.errors import ModelFileError
from mercer.io.facts import (
    ANYTHING,
    COUNT,
    NOTHING,
    NUMBER,
    Fact,
    array,
    count_of,
    either,
    instance,
    integers,
    lists,
    maybe,
    numbers,
)
from mercer.io.states.state import FEATURES, State

__all__ = ["FOREIGN"]

_FLOATS = (np.float64, np.float32)
_OF_FEATURES = numbers("d", dtypes=_FLOATS)
_SEEN = either(NUMBER, numbers("d", low=0.0), integers("d", low=0))
_CATEGORIES = array("fiubOUS", None, test=lambda value, sizes: len(value) > 0, told=" of categories")
_DTYPE = Fact("a dtype", lambda value, sizes: isinstance(value, (np.dtype, type)))
# Processes that a transformer may start.
_MOST_JOBS = 4096
_JOBS = Fact(
    f"None or a whole number up to {_MOST_JOBS}",
    lambda value, sizes: value is None or (type(value) is int and -_MOST_JOBS <= value <= _MOST_JOBS),
)
# What transformers may be given where they do nothing.
_PLACE = Fact(
    "an estimator, 'passthrough' or None",
    lambda value, sizes: value is None or value in ("passthrough", "drop") or hasattr(value, "get_params"),
)


def _state(
    address: str,
    facts: Mapping[str, Fact],
    needed: tuple[str, ...] = (),
    parameters: Mapping[str, Fact] | None = None,
    finish: Any = lambda estimator: None,
) -> State:
    return State(f"sklearn.{address}", {**FEATURES, **facts}, needed, parameters or {}, finish=finish, is_foreign=True)


def _named(length: int, least: int = 0) -> Fact:
    """Lists of a name, an estimator and, of three, columns."""
    return lists(
        Fact(
            "a name and an estimator",
            lambda value, sizes: (
                isinstance(value, (tuple, list))
                and len(value) == length
                and isinstance(value[0], str)
                and _PLACE.holds(value[1], sizes)
            ),
        ),
        of=(list, tuple),
        least=least,
    )


def _check_columns(estimator: Any) -> None:
    """Each transformer knows its columns."""
    fitted = estimator.__dict__.get("transformers_")
    if fitted is None:
        return
    indices, count = estimator._transformer_to_input_indices, estimator.n_features_in_
    names = set(getattr(estimator, "feature_names_in_", ()))
    for name, _, columns in fitted:
        if not _are_columns(indices.get(name), count, set()) or not _are_columns(columns, count, names):
            raise ModelFileError(f"ColumnTransformer: expected columns of {name!r} among {count}, got others.")


def _are_columns(columns: Any, count: int, names: set[str]) -> bool:
    """Whether they are numbers, names or a mask of so many columns."""
    if isinstance(columns, slice):
        return all(one is None or _is_column(one, count + 1, names) for one in (columns.start, columns.stop))
    if isinstance(columns, (str, int, np.integer)):
        return _is_column(columns, count, names)
    if not isinstance(columns, (list, tuple, np.ndarray)) or np.ndim(columns) != 1:
        return False
    given = columns.tolist() if isinstance(columns, np.ndarray) else list(columns)
    if given and all(isinstance(one, (bool, np.bool_)) for one in given):
        return len(given) == count
    return all(_is_column(one, count, names) for one in given)


def _is_column(column: Any, count: int, names: set[str]) -> bool:
    if isinstance(column, str):
        return column in names
    is_number = isinstance(column, (int, np.integer)) and not isinstance(column, (bool, np.bool_))
    return is_number and -count <= int(column) < count


FOREIGN: dict[str, State] = {
    # A cache on the disk holds pickles: a file does not lead there.
    "Pipeline": State(
        "sklearn.pipeline:Pipeline", {}, parameters={"steps": _named(2, least=1), "memory": NOTHING}, is_foreign=True
    ),
    "ColumnTransformer": _state(
        "compose._column_transformer:ColumnTransformer",
        {
            "transformers_": _named(3),
            "sparse_output_": ANYTHING,
            "output_indices_": ANYTHING,
            "_columns": ANYTHING,
            "_remainder": ANYTHING,
            "_n_features": COUNT,
            "_transformer_to_input_indices": ANYTHING,
            "_name_to_fitted_passthrough": ANYTHING,
            "_transformers_feature_names_out": ANYTHING,
        },
        ("transformers_", "n_features_in_", "_transformer_to_input_indices"),
        {"transformers": _named(3), "remainder": _PLACE, "n_jobs": _JOBS},
        finish=_check_columns,
    ),
    "TransformedTargetRegressor": _state(
        "compose._target:TransformedTargetRegressor",
        {"transformer_": _PLACE, "regressor_": _PLACE, "_training_dim": COUNT},
        ("transformer_", "regressor_"),
        {"regressor": _PLACE, "transformer": _PLACE},
    ),
    "StandardScaler": _state(
        "preprocessing._data:StandardScaler",
        {
            "mean_": maybe(_OF_FEATURES),
            "var_": maybe(_OF_FEATURES),
            "scale_": maybe(_OF_FEATURES),
            "n_samples_seen_": _SEEN,
        },
        ("scale_", "mean_", "n_features_in_"),
    ),
    "MinMaxScaler": _state(
        "preprocessing._data:MinMaxScaler",
        {
            **dict.fromkeys(("min_", "scale_", "data_min_", "data_max_", "data_range_"), _OF_FEATURES),
            "n_samples_seen_": _SEEN,
        },
        ("min_", "scale_", "n_features_in_"),
    ),
    "MaxAbsScaler": _state(
        "preprocessing._data:MaxAbsScaler",
        {"scale_": _OF_FEATURES, "max_abs_": _OF_FEATURES, "n_samples_seen_": _SEEN},
        ("scale_", "n_features_in_"),
    ),
    "RobustScaler": _state(
        "preprocessing._data:RobustScaler",
        {"center_": maybe(_OF_FEATURES), "scale_": maybe(_OF_FEATURES)},
        ("center_", "scale_", "n_features_in_"),
    ),
    "Normalizer": _state("preprocessing._data:Normalizer", {}),
    "PowerTransformer": _state(
        "preprocessing._data:PowerTransformer",
        {
            "lambdas_": numbers("d", finite=False),
            "_scaler": instance("sklearn.preprocessing._data:StandardScaler"),
        },
        ("lambdas_", "n_features_in_"),
    ),
    "QuantileTransformer": _state(
        "preprocessing._data:QuantileTransformer",
        {
            "n_quantiles_": count_of("quantiles", least=1),
            "quantiles_": numbers("quantiles", "d", finite=False, dtypes=_FLOATS),
            "references_": numbers("quantiles"),
        },
        ("quantiles_", "references_", "n_features_in_"),
    ),
    "PolynomialFeatures": _state(
        "preprocessing._polynomial:PolynomialFeatures",
        dict.fromkeys(("_min_degree", "_max_degree", "_n_out_full", "n_output_features_"), COUNT),
        ("n_output_features_", "n_features_in_"),
    ),
    "FunctionTransformer": _state(
        "preprocessing._function_transformer:FunctionTransformer",
        {},
        (),
        {"func": NOTHING, "inverse_func": NOTHING},
    ),
    "SimpleImputer": _state(
        "impute._base:SimpleImputer",
        {
            "statistics_": array("fiuOb", "d"),
            "indicator_": maybe(instance("sklearn.impute._base:MissingIndicator")),
            "_fit_dtype": _DTYPE,
            "_fill_dtype": _DTYPE,
        },
        ("statistics_", "indicator_", "_fit_dtype", "n_features_in_"),
    ),
    "MissingIndicator": _state(
        "impute._base:MissingIndicator",
        {"_n_features": count_of("d"), "features_": integers(None, low=0, below="d"), "_precomputed": ANYTHING},
        ("features_", "_n_features"),
    ),
    "OneHotEncoder": _state(
        "preprocessing._encoders:OneHotEncoder",
        {
            "categories_": lists(_CATEGORIES, "d", (list,)),
            "drop_idx_": maybe(array("iuO", "d")),
            "_drop_idx_after_grouping": maybe(array("iuO", "d")),
            "_infrequent_enabled": ANYTHING,
            "_infrequent_indices": ANYTHING,
            "_default_to_infrequent_mappings": ANYTHING,
            "_n_features_outs": lists(COUNT, "d", (list,)),
        },
        ("categories_", "_infrequent_enabled", "n_features_in_"),
        {"dtype": _DTYPE},
    ),
    "OrdinalEncoder": _state(
        "preprocessing._encoders:OrdinalEncoder",
        {
            "categories_": lists(_CATEGORIES, "d", (list,)),
            "_infrequent_enabled": ANYTHING,
            "_infrequent_indices": ANYTHING,
            "_default_to_infrequent_mappings": ANYTHING,
            "_missing_indices": ANYTHING,
        },
        ("categories_", "n_features_in_"),
        {"dtype": _DTYPE},
    ),
    "PCA": _state(
        "decomposition._pca:PCA",
        {
            "n_components_": count_of("m"),
            "components_": numbers("m", "d", dtypes=_FLOATS),
            "mean_": _OF_FEATURES,
            **dict.fromkeys(
                ("explained_variance_", "explained_variance_ratio_", "singular_values_"), numbers("m", dtypes=_FLOATS)
            ),
            "n_samples_": COUNT,
            "noise_variance_": NUMBER,
            "_fit_svd_solver": ANYTHING,
        },
        ("components_", "mean_", "explained_variance_", "n_features_in_"),
    ),
    "TruncatedSVD": _state(
        "decomposition._truncated_svd:TruncatedSVD",
        {
            "components_": numbers("m", "d", dtypes=_FLOATS),
            **dict.fromkeys(
                ("explained_variance_", "explained_variance_ratio_", "singular_values_"), numbers("m", dtypes=_FLOATS)
            ),
        },
        ("components_", "n_features_in_"),
    ),
    "VarianceThreshold": _state(
        "feature_selection._variance_threshold:VarianceThreshold",
        {"variances_": numbers("d", finite=False, dtypes=_FLOATS)},
        ("variances_", "n_features_in_"),
    ),
}
