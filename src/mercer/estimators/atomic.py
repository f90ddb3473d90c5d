"""A fit that loses nothing where it fails, and that scikit-learn's callbacks hear of."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from mercer.estimators.callbacks import CallbackSupportMixin, listener_of, with_callbacks

__all__ = ["AtomicFit", "restored_on_error"]


@contextmanager
def restored_on_error(estimator: Any) -> Iterator[None]:
    """Where the body raises, nothing of an earlier fit is lost, not even the names of its features."""
    earlier = dict(estimator.__dict__)
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(earlier)
        raise


class AtomicFit(CallbackSupportMixin, ABC):  # type: ignore[misc]
    """An estimator with a parameter `callback`, whose fit is `_fit`."""

    callback: Any

    _fit: Callable[..., Self]  # of X, y, sample_weight, callback: the user's, with scikit-learn's where some are set

    def _fit_any(self, X: Any, y: Any, sample_weight: Any, **others: Any) -> Self:
        """Fits, with scikit-learn's callbacks where some are set."""
        if hasattr(self, "_skl_callbacks"):
            self._fit_with_callbacks(X, y, sample_weight, **others)
            return self
        return self._fit_or_restore(X, y, sample_weight, self.callback, **others)

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit_with_callbacks(self, X: Any, y: Any, sample_weight: Any, **others: Any) -> None:
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        tell, own = listener_of(self, context), self.callback
        self._fit_or_restore(X, y, sample_weight, lambda progress: tell(progress) or (own and own(progress)), **others)
        context.call_on_fit_task_end(estimator=self, X=X, y=y, reconstruction_attributes={})

    def _fit_or_restore(self, X: Any, y: Any, sample_weight: Any, callback: Any, **others: Any) -> Self:
        with restored_on_error(self):
            return self._fit(X, y, sample_weight, callback, **others)
