"""Windows by their definition: all pairs, in plain NumPy."""

import numpy as np
from scipy.spatial.distance import cdist

PROFILES = {
    "gaussian": lambda u: np.exp(-(u**2) / 2),
    "exponential": lambda u: np.exp(-u),
    "epanechnikov": lambda u: np.where(u < 1, 1 - u**2, 0.0),
    "linear": lambda u: np.where(u < 1, 1 - u, 0.0),
    "cosine": lambda u: np.where(u < 1, np.cos(np.pi / 2 * u), 0.0),
    "tophat": lambda u: np.where(u < 1, 1.0, 0.0),
}


def window_sums(profile, Q, X, bandwidth, coef, left_out=False):
    """Σ coef K over rows, of each query and output; bandwidths may be one a row."""
    values = PROFILES[profile](cdist(Q, X) / bandwidth)
    if left_out:
        np.fill_diagonal(values, 0.0)
    return values @ coef.T


def class_shares(profile, Q, X, bandwidth, labels, weights):
    """Of each query the share of every class in its window."""
    values = PROFILES[profile](cdist(Q, X) / bandwidth) * weights
    shares = np.column_stack([values[:, labels == one].sum(axis=1) for one in np.unique(labels)])
    return shares / values.sum(axis=1, keepdims=True)
