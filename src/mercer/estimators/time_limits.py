"""Methods that end with an answer within the estimator's `time_limit`, or with an error."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from mercer import checks
from mercer.deadline import deadline
from mercer.estimators.atomic import restored_on_error

__all__ = ["limited", "limited_fit"]

Method = TypeVar("Method", bound=Callable[..., Any])


def limited(method: Method) -> Method:
    """A method that raises `TimeLimitError` at the limit."""

    @wraps(method)
    def within_limit(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.time_limit is None:
            return method(self, *args, **kwargs)
        limit = checks.positive("time_limit", self.time_limit)
        with deadline(f"{type(self).__name__}.{method.__name__}", limit):
            return method(self, *args, **kwargs)

    return cast(Method, within_limit)


def limited_fit(method: Method) -> Method:
    """The same of a fit, which leaves the estimator as it was where it fails."""

    @limited
    @wraps(method)
    def within_limit(self: Any, *args: Any, **kwargs: Any) -> Any:
        with restored_on_error(self):
            return method(self, *args, **kwargs)

    return cast(Method, within_limit)
