"""scikit-learn's callbacks, where it has them (1.9): whoever set some on an estimator hears of its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from mercer.solvers import Progress

__all__ = ["CallbackSupportMixin", "with_callbacks", "listener_of"]

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for that of scikit-learn 1.9."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Stands in for that of scikit-learn 1.9."""
        return method


def listener_of(estimator: Any, context: Any) -> Callable[[Progress], bool]:
    """Turns progress into tasks of scikit-learn's; the listener answers whether a callback asks to stop."""

    def hear(progress: Progress) -> bool:
        task = context.subcontext(task_name="progress")
        task.call_on_fit_task_begin(estimator=estimator)
        return bool(task.call_on_fit_task_end(estimator=estimator, metadata=asdict(progress)))

    return hear
