"""Local regression from its definition, one query at a time."""

import numpy as np

WINDOWS = {
    "tophat": lambda r: (r <= 1 + 1e-12).astype(float),
    "triangular": lambda r: np.maximum(1 - r, 0),
    "epanechnikov": lambda r: np.maximum(1 - r**2, 0),
    "biweight": lambda r: np.maximum(1 - r**2, 0) ** 2,
    "triweight": lambda r: np.maximum(1 - r**2, 0) ** 3,
    "tricube": lambda r: np.maximum(1 - r**3, 0) ** 3,
    "gaussian": lambda r: np.exp(-(r**2) / 2),
}


def design(U, order):
    """Columns 1, u_a, u_a u_b."""
    columns = [np.ones(len(U))]
    if order > 0:
        columns += list(U.T)
    if order > 1:
        columns += [U[:, a] * U[:, b] for a in range(U.shape[1]) for b in range(a, U.shape[1])]
    return np.stack(columns, axis=1)


def kth_distance(X, q, k):
    return np.sort(np.linalg.norm(X - q, axis=1))[k - 1]


def smoother_row(X, weights, q, h, kernel, order):
    """What each target contributes to the prediction at q: the first row of (ΦᵀWΦ)⁻¹ΦᵀW, by a pseudoinverse."""
    w = weights * WINDOWS[kernel](np.linalg.norm(X - q, axis=1) / h)
    roots = np.sqrt(w)
    return np.linalg.pinv(design(X - q, order) * roots[:, None])[0] * roots


def smoother_matrix(X, weights, Q, kernel, order, *, k=None, h=None):
    radii = [kth_distance(X, q, k) if h is None else h for q in Q]
    return np.stack([smoother_row(X, weights, q, r, kernel, order) for q, r in zip(Q, radii, strict=True)])
