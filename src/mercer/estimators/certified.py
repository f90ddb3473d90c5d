"""What every fit with a certificate shares: the proof is kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from sklearn.base import BaseEstimator

from mercer.certificates import Certificate, Evidence, Unevaluated
from mercer.estimators.atomic import AtomicFit

__all__ = ["CertifiedEstimator"]


class CertifiedEstimator(AtomicFit, BaseEstimator, ABC):  # type: ignore[misc]
    """An estimator whose `_fit` leaves a certificate, or what it can be worked out from, in `_proof`."""

    _proof: Certificate | Evidence | Unevaluated

    @abstractmethod
    def _fit(self, X: Any, y: Any, sample_weight: Any, callback: Any) -> Self:
        """Fits; the callback is the user's, with scikit-learn's where some are set."""

    @property
    def certificate_(self) -> Certificate:
        """How far from the optimum the machine can be at most."""
        proof = self.__dict__.get("_proof")
        if proof is None:
            raise AttributeError(f"{type(self).__name__} has no certificate_ before fit.")
        return proof.certificate if isinstance(proof, (Evidence, Unevaluated)) else proof
