"""What every fit with a certificate shares: nothing is lost where it fails, callbacks hear of it, the proof is kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from sklearn.base import BaseEstimator

from mercer.certificates import Certificate, Evidence
from mercer.estimators.callbacks import CallbackSupportMixin, listener_of, with_callbacks

__all__ = ["CertifiedEstimator"]


class CertifiedEstimator(CallbackSupportMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """An estimator whose `_fit` leaves a certificate, or what it can be worked out from, in `_proof`."""

    callback: Any
    _proof: Certificate | Evidence

    @abstractmethod
    def _fit(self, X: Any, y: Any, sample_weight: Any, callback: Any) -> Self:
        """Fits; the callback is the user's, with scikit-learn's where some are set."""

    def _fit_any(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Fits, with scikit-learn's callbacks where some are set."""
        if hasattr(self, "_skl_callbacks"):
            self._fit_with_callbacks(X, y, sample_weight)
            return self
        return self._fit_or_restore(X, y, sample_weight, self.callback)

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit_with_callbacks(self, X: Any, y: Any, sample_weight: Any) -> None:
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        tell, own = listener_of(self, context), self.callback
        self._fit_or_restore(X, y, sample_weight, lambda progress: tell(progress) or (own and own(progress)))
        context.call_on_fit_task_end(estimator=self, X=X, y=y, reconstruction_attributes={})

    def _fit_or_restore(self, X: Any, y: Any, sample_weight: Any, callback: Any) -> Self:
        """Fits; where that raises, nothing of an earlier fit is lost, not even the names of its features."""
        earlier = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight, callback)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(earlier)
            raise

    def __getstate__(self) -> dict[str, Any]:
        if "_proof" in self.__dict__:
            self._proof = self.certificate_  # a pickle has no use for what it is worked out from
        return super().__getstate__()  # type: ignore[no-any-return]

    @property
    def certificate_(self) -> Certificate:
        """How far from the optimum the machine can be at most."""
        proof = self.__dict__.get("_proof")
        if proof is None:
            raise AttributeError(f"{type(self).__name__} has no certificate_ before fit.")
        if isinstance(proof, Evidence):
            proof = self._proof = proof.certificate
        return proof
