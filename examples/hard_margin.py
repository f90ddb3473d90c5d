"""The hard margin: the widest street between two classes, and the proof where there is none."""

import numpy as np
from sklearn.datasets import make_blobs

from mercer import SVC, NotSeparableError

X, y = make_blobs(60, centers=[[-2, 0], [2, 0]], cluster_std=0.6, random_state=0)
model = SVC(kernel="linear", C=np.inf).fit(X, y)
print(f"margin {model.certificate_.margin:.4f}, {model.n_support_.sum()} support vectors\n{model.certificate_}\n")

X, y = make_blobs(60, centers=[[-1, 0], [1, 0]], cluster_std=1.0, random_state=0)
try:
    SVC(kernel="linear", C=np.inf).fit(X, y)
except NotSeparableError as error:
    print(error)
    proof, signs = error.proof, np.where(y == 1, 1, -1)
    combination = (proof.multipliers * signs[proof.rows]) @ X[proof.rows]
    weights = proof.multipliers.round(3).tolist()
    print(f"rows {proof.rows.tolist()} with weights {weights} sum to {combination.round(9).tolist()}")
