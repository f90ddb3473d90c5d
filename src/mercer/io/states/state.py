"""What an estimator keeps after a fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mercer.io.facts import COUNT, TEXT, Fact, array, count_of, either, instance, integers, mapping

__all__ = ["FEATURES", "STATUS", "STEPS", "State"]


@dataclass(frozen=True)
class State:
    """Where the class of an estimator is, and the facts of the attributes that a fit leaves, in the order of checks.

    Attributes
    ----------
    address : str
        Its module and name.
    facts : dict
        By attribute; no other is written or read.
    needed : tuple of str
        What every fitted one has.
    parameters : dict
        Facts of parameters that its own checks do not look at.
    written : callable
        Takes an estimator and its attributes, and returns those that are written.
    finish : callable
        Takes an estimator that was read, and raises where its attributes do not fit together.
    is_foreign : bool
        Whether it is scikit-learn's.
    """

    address: str
    facts: Mapping[str, Fact]
    needed: tuple[str, ...] = ()
    parameters: Mapping[str, Fact] = field(default_factory=dict)
    written: Callable[[Any, dict[str, Any]], dict[str, Any]] = lambda estimator, kept: kept
    finish: Callable[[Any], None] = lambda estimator: None
    is_foreign: bool = False


def _are_names(value: Any, sizes: Any) -> bool:
    return all(isinstance(name, str) for name in value)


#: Of everything that is fitted to rows of features.
FEATURES: dict[str, Fact] = {
    "n_features_in_": count_of("d"),
    "feature_names_in_": array("OU", "d", test=_are_names, told=" of names"),
    # What `set_output` asks for.
    "_sklearn_output_config": mapping(TEXT),
}
STATUS = instance("mercer.solvers.status:Status")
#: Passes or steps, of one fit or of several.
STEPS = either(COUNT, integers(None, low=0))
