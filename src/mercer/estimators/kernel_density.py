"""Densities by windows around the rows, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import checks
from mercer.data import read_row_weights
from mercer.errors import ParameterError
from mercer.estimators.time_limits import limited, limited_fit
from mercer.estimators.windows import WindowEstimator, check_bandwidth, check_bandwidths, check_window
from mercer.kernels import Kernel
from mercer.typing import Floats
from mercer.windows import Tolerance, choose_bandwidth, kernel_log_volume, kernel_steps, log_volume
from mercer.windows.left_out import row_parts
from mercer.windows.profiles import sample_steps
from mercer.windows.sums import logs_of

__all__ = ["KernelDensity"]

_EUCLIDEAN = ("euclidean", "l2", "minkowski", "p")


class KernelDensity(DensityMixin, WindowEstimator):  # type: ignore[misc]
    """scikit-learn's `KernelDensity`: exact, with bandwidths that the rows choose.

    p(x) = Σ wᵢ K(‖x − xᵢ‖ / h) / (hᵈ ∫K Σ wᵢ)

    Parameters
    ----------
    bandwidth : float, array of shape (n_features,) or str, default=1.0
        How wide windows are: one number, one for each feature, or a rule.

        - "scott", "silverman": as in scikit-learn, for features of spread one;
        - "normal-reference": of each feature what is best for a normal density, with a robust spread;
        - "sheather-jones": the improved rule of Botev, Grotowski and Kroese, for one feature;
        - "leave-one-out": the largest likelihood of rows under the others, of fifty bandwidths in one pass.
    algorithm : {"auto", "kd_tree", "ball_tree"}, default="auto"
        scikit-learn's trees. Here there is one way for all, and densities do not depend on it.
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"} or Kernel, default="gaussian"
        The window; "linear" is the triangular one, which goes by that name as well. A kernel k stands for k(x/h, z/h),
        divided by its integral: RBF, Laplacian, Matern, RationalQuadratic with alpha > d/2, sums and multiples of
        these. RBF(0.5) is "gaussian".
    metric : str or callable, default="euclidean"
        The distance. Others than the Euclidean one are looked at pair by pair, and the density has an integral of one
        for the Euclidean alone, as in scikit-learn.
    atol, rtol : float, default=0
        By how much a density may be off, absolutely and as a share. Zero is exact to rounding; more is quicker where
        windows are wide. "leave-one-out" chooses by densities that are off by no more than the share `rtol`, of many
        bandwidths in about the time of two; `left_out_error_bound_` tells how far they are.
    breadth_first, leaf_size
        How scikit-learn's trees are gone through. Checked, and without effect on densities.
    metric_params : dict, optional
        What the metric takes.
    n_neighbors : int, optional
        Where given, the bandwidth of each row is `bandwidth` times the distance to its so-manieth neighbour: windows
        are narrow where rows are dense.
    bandwidths : array-like, optional
        What "leave-one-out" chooses from, instead of a range of its own.
    n_jobs : int, optional
        Threads; None takes those that are available.
    time_limit : float, optional
        Seconds that `fit`, and each look at densities, may take. There is no half answer: at the limit
        `TimeLimitError` is raised, and a fit leaves the estimator as it was.
    cache_size : float, optional
        MB for what is made of the rows to sum over them, and for what is worked on at a time; None allows whatever that
        takes. Where it does not suffice, it is made of some rows at a time, for each call anew; `plan_` says so.
        Densities change by rounding at most.

    Attributes
    ----------
    bandwidth_ : float or ndarray of shape (n_features,)
    bandwidths_, left_out_scores_ : ndarray
        Of "leave-one-out", the bandwidths that were looked at and the mean log-likelihood of rows under the others.
    left_out_error_bound_ : float
        By what share the density of a row that is left out is off at most, at any bandwidth; 0 is exact to rounding.
    plan_ : str
        How sums are taken.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelDensity
    >>> X = np.random.default_rng(0).normal(size=(200, 1))
    >>> model = KernelDensity(bandwidth="leave-one-out").fit(X)
    >>> 0.05 < model.bandwidth_ < 0.6
    True
    """

    _is_bounded: ClassVar[bool] = False
    _checks: ClassVar[dict[str, checks.Check]] = {
        "bandwidth": check_bandwidth(least_is_zero=False),
        "bandwidths": check_bandwidths,
        "algorithm": checks.one_of("auto", "kd_tree", "ball_tree"),
        "kernel": check_window,
        "atol": checks.not_negative,
        "rtol": checks.not_negative,
        "breadth_first": checks.flag,
        "leaf_size": checks.at_least(1),
    }

    def __init__(
        self,
        *,
        bandwidth: Any = 1.0,
        algorithm: str = "auto",
        kernel: Any = "gaussian",
        metric: Any = "euclidean",
        atol: float = 0,
        rtol: float = 0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: Any = None,
        n_neighbors: int | None = None,
        bandwidths: Any = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        cache_size: float | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params
        self.n_neighbors = n_neighbors
        self.bandwidths = bandwidths
        self.n_jobs = n_jobs
        self.time_limit = time_limit
        self.cache_size = cache_size

    @limited_fit
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Remembers the rows, and settles the bandwidth.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
            There are no targets; scikit-learn's pipelines pass them.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts, ≥ 0; rows that count nothing are as absent.
        """
        checks.check_parameters(self)
        X = validate_data(self, X, dtype=np.float64, order="C")
        weights = read_row_weights(sample_weight, len(X))
        counts = weights > 0
        self._put_windows(
            X if counts.all() else X[counts], weights[counts], False, metric=self._metric(), params=self.metric_params
        )
        self._log_volume = self._integral()
        if self.bandwidth_ is None:
            self._check_rows_to_leave_out()
            self.left_out_error_bound_ = 0.0
            choice = choose_bandwidth(self._losses, self._start, self._candidates)
            self._keep(choice)
            self.left_out_scores_ = -choice.losses
        return self

    def _metric(self) -> Any:
        plain = self.metric in _EUCLIDEAN if isinstance(self.metric, str) else False
        params = dict(self.metric_params or {})
        if plain and params.get("p", 2) == 2 and set(params) <= {"p"}:
            return "euclidean"
        others = {
            "array of bandwidths": np.ndim(self.bandwidth) == 1,
            "n_neighbors": self.n_neighbors is not None,
            "a kernel that is an object and has its own distance": isinstance(self.kernel, Kernel),
        }
        asked = [name for name, is_asked in others.items() if is_asked]
        if asked:
            raise ParameterError(f"metric={self.metric!r}: expected the Euclidean distance with {asked[0]}.")
        if not callable(self.metric):
            from sklearn.neighbors import VALID_METRICS  # it takes long to import

            checks.choice("metric", self.metric, tuple(sorted({*VALID_METRICS["ball_tree"], *_EUCLIDEAN} - {"pyfunc"})))
            if self.algorithm == "kd_tree" and self.metric not in VALID_METRICS["kd_tree"]:
                raise ParameterError(
                    f"invalid metric for KDTree: metric={self.metric!r} expects algorithm='auto' or 'ball_tree', got "
                    "'kd_tree', as in scikit-learn."
                )
        return self.metric

    @limited
    def score_samples(self, X: Any) -> Floats:
        """The logarithm of the density at each row."""
        queries, memory = self._read(X), self._memory
        h, shift = self._scalar, self._log_normaliser
        coef = (memory.weights * memory.factors)[None, :]
        absolute = None
        if self.atol > 0:
            # The core keeps tolerances of sums, of which a density is this multiple.
            with np.errstate(over="ignore"):
                unit = np.exp(shift + self._dimensions * np.log(h)) * memory.weights.sum()
            absolute = np.array([float(self.atol) * unit])
        tolerance = Tolerance(absolute, float(self.rtol))
        found = memory.windows.sums(queries, np.array([h]), coef, self._threads, tolerance=tolerance)
        told = logs_of(found.values[:, 0, 0]) + found.logs[:, 0]
        return np.asarray(told - np.log(memory.weights.sum()) - shift - self._dimensions * np.log(h))

    def score(self, X: Any, y: Any = None) -> float:
        """The sum of the logarithms of the density at the rows."""
        return float(np.sum(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Floats:
        """Rows drawn from the density, for any of the windows.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState or None
            The same seed draws what scikit-learn draws of the gaussian and the top hat.
        """
        check_is_fitted(self, "bandwidth_")
        count = checks.integer("n_samples", n_samples, 1)
        memory, random = self._memory, check_random_state(random_state)
        if memory.metric != "euclidean":
            raise NotImplementedError(f"Expected the Euclidean distance to draw rows with, got {self.metric!r}.")
        drawn = random.uniform(0, 1, size=count)
        below = np.cumsum(memory.weights)
        chosen = np.minimum(np.searchsorted(below, drawn * below[-1], side="right"), len(below) - 1)
        draw = kernel_steps if isinstance(memory.kernel, Kernel) else sample_steps
        steps = draw(memory.kernel, count, self._dimensions, random) * self._scalar
        if memory.spreads is not None:
            steps *= memory.spreads[chosen, None]
        found = memory.rows[chosen] + steps
        return np.asarray((found if memory.units is None else found * memory.units) * memory.unit)

    @property
    def _dimensions(self) -> int:
        return int(self._memory.rows.shape[1])

    @property
    def _log_normaliser(self) -> float:
        memory = self._memory
        of_features = 0.0 if memory.units is None else float(np.log(memory.units).sum())
        return self._log_volume + of_features + self._dimensions * float(np.log(memory.unit * memory.middle_spread))

    def _integral(self) -> float:
        """The logarithm of that of the window of bandwidth one."""
        volume = kernel_log_volume if isinstance(self._memory.kernel, Kernel) else log_volume
        return volume(self._memory.kernel, self._dimensions)

    def _losses(self, bandwidths: Floats) -> Floats:
        """Less the mean log-likelihood of rows under the others, of descending bandwidths."""
        memory = self._memory
        coef, total = (memory.weights * memory.factors)[None, :], np.zeros(len(bandwidths))
        tolerance = Tolerance(None, float(self.rtol))
        # What all rows but one weigh, from both ends, as one of them may outweigh the others.
        below, above = np.cumsum(memory.weights), np.cumsum(memory.weights[::-1])[::-1]
        others = np.append(0.0, below[:-1]) + np.append(above[1:], 0.0)
        for part in row_parts(len(memory.rows), len(bandwidths), memory.room):
            own = np.arange(part.start, part.stop)
            found = memory.windows.sums(memory.rows[part], bandwidths, coef, self._threads, own, tolerance)
            self.left_out_error_bound_ = max(self.left_out_error_bound_, found.error)
            told = logs_of(found.values[:, :, 0]) + found.logs
            told -= np.log(others[part])[:, None]
            total += memory.weights[part] @ told
        mean = total / memory.weights.sum() - self._log_normaliser - self._dimensions * np.log(bandwidths)
        return np.asarray(-mean)
