"""Bounds through inducing rows as their definitions say, with matrices of all rows."""

import numpy as np
from scipy.stats import multivariate_normal

from mercer.processes.inducing import JITTER


def naive_bounds(K, cross, among, noise, y):
    """Titsias's lower and upper bound, of shared values among rows, with inducing rows and among these."""
    among = among + JITTER * np.trace(among) / len(among) * np.eye(len(among))
    Q = cross @ np.linalg.solve(among, cross.T)
    left = np.diagonal(K) - np.diagonal(Q)
    lower, upper = 0.0, 0.0
    for target in y.T:
        lower += multivariate_normal(cov=Q + np.diag(noise)).logpdf(target) - 0.5 * np.sum(left / noise)
        wider = Q + np.diag(noise) + left.sum() * np.eye(len(K))
        spread = len(K) * np.log(2 * np.pi) + np.linalg.slogdet(Q + np.diag(noise))[1]
        upper -= 0.5 * (target @ np.linalg.solve(wider, target) + spread)
    return lower, upper
