"""LOWESS with statsmodels' face."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer import checks
from mercer._runtime import available_threads
from mercer.deadline import deadline
from mercer.errors import InputError, ParameterError
from mercer.local import neighbours_of_share, smooth_scatterplot
from mercer.typing import Floats

__all__ = ["lowess"]


def lowess(
    endog: Any,
    exog: Any,
    frac: float = 2.0 / 3.0,
    it: int = 3,
    delta: float = 0.0,
    xvals: Any = None,
    is_sorted: bool = False,
    missing: str = "drop",
    return_sorted: bool = True,
    n_jobs: int | None = None,
    time_limit: float | None = None,
) -> Floats:
    """Robust local lines through a scatterplot: statsmodels' `lowess`, with the same numbers, many times as fast.

    Around each x a line is fitted to the nearest `frac` of the points, by least squares with tricube weights. Points
    that the fit misses by far weigh less in the next, `it` times.

    Parameters
    ----------
    endog : array-like of shape (n,)
        The y of the points.
    exog : array-like of shape (n,)
        Their x.
    frac : float, default=2/3
        The share of the points that a window reaches.
    it : int, default=3
        How often fits are made anew with points weighed down that the last one misses.
    delta : float, default=0.0
        Within this distance the smooth is interpolated between fits. Without it, too, a fit takes the logarithm of the
        points in its window.
    xvals : array-like of shape (m,), optional
        Where the smooth is wanted instead of `exog`; then `delta` must be zero.
    is_sorted : bool, default=False
        Whether `exog` ascends already, and `xvals` too.
    missing : {"drop", "raise", "none"}, default="drop"
        What to do with points that are not finite: leave them out, or raise; "none" says there are none.
    return_sorted : bool, default=True
        Whether to return ascending x with the smooth, and not the smooth in the order of `exog`.
    n_jobs : int, optional
        Threads; None uses those that are available.
    time_limit : float, optional
        Seconds that it may take; `TimeLimitError` is raised where they are not enough.

    Returns
    -------
    ndarray of shape (n, 2), (n,) or (m,)
        x and the smooth where `return_sorted`, else the smooth: NaN where `exog` or `endog` is missing. With `xvals`
        the smooth at these, NaN where fewer than two points weigh anything.

    Notes
    -----
    Where so many points share one x that a window has no width, the smooth is their mean, where statsmodels returns
    each point as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import lowess
    >>> x = np.linspace(0, 6, 200)
    >>> y = np.sin(x) + np.random.default_rng(0).normal(scale=0.3, size=200)
    >>> bool(np.abs(lowess(y, x, frac=0.3)[:, 1] - np.sin(x)).max() < 0.2)
    True
    """
    checks.any_share("frac", frac)
    checks.integer("it", it, 0)
    checks.not_negative("delta", delta)
    checks.choice("missing", missing, ("drop", "raise", "none"))
    if time_limit is not None:
        with deadline("lowess", checks.positive("time_limit", time_limit)):
            return lowess(endog, exog, frac, it, delta, xvals, is_sorted, missing, return_sorted, n_jobs)
    threads = checks.thread_count(n_jobs) or available_threads()
    if xvals is not None and delta != 0:
        raise ParameterError(f"delta: expected 0 where xvals are given, got {delta!r}. Leave one of them out.")
    x, y = _vector("exog", exog), _vector("endog", endog)
    if len(x) != len(y):
        raise InputError(f"Expected as many values in endog as in exog, got {len(y)} and {len(x)}.")
    is_valid = _finite(missing, "endog or exog", np.isfinite(x) & np.isfinite(y))
    x, y = x[is_valid], y[is_valid]
    if len(x) == 0:
        raise InputError("Expected some points that are finite, got none.")
    order = np.arange(len(x)) if is_sorted else np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    if np.any(np.diff(x) < 0):
        raise InputError("is_sorted: expected exog in ascending order, got some that is not. Leave is_sorted out.")
    k = neighbours_of_share(frac, len(x))
    if xvals is not None:
        places = _vector("xvals", xvals)
        is_wanted = _finite(missing, "xvals", np.isfinite(places))
        values, _ = smooth_scatterplot(x, y, k, it, 0.0, threads, places[is_wanted])
        return _spread(values, is_wanted)
    values, _ = smooth_scatterplot(x, y, k, it, float(delta), threads)
    if return_sorted:
        return np.column_stack([x, values])
    found = np.empty_like(values)
    found[order] = values
    return _spread(found, is_valid)


def _vector(name: str, given: Any) -> Floats:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected numbers, got {type(given).__name__} that is not numeric.") from error
    if values.ndim != 1:
        raise InputError(f"{name}: expected a vector, got an array of shape {values.shape}.")
    return values


def _finite(missing: str, name: str, is_finite: Any) -> Any:
    """Which values count."""
    if missing == "drop" or is_finite.all():
        return is_finite
    if missing == "raise":
        raise InputError(f"nan or inf found in {name}: expected finite numbers. missing='drop' leaves others out.")
    raise InputError(f"missing='none': expected finite numbers in {name}, got others. Use missing='drop'.")


def _spread(values: Floats, places: Any) -> Floats:
    found = np.full(len(places), np.nan)
    found[places] = values
    return found
