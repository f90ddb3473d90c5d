"""What scikit-learn's own stopping rule is worth, told by a certificate: raw data, growing C."""

import sklearn.svm
from sklearn.datasets import load_breast_cancer

from mercer import SVC, certify

X, y = load_breast_cancer(return_X_y=True)
print("both ask for a violation of at most 1e-3\n")
print(f"{'C':>8} {'scikit-learn':>14} {'Mercer':>10}")
for C in (1.0, 1e3, 1e5):
    theirs = certify(sklearn.svm.SVC(C=C).fit(X, y), X, y)
    ours = SVC(C=C).fit(X, y).certificate_
    print(f"{C:8g} {theirs.violation:14.1e} {ours.violation:10.1e}")
