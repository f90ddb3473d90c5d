"""The bounds of ridge certificates hold against exact rational arithmetic, with rounding and all."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge as Theirs

from mercer import RBF, InputError, KernelRidge, Linear, Polynomial, RationalQuadratic, certify

# Square roots of sums of fractions are taken in float64.
ROOTS = 1 + 1e-12

# Kernels whose values of rational numbers are rational.
EXACT = {
    "linear": (Linear(), lambda x, z: dot(x, z)),
    "cubic": (Polynomial(3, 0.5, 1.0), lambda x, z: (dot(x, z) / 2 + 1) ** 3),
    "mixture": (
        RationalQuadratic(0.25, 1.0),
        lambda x, z: 1 / (1 + sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) / 4),
    ),
}


def dot(x, z):
    return sum(a * b for a, b in zip(x, z, strict=True))


def exact(values):
    return [exact(value) if isinstance(value, list) else Fraction(value) for value in np.asarray(values).tolist()]


def solve(A, b):
    """Gauss's elimination."""
    rows = [[*row, value] for row, value in zip(A, b, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [a - rows[i][k] * c for a, c in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def optimum(K, y, weights, alpha, has_intercept):
    """c and b of the system K c + α c / v + b = y."""
    n = len(y)
    A = [[K[i][j] + (alpha / weights[i] if i == j else 0) for j in range(n)] for i in range(n)]
    if not has_intercept:
        return solve(A, y), Fraction(0)
    A = [[*row, Fraction(1)] for row in A] + [[Fraction(1)] * n + [Fraction(0)]]
    *c, b = solve(A, [*y, Fraction(0)])
    return c, b


def objective(K, y, weights, alpha, c, b):
    products = [dot(row, c) for row in K]
    errors = sum(v * (t - f - b) ** 2 for v, t, f in zip(weights, y, products, strict=True))
    return (errors + alpha * dot(c, products)) / 2


def hard_problems():
    """Rows that almost repeat, offsets, alphas and weights of all sizes: rounding is most of what is left."""
    random = np.random.default_rng(5)
    for number in range(30):
        n, d = int(random.integers(2, 6)), int(random.integers(1, 3))
        X = random.normal(size=(n, d)) * 10.0 ** random.uniform(-2, 2) + random.choice([0.0, 1e3, 1e6])
        X[n // 2 :] = X[: n - n // 2] + random.choice([1.0, 1e-6, 1e-10]) * random.normal(size=(n - n // 2, d))
        weights = 10.0 ** random.uniform(-3, 3, n) if number % 2 else np.ones(n)
        y = random.normal(size=(n, 2)) * 10.0 ** random.uniform(-6, 6, 2)
        yield X.astype(np.float32 if number % 3 == 0 else np.float64), y, weights, 10.0 ** random.uniform(-12, 3, 2)


@pytest.mark.filterwarnings("ignore::mercer.UnsolvedWarning", "ignore::mercer.NumericsWarning")
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("name", EXACT)
def test_bounds_hold_against_the_exact_optimum(name, fit_intercept):
    kernel, formula = EXACT[name]
    for X, y, weights, alphas in hard_problems():
        model = KernelRidge(alphas, kernel=kernel, fit_intercept=fit_intercept).fit(X, y, weights)
        rows, v = exact(X.astype(np.float64)), exact(weights)
        K = [[formula(x, z) for z in rows] for x in rows]
        gap, values, coefs, functions, residuals = 0.0, [], [], [], []
        for k, alpha in enumerate(alphas):
            t, c, b = exact(y[:, k]), exact(model.dual_coef_[:, k]), Fraction(float(np.atleast_1d(model.intercept_)[k]))
            a = Fraction(float(alpha))
            best, level = optimum(K, t, v, a, fit_intercept)
            gap += float(objective(K, t, v, a, c, b) - objective(K, t, v, a, best, level))
            move = [one - other for one, other in zip(c, best, strict=True)]
            moved = [dot(row, move) for row in K]
            left = [t[i] - dot(K[i], c) - b - a * c[i] / v[i] for i in range(len(t))]
            middle = dot(v, t) / sum(v) if fit_intercept else 0
            size = float(sum(w * (one - middle) ** 2 for w, one in zip(v, t, strict=True))) ** 0.5
            residuals.append(float(sum(w * r**2 for w, r in zip(v, left, strict=True))) ** 0.5 / size)
            values.append(float(sum(w * (m + b - level) ** 2 for w, m in zip(v, moved, strict=True))) ** 0.5)
            coefs.append(float(sum(m**2 / w for w, m in zip(v, move, strict=True))) ** 0.5)
            functions.append(max(0.0, float(dot(move, moved))) ** 0.5)
        for proof in (model.certificate_, certify(model, X, y, weights)):
            assert max(residuals) <= (proof.residual + proof.accuracy) * ROOTS
            assert max(values) <= proof.value_distance * ROOTS
            assert max(coefs) <= proof.coef_distance * ROOTS
            assert max(functions) <= proof.function_distance * ROOTS
            assert gap <= proof.gap * ROOTS


def test_model_of_scikit_learn_with_several_targets_alphas_and_weights(random):
    X = random.normal(size=(40, 3))
    y, weights, alphas = np.column_stack([X[:, 0], X[:, 1] ** 2]), random.uniform(0.5, 2.0, 40), np.array([0.1, 3.0])
    theirs = Theirs(alpha=alphas, kernel="rbf", gamma=0.4).fit(X, y, weights)
    ours = KernelRidge(alphas, kernel=RBF(0.4)).fit(X, y, weights)
    proof = certify(theirs, X, y, weights)
    assert proof.residual < 1e-12
    assert proof.primal == pytest.approx(ours.certificate_.primal, rel=1e-12)
    assert proof.functions == 2
    for wrong in ({"alpha": 0.1}, {"alpha": alphas[::-1]}, {"gamma": 0.5}):
        other = Theirs(alpha=alphas, kernel="rbf", gamma=0.4).fit(X, y, weights).set_params(**wrong)
        assert certify(other, X, y, weights).residual > 1e-3
    assert certify(theirs, X, y).residual > 1e-3
    with pytest.raises(InputError, match="the data the model was fitted on"):
        certify(theirs, X[::-1], y, weights)
    with pytest.raises(InputError, match="shape"):
        certify(theirs, X, y[:, 0], weights)


def test_coefficients_that_were_changed_are_found_out(random):
    X = random.normal(size=(30, 3))
    y = np.sin(X[:, 0])
    theirs = Theirs(alpha=0.1, kernel="laplacian").fit(X, y)
    assert certify(theirs, X, y).residual < 1e-12
    theirs.dual_coef_[3] += 1e-6
    assert 1e-8 < certify(theirs, X, y).residual < 1e-4
